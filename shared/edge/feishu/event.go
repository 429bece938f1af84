package feishu

import (
	"encoding/json"
	"errors"
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

// envelope is what all deliveries have in common. Type, Token and Challenge
// belong to the URL check and to version 1.
type envelope struct {
	Schema    string          `json:"schema"`
	Type      string          `json:"type"`
	Token     string          `json:"token"`
	Challenge json.RawMessage `json:"challenge"`
	Header    struct {
		EventID    string `json:"event_id"`
		EventType  string `json:"event_type"`
		CreateTime digits `json:"create_time"`
		Token      string `json:"token"`
		AppID      string `json:"app_id"`
	} `json:"header"`
}

// sort classifies a verified delivery, before anything is claimed for it (B05).
func (r *Receiver) sort(e envelope, plain []byte) delivery.Delivery {
	if e.Type == urlVerification {
		return challenge(e)
	}
	d := delivery.Delivery{Platform: trigger.Feishu, Event: e.Header.EventType, ID: e.Header.EventID}
	switch {
	case e.Schema != "2.0" && e.Header.EventType == "":
		d.Event, d.Drop = e.Type, "version 1 event"
	case e.Header.AppID != "" && e.Header.AppID != r.app:
		d.Drop = "another app's event"
	case e.Header.EventType == eventMessage:
		r.message(&d, e, plain)
	case e.Header.EventType == eventClick:
		r.click(&d, plain)
	default:
		d.Drop = "unknown event"
	}
	return d
}

// challenge answers the URL check with the challenge as JSON, as it came (B37).
func challenge(e envelope) delivery.Delivery {
	c := e.Challenge
	if len(c) == 0 {
		c = json.RawMessage(`""`)
	}
	body, err := json.Marshal(struct {
		Challenge json.RawMessage `json:"challenge"`
	}{c})
	if err != nil {
		body = []byte(`{}`)
	}
	return delivery.Delivery{
		Platform: trigger.Feishu, Event: urlVerification,
		Reply: &delivery.Reply{Status: 200, ContentType: contentJSON, Body: body},
	}
}

const contentJSON = "application/json; charset=utf-8"

// parse reads JSON into v and takes what fits: a field of an unexpected type is
// left empty and costs nothing else. It is false if b is not a JSON object.
func parse(b []byte, v any) bool {
	err := json.Unmarshal(b, v)
	var odd *json.UnmarshalTypeError
	if errors.As(err, &odd) {
		return odd.Field != "" // empty: the whole is no object
	}
	return err == nil
}

// digits is a number that comes as a string, and now and then as a number.
type digits string

// UnmarshalJSON never fails: what is no number stays empty.
func (d *digits) UnmarshalJSON(b []byte) error {
	if len(b) >= 2 && b[0] == '"' {
		b = b[1 : len(b)-1]
	}
	*d = ""
	if _, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		*d = digits(b)
	}
	return nil
}

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
