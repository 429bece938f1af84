package simulation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

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

// answer makes one to three people answer one item at once, from the card, the
// panel and the API; some are strangers, some hold an old digest, some answer
// what was settled long ago.
func (p *people) answer() {
	w := p.w
	p.look()
	if len(p.items) == 0 {
		return
	}
	id := p.items[w.rng.IntN(len(p.items))]
	if waiting := p.waiting(); len(waiting) > 0 && w.chance(85) {
		id = waiting[w.rng.IntN(len(waiting))]
	}
	for range 1 + w.rng.IntN(3) {
		p.one(id)
	}
}

// waiting are the items that are pending.
func (p *people) waiting() []string {
	items, _, err := p.w.clean.PendingItems(context.Background(), "", 100)
	if err != nil {
		panic(err)
	}
	var out []string
	for _, x := range items {
		out = append(out, x.ID)
	}
	return out
}

// look makes people see the items that wait.
func (p *people) look() {
	for _, id := range p.waiting() {
		if !slices.Contains(p.items, id) {
			p.items = append(p.items, id)
		}
	}
}

func (p *people) one(id string) {
	w := p.w
	x, err := w.clean.Item(context.Background(), id)
	if err != nil || x == nil {
		panic(fmt.Sprint("an item on a card is not in the table: ", id, err))
	}
	w.ids++
	a := inbox.Answer{Item: id, Digest: x.Digest, ID: fmt.Sprintf("a%d", w.ids)}
	a.Delivery = a.ID
	p.say(&a, x)
	p.stand(&a, id)
	if w.chance(5) {
		a.Digest = "stale"
	}
	if w.chance(3) {
		a.Actor.Kind = actor.Key // an agent's key must never answer (I13)
	}
	if w.chance(2) {
		a.Item = "nosuch"
	}
	p.submit(a)
	if w.chance(15) { // a double tap, or the platform's own retry
		p.submit(a)
	}
}

// say fills in what is answered: mostly what fits.
func (p *people) say(a *inbox.Answer, x *inbox.Item) {
	w := p.w
	a.Choice = []string{inbox.Allow, inbox.Allow, inbox.Allow, inbox.Deny}[w.rng.IntN(4)]
	if x.Kind == inbox.Question {
		a.Choice, a.Text = "", "because "+a.ID
		if strings.HasPrefix(x.Title, "Did this happen") {
			a.Choice = []string{"o1", "o2"}[w.rng.IntN(2)]
		}
	}
	if w.chance(3) {
		a.Choice = "maybe"
	}
}

// stand puts a person before a card, the panel or the API.
func (p *people) stand(a *inbox.Answer, id string) {
	w := p.w
	for _, platform := range []string{"slack", "feishu"} {
		c := w.places[platform].find(id)
		if c == nil || w.chance(30) {
			continue
		}
		c.clicked = true
		a.Via, a.Shown = platform, c.ref
		user := max(0, w.rng.IntN(7)/2-1) // 0 0 0 0 1 1 2
		a.Actor = actor.Actor{Provider: "slack", Workspace: "T1", ID: fmt.Sprintf("U%d", user), Name: fmt.Sprintf("u%d", user), Kind: actor.Human}
		if platform == "feishu" {
			a.Actor = actor.Actor{Provider: "feishu", Workspace: "cli_1", ID: fmt.Sprintf("ou_%d", user), Kind: actor.Human}
			a.Shown.Place.Thread = "" // Feishu's click leaves the thread out
		}
		return
	}
	a.Via = []string{"panel", "api"}[w.rng.IntN(2)]
	a.Actor = actor.Actor{Provider: "panel", ID: "ada", Name: "Ada", Kind: actor.Human}
	if w.chance(15) {
		a.Actor.ID, a.Actor.Name = "eve", "Eve"
	}
}

// submit is the HTTP request of one answer. A person whose request failed
// sometimes taps again: with the same attempt id, as a browser's retry does.
func (p *people) submit(a inbox.Answer) {
	p.w.spawn("answer", func(ctx context.Context) error { return p.answering(ctx, a) }, func(x *proc) {
		if (x.err != nil || x.killed) && p.w.chance(50) {
			p.submit(a)
		}
	})
}

func (p *people) answering(ctx context.Context, a inbox.Answer) error {
	if a.Via != "slack" && a.Via != "feishu" {
		_, err := p.Resolve(ctx, a)
		return err
	}
	r, err := p.w.call(ctx, delivery.Delivery{Platform: a.Via, Event: "click", ID: a.Delivery, Answer: &a})
	if err == nil && r.Card != nil {
		p.shown(a, *r.Card)
	}
	return err
}

// shown is Feishu, which shows the card that its click was answered with,
// unless the message was changed to a newer one meanwhile.
func (p *people) shown(a inbox.Answer, card inbox.Card) {
	c := p.w.places[a.Via].cards[a.Shown.Message]
	p.w.counts["answered_with_card"]++
	if c == nil || c.deleted || c.card.Version > card.Version {
		return
	}
	c.card = card
}

// patience is how far the clock may jump in one operation.
var patience = []time.Duration{time.Second, 10 * time.Second, time.Minute, 2 * time.Minute, 3 * time.Minute, 11 * time.Minute}

// click is a listed person's tap on a card as it stands there.
func (p *people) click(platform string, c *shownCard) {
	p.w.ids++
	a := inbox.Answer{Item: c.card.Item, Choice: inbox.Deny, ID: fmt.Sprintf("a%d", p.w.ids), Via: platform, Shown: c.ref,
		Actor: actor.Actor{Provider: "slack", Workspace: "T1", ID: "U0", Name: "u0", Kind: actor.Human}}
	if platform == "feishu" {
		a.Actor = actor.Actor{Provider: "feishu", Workspace: "cli_1", ID: "ou_1", Kind: actor.Human}
	}
	x, err := p.w.clean.Item(context.Background(), a.Item)
	if err != nil || x == nil {
		panic(a.Item)
	}
	a.Digest, a.Delivery = x.Digest, a.ID
	c.clicked = true
	p.submit(a)
}
