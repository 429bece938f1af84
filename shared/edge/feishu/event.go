package feishu

import (
	"strconv"
	"time"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// Events that are read, by the platform's names.
const (
	eventMessage    = "im.message.receive_v1"
	eventClick      = "card.action.trigger"
	urlVerification = "url_verification"
)

// event is what one delivery says, as far as we read it. Every field may be
// empty. kind, token and challenge stand outside a header in the URL check and
// in version 1.
type event struct {
	schema, kind, token string
	challenge           []byte

	header  struct{ id, kind, created, token, app string }
	sender  struct{ openID, kind string }
	message struct {
		id, root, topic, chat, chatType, kind, created string
		content                                        []byte // JSON
		mentions                                       []mention
	}
	click struct {
		operator, message, chat string
		value                   []byte
	}
}

type mention struct{ key, openID, name string }

// readEvent reads a decrypted delivery in one pass. ok is false if it is not a
// JSON object.
func readEvent(plain []byte) (e event, ok bool) {
	ok = readObject(plain, func(r reader, name string) error {
		switch name {
		case "schema":
			return r.text(&e.schema)
		case "type":
			return r.text(&e.kind)
		case "token":
			return r.text(&e.token)
		case "challenge":
			return r.raw(&e.challenge)
		case "header":
			return r.fields(e.readHeader)
		case "event":
			return r.fields(e.readInside)
		}
		return r.d.SkipValue()
	})
	return e, ok
}

func (e *event) readHeader(r reader, name string) error {
	switch name {
	case "event_id":
		return r.text(&e.header.id)
	case "event_type":
		return r.text(&e.header.kind)
	case "create_time":
		return r.text(&e.header.created)
	case "token":
		return r.text(&e.header.token)
	case "app_id":
		return r.text(&e.header.app)
	}
	return r.d.SkipValue()
}

// readInside reads the fields of both events: their names do not collide.
func (e *event) readInside(r reader, name string) error {
	switch name {
	case "sender":
		return r.fields(func(r reader, name string) error {
			switch name {
			case "sender_id":
				return r.openID(&e.sender.openID)
			case "sender_type":
				return r.text(&e.sender.kind)
			}
			return r.d.SkipValue()
		})
	case "message":
		return r.fields(e.readMessage)
	case "operator":
		return r.openID(&e.click.operator)
	case "action":
		return r.fields(func(r reader, name string) error {
			if name == "value" {
				return r.raw(&e.click.value)
			}
			return r.d.SkipValue()
		})
	case "context":
		return r.fields(func(r reader, name string) error {
			switch name {
			case "open_message_id":
				return r.text(&e.click.message)
			case "open_chat_id":
				return r.text(&e.click.chat)
			}
			return r.d.SkipValue()
		})
	}
	return r.d.SkipValue()
}

func (e *event) readMessage(r reader, name string) error {
	m := &e.message
	switch name {
	case "message_id":
		return r.text(&m.id)
	case "root_id":
		return r.text(&m.root)
	case "thread_id":
		return r.text(&m.topic)
	case "chat_id":
		return r.text(&m.chat)
	case "chat_type":
		return r.text(&m.chatType)
	case "message_type":
		return r.text(&m.kind)
	case "content":
		return r.inner(&m.content)
	case "create_time":
		return r.text(&m.created)
	case "mentions":
		return r.items(func(r reader) error {
			var one mention
			err := r.fields(func(r reader, name string) error {
				switch name {
				case "key":
					return r.text(&one.key)
				case "id":
					return r.openID(&one.openID)
				case "name":
					return r.text(&one.name)
				}
				return r.d.SkipValue()
			})
			m.mentions = append(m.mentions, one)
			return err
		})
	}
	return r.d.SkipValue()
}

// openID reads {"open_id"} of a person.
func (r reader) openID(into *string) error {
	return r.fields(func(r reader, name string) error {
		if name == "open_id" {
			return r.text(into)
		}
		return r.d.SkipValue()
	})
}

// sort classifies a verified delivery, before anything is claimed for it (B05).
func (r *Receiver) sort(e event, plain []byte) delivery.Delivery {
	if e.kind == urlVerification {
		return challenge(e)
	}
	d := delivery.Delivery{Platform: trigger.Feishu, Event: e.header.kind, ID: e.header.id}
	switch {
	case e.schema != "2.0" && e.header.kind == "":
		d.Event, d.Drop = e.kind, "version 1 event"
	case e.header.app != "" && e.header.app != r.app:
		d.Drop = "another app's event"
	case e.header.kind == eventMessage:
		r.message(&d, e)
	case e.header.kind == eventClick:
		r.click(&d, e, plain)
	default:
		d.Drop = "unknown event"
	}
	return d
}

// challenge answers the URL check with the challenge as it came, in JSON (B37).
func challenge(e event) delivery.Delivery {
	c := string(e.challenge)
	if c == "" {
		c = `""`
	}
	return delivery.Delivery{
		Platform: trigger.Feishu, Event: urlVerification,
		Reply: &delivery.Reply{Status: 200, ContentType: contentJSON, Body: []byte(`{"challenge":` + c + `}`)},
	}
}

const contentJSON = "application/json; charset=utf-8"

// instant reads a time stamp by its number of digits, since seconds,
// milliseconds and microseconds all occur.
func instant(s string) (time.Time, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 {
		return time.Time{}, false
	}
	switch {
	case n < 1e11:
		return time.Unix(n, 0).UTC(), true
	case n < 1e14:
		return time.UnixMilli(n).UTC(), true
	default:
		return time.UnixMicro(n).UTC(), true
	}
}
