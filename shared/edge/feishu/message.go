package feishu

import (
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// messageEvent is im.message.receive_v1. Every field may be missing.
type messageEvent struct {
	Event struct {
		Sender struct {
			ID   personID `json:"sender_id"`
			Type string   `json:"sender_type"`
		} `json:"sender"`
		Message struct {
			ID       string    `json:"message_id"`
			Root     string    `json:"root_id"`
			Topic    string    `json:"thread_id"`
			Chat     string    `json:"chat_id"`
			ChatType string    `json:"chat_type"`
			Type     string    `json:"message_type"`
			Content  string    `json:"content"`
			Mentions []mention `json:"mentions"`
			Created  digits    `json:"create_time"`
		} `json:"message"`
	} `json:"event"`
}

type personID struct {
	OpenID string `json:"open_id"`
}

type mention struct {
	Key  string   `json:"key"`
	ID   personID `json:"id"`
	Name string   `json:"name"`
}

// message turns a received message into a Trigger, or says why not.
func (r *Receiver) message(d *delivery.Delivery, e envelope, plain []byte) {
	var m messageEvent
	parse(plain, &m)
	msg, sender := m.Event.Message, m.Event.Sender
	who := actor.Actor{Provider: trigger.Feishu, Workspace: r.app, ID: sender.ID.OpenID}
	switch sender.Type {
	case "user":
		who.Kind = actor.Human
	case "bot", "app":
		who.Kind = actor.Bot
	default:
		d.Drop = "no sender of a known type"
		return
	}
	switch {
	case msg.ID == "" || msg.Chat == "":
		d.Drop = "message without id or chat"
	case who.ID == "":
		d.Drop = "sender without open_id"
	case msg.Type == "system":
		d.Drop = "system message"
	case who.Kind == actor.Bot && (who.ID == r.app || who.ID == r.bot()):
		d.Drop = "own message"
	case who.Kind == actor.Bot && r.bot() == "":
		d.Drop = "bot message while the own bot is not known"
	}
	if d.Drop != "" {
		return
	}

	root := msg.Root
	if root == "" {
		root = msg.ID
	}
	t := &trigger.Trigger{
		Platform: trigger.Feishu,
		Account:  r.app,
		Kind:     "channel",
		Thread: trigger.Place{
			Surface: trigger.Feishu, Account: r.app, Channel: msg.Chat, Thread: root,
			Topic: msg.Topic != "" || msg.ChatType == "topic_group",
		},
		Sender:   who,
		Named:    trigger.NotAt,
		Text:     clip(readContent(msg.Type, msg.Content, msg.Mentions)),
		ID:       "feishu:" + r.app + ":" + msg.ID,
		Message:  msg.ID,
		Delivery: d.ID,
		Event:    d.Event,
		At:       r.at(msg.Created, e.Header.CreateTime),
	}
	if msg.ChatType == "p2p" {
		t.Kind, t.Named = "direct", trigger.Direct
	} else if r.mentioned(msg.Mentions) {
		t.Named = trigger.Mention
	}
	d.Trigger = t
}

// mentioned is true only if one mention's open_id is this bot's (B39). An
// @_all has no entry of its own and is no mention.
func (r *Receiver) mentioned(ms []mention) bool {
	if len(ms) == 0 {
		return false
	}
	bot := r.bot()
	if bot == "" {
		return false
	}
	for _, m := range ms {
		if m.ID.OpenID == bot {
			return true
		}
	}
	return false
}

// at is when the message was written, else when the event was made, else now.
func (r *Receiver) at(stamps ...digits) time.Time {
	for _, s := range stamps {
		if t, ok := instant(string(s)); ok {
			return t
		}
	}
	return r.now().UTC()
}
