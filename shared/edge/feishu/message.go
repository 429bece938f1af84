package feishu

import (
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// message turns im.message.receive_v1 into a Trigger, or says why not.
func (r *Receiver) message(d *delivery.Delivery, e event) {
	m := e.message
	who := actor.Actor{Provider: trigger.Feishu, Workspace: r.app, ID: e.sender.openID}
	switch e.sender.kind {
	case "user":
		who.Kind = actor.Human
	case "bot", "app":
		who.Kind = actor.Bot
	default:
		d.Drop = "no sender of a known type"
		return
	}
	switch {
	case m.id == "" || m.chat == "":
		d.Drop = "message without id or chat"
	case who.ID == "":
		d.Drop = "sender without open_id"
	case m.kind == "system":
		d.Drop = "system message"
	case who.Kind == actor.Bot:
		d.Drop = r.ownBot(who.ID)
	}
	if d.Drop != "" {
		return
	}

	// The Thread is named by its first message, which is also what a reply
	// answers. Inside a topic that is the topic's first message, so a topic and
	// a chain of replies have one form, and a topic's own id, to which nothing
	// can reply (B42), is not needed.
	root := m.root
	if root == "" {
		root = m.id
	}
	t := &trigger.Trigger{
		Platform: trigger.Feishu,
		Account:  r.app,
		Kind:     "channel",
		Thread: trigger.Place{
			Surface: trigger.Feishu, Account: r.app, Channel: m.chat, Thread: root,
			Topic: m.topic != "" || m.chatType == "topic_group",
		},
		Sender:   who,
		Named:    trigger.NotAt,
		Text:     clip(readContent(m.kind, m.content, m.mentions)),
		ID:       "feishu:" + r.app + ":" + m.id,
		Message:  m.id,
		Delivery: d.ID,
		Event:    d.Event,
		At:       r.at(m.created, e.header.created),
	}
	if m.chatType == "p2p" {
		t.Kind, t.Named = "direct", trigger.Direct
	} else if r.mentioned(m.mentions) {
		t.Named = trigger.Mention
	}
	d.Trigger = t
}

// ownBot gives the reason to drop a bot's message: ours, or not known to be
// another's. Other bots are the gate's to judge (G22).
func (r *Receiver) ownBot(sender string) string {
	bot := r.bot()
	switch {
	case sender == r.app || sender == bot:
		return "own message"
	case bot == "":
		return "bot message while the own bot is not known"
	}
	return ""
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
		if m.openID == bot {
			return true
		}
	}
	return false
}

// at is when the message was written, else when the event was made, else now.
func (r *Receiver) at(stamps ...string) time.Time {
	for _, s := range stamps {
		if t, ok := instant(s); ok {
			return t
		}
	}
	return r.now().UTC()
}
