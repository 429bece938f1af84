package simulation

import (
	"context"
	"fmt"
	"strings"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// people write messages and answer items. They remember what they wrote and
// what they were told.
type people struct {
	w        *World
	messages []*message
	answers  []*answered
	opens    []*answered // clicks on Open, which answer nothing (I22)
	ts       int
	items    []string // items that somebody has seen on a card or in the panel
}

// message is one thing somebody wrote: one logical identity, whose deliveries
// may name the agent in different ways (B05).
type message struct {
	trigger.Trigger
	mentions bool // one of its deliveries names the agent
	bot      bool
}

// answered is one answer and what its giver was told.
type answered struct {
	inbox.Answer
	since  int64 // the policy version in force when it was given
	known  bool  // he was told what came of it
	result inbox.Result
	words  string
	state  inbox.State
}

func newPeople(w *World) *people { return &people{w: w} }

// write makes somebody post a message: a new thread, or a reply in one.
func (p *people) write() {
	w := p.w
	if m := p.beingWorkedOn(); m != nil && w.chance(35) {
		p.follow(m)
		return
	}
	p.ts++
	var m *message
	switch r := w.rng.IntN(10); {
	case r < 6:
		m = p.onSlack()
	case r < 8:
		m = p.onFeishu()
	default:
		m = p.onGitHub()
	}
	m.Text = fmt.Sprintf("m%d %s", p.ts, p.plan())
	m.Event, m.At = "message", w.now
	m.Delivery = fmt.Sprintf("D%d", p.ts)
	p.messages = append(p.messages, m)
	for _, t := range p.deliveries(m) {
		p.send(t)
	}
	if w.chance(30) { // and at once somebody says more there
		p.follow(m)
	}
}

// beingWorkedOn is a message in the Thread of an agent that works just now.
func (p *people) beingWorkedOn() *message {
	s := p.w.working()
	if s == nil || s.Origin == nil {
		return nil
	}
	for _, m := range p.messages {
		if m.Thread.Surface == s.Origin.Surface && m.Thread.Channel == s.Origin.Channel && m.Thread.Thread == s.Origin.Thread {
			return m
		}
	}
	return nil
}

// follow is another message in the same conversation.
func (p *people) follow(first *message) {
	p.ts++
	m := *first
	m.ID, m.Message = fmt.Sprintf("%s+%d", first.ID, p.ts), fmt.Sprintf("%s+%d", first.Message, p.ts)
	if m.Platform == "slack" && p.w.chance(50) && m.Kind != "direct" {
		m.Named, m.mentions = trigger.NotAt, false
	}
	m.Text, m.Delivery = fmt.Sprintf("m%d %s", p.ts, p.plan()), fmt.Sprintf("D%d", p.ts)
	p.messages = append(p.messages, &m)
	p.send(m.Trigger)
}

// place is a new conversation, or one of those there are on a platform.
func (p *people) place(platform, fresh string) string {
	if p.w.chance(45) {
		var old []string
		for _, m := range p.messages {
			if m.Platform == platform && m.Kind != "direct" {
				old = append(old, m.Thread.Key())
			}
		}
		if len(old) > 0 {
			k := old[len(old)-1-p.w.rng.IntN(min(len(old), 8))]
			return k[strings.LastIndexByte(k, ':')+1:]
		}
	}
	return fresh
}

func (p *people) onSlack() *message {
	ts := fmt.Sprintf("%d.%06d", 1000+p.ts, p.ts)
	user := p.w.rng.IntN(4)
	t := trigger.Trigger{Platform: "slack", Account: "T1", Kind: "channel", Named: trigger.Mention,
		Thread: trigger.Place{Surface: "slack", Account: "T1", Channel: "C1", Thread: p.place("slack", ts)},
		Sender: actor.Actor{Provider: "slack", Workspace: "T1", ID: fmt.Sprintf("U%d", user), Name: fmt.Sprintf("u%d", user), Kind: actor.Human},
		ID:     "slack:A1:T1:C1:" + ts, Message: ts}
	if p.w.chance(25) {
		t.Named = trigger.NotAt
	}
	if p.w.chance(10) {
		t.Kind, t.Named, t.Thread.Channel, t.Thread.Thread = "direct", trigger.Direct, fmt.Sprintf("D%d", user), ts
	}
	if p.w.chance(4) {
		t.Sender.Kind, t.Sender.ID = actor.Bot, "A9"
	}
	return &message{Trigger: t, mentions: t.Named != trigger.NotAt, bot: t.Sender.Kind == actor.Bot}
}

func (p *people) onFeishu() *message {
	id := fmt.Sprintf("om_%d", p.ts)
	user := p.w.rng.IntN(4)
	t := trigger.Trigger{Platform: "feishu", Account: "cli_1", Kind: "channel", Named: trigger.Mention,
		Thread: trigger.Place{Surface: "feishu", Account: "cli_1", Channel: "oc_1", Thread: p.place("feishu", id)},
		Sender: actor.Actor{Provider: "feishu", Workspace: "cli_1", ID: fmt.Sprintf("ou_%d", user), Kind: actor.Human},
		ID:     "feishu:cli_1:" + id, Message: id}
	return &message{Trigger: t, mentions: true}
}

func (p *people) onGitHub() *message {
	number := p.place("github", fmt.Sprint(1000+p.ts))
	t := trigger.Trigger{Platform: "github", Account: "acme/shop", Kind: "comments", Named: trigger.Mention,
		Thread: trigger.Place{Surface: "github", Account: "acme/shop", Channel: number},
		Sender: actor.Actor{Provider: "github", ID: fmt.Sprint(100 + p.w.rng.IntN(2)), Kind: actor.Human},
		ID:     fmt.Sprintf("github:comment:%d", p.ts), Message: fmt.Sprint(p.ts)}
	if p.w.chance(30) {
		t.Named = trigger.NotAt
	}
	if p.w.chance(20) {
		t.Sender = actor.Actor{Provider: "github", ID: "900", Name: "ci[bot]", Kind: actor.Bot}
	}
	return &message{Trigger: t, mentions: t.Named != trigger.NotAt, bot: t.Sender.Kind == actor.Bot}
}

// deliveries are how often and as what a platform sends a message. Slack sends
// a mention as two events, in any order; where the bot's own id is not known
// the first of them names nobody (B05).
func (p *people) deliveries(m *message) []trigger.Trigger {
	out := []trigger.Trigger{m.Trigger}
	if m.Platform == "slack" && m.Named == trigger.Mention {
		twin := m.Trigger
		twin.Event, twin.Delivery = "app_mention", m.Delivery+"m"
		if p.w.chance(50) {
			out[0].Named = trigger.NotAt
			p.w.counts["unknown_bot"]++
		}
		out = append(out, twin)
	}
	for p.w.chance(15) {
		again := out[p.w.rng.IntN(len(out))]
		again.Delivery += "x"
		out = append(out, again)
	}
	p.w.rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// send is the webhook: it is answered, and the sender tries again if it failed.
func (p *people) send(t trigger.Trigger) {
	d := delivery.Delivery{Platform: t.Platform, Event: t.Event, ID: t.Delivery, Trigger: &t}
	p.w.spawn("ingress", func(ctx context.Context) error { _, err := p.w.call(ctx, d); return err }, func(x *proc) {
		if x.err != nil || x.killed {
			p.send(t)
		}
	})
}

// plan is what the message asks the agent to do: messages separated by ";",
// calls of one message by "+". Each act has a text of its own.
func (p *people) plan() string {
	w := p.w
	if w.chance(1) { // more items than one commit takes (S6)
		w.ids++
		return fmt.Sprintf("plan:act %d", w.ids) + strings.Repeat("+same", 30)
	}
	var messages []string
	for range w.rng.IntN(3) {
		var calls []string
		for range 1 + w.rng.IntN(3) {
			w.ids++
			switch w.rng.IntN(12) {
			case 0, 1, 2:
				calls = append(calls, fmt.Sprintf("act %d", w.ids))
			case 3, 4:
				calls = append(calls, fmt.Sprintf("send %d", w.ids))
			case 5:
				calls = append(calls, fmt.Sprintf("read %d", w.ids))
			case 6, 7:
				calls = append(calls, fmt.Sprintf("ask %d", w.ids))
			case 8, 9:
				calls = append(calls, fmt.Sprintf("sleep %d", naps[w.rng.IntN(len(naps))]))
			case 10:
				calls = append(calls, "same") // the same call again and again (P27, I3)
			case 11:
				calls = append(calls, []string{"bad", "unknown", "same+same"}[w.rng.IntN(3)])
			}
		}
		messages = append(messages, strings.Join(calls, "+"))
	}
	return "plan:" + strings.Join(messages, ";")
}

// naps are how long agents sleep: at once, by a delayed message, by a schedule.
var naps = []int{0, 5, 60, 89, 90, 300, 1200, 4000}
