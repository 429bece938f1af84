package simulation

import (
	"context"

	"fmt"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/flow/ingest"
)

// people write messages and answer items. U0 and U1 are listed and may
// answer; U2 and U3 are strangers. They remember what they were told.
type people struct {
	w       *World
	posted  []trigger.Trigger
	answers []*answered
	ts      int
	items   []string // items that somebody has seen on a card or in the panel
}

// answered is one answer and what its giver was told.
type answered struct {
	inbox.Answer
	result inbox.Result
	item   *inbox.Item
}

func newPeople(w *World) *people { return &people{w: w} }

// write makes somebody post a message: a new thread, or a reply in one.
func (p *people) write() {
	w := p.w
	p.ts++
	ts := fmt.Sprintf("%d.%06d", 1000+p.ts, p.ts)
	thread := ts
	if len(p.posted) > 0 && w.chance(40) {
		thread = p.posted[w.rng.IntN(len(p.posted))].Thread.Thread
	}
	user := w.rng.IntN(4)
	named := trigger.Mention
	if w.chance(30) {
		named = trigger.NotAt
	}
	t := trigger.Trigger{
		Platform: "slack", Account: "T1", Kind: "channel",
		Thread: trigger.Place{Surface: "slack", Account: "T1", Channel: "C1", Thread: thread},
		Sender: actor.Actor{Provider: "slack", Workspace: "T1", ID: fmt.Sprintf("U%d", user), Name: fmt.Sprintf("u%d", user), Kind: actor.Human},
		Named:  named, Text: p.plan(), ID: "slack:A1:T1:C1:" + ts, Message: ts, Delivery: "Ev" + ts, Event: "message", At: w.now,
	}
	p.posted = append(p.posted, t)
	p.send(t)
	for w.chance(20) { // Slack sends it again, or as its other event
		again := t
		again.Delivery += "x"
		if named == trigger.Mention && w.chance(50) {
			again.Event = "app_mention"
		}
		p.send(again)
	}
}

// send is the webhook: it is answered, and the sender tries again if it failed.
func (p *people) send(t trigger.Trigger) {
	w := p.w
	var try func(n int)
	try = func(n int) {
		w.spawn("ingress", func(ctx context.Context) error { return w.queue.Send(ctx, ingest.Message(t)) }, func(x *proc) {
			if x.err != nil || x.killed {
				try(n + 1)
			}
		})
	}
	try(0)
}

// plan is what the message asks the agent to do: messages separated by ";",
// calls of one message by "+". Each act has a text of its own.
func (p *people) plan() string {
	w := p.w
	var messages []string
	for range 1 + w.rng.IntN(3) {
		var calls []string
		for range 1 + w.rng.IntN(3) {
			w.ids++
			switch w.rng.IntN(6) {
			case 0, 1:
				calls = append(calls, fmt.Sprintf("act %d", w.ids))
			case 2:
				calls = append(calls, fmt.Sprintf("read %d", w.ids))
			case 3:
				calls = append(calls, fmt.Sprintf("ask %d", w.ids))
			case 4:
				calls = append(calls, fmt.Sprintf("sleep %d", []int{0, 5, 60, 300, 4000}[w.rng.IntN(5)]))
			case 5:
				calls = append(calls, "same") // the same call again and again (P27, I3)
			}
		}
		messages = append(messages, strings.Join(calls, "+"))
	}
	return "plan:" + strings.Join(messages, ";")
}

// answer makes one to four people answer one item at once, from the card, the
// panel and the API; some are strangers, some hold an old digest, some answer
// what was settled long ago.
func (p *people) answer() {
	w := p.w
	p.look()
	if len(p.items) == 0 {
		return
	}
	id := p.items[len(p.items)-1-min(len(p.items)-1, w.rng.IntN(6))]
	if w.chance(10) {
		id = p.items[w.rng.IntN(len(p.items))]
	}
	for range 1 + w.rng.IntN(4) {
		p.one(id)
	}
}

func (p *people) one(id string) {
	w := p.w
	x, err := w.clean.Item(context.Background(), id)
	if err != nil || x == nil {
		panic(fmt.Sprint("an item on a card is not in the table: ", id, err))
	}
	w.ids++
	a := inbox.Answer{Item: id, Digest: x.Digest, Choice: []string{inbox.Allow, inbox.Allow, inbox.Deny}[w.rng.IntN(3)], ID: fmt.Sprintf("a%d", w.ids)}
	if x.Kind == inbox.Question {
		a.Choice, a.Text = "", "because "+a.ID
		if strings.HasPrefix(x.Title, "Did this happen") {
			a.Choice = []string{"o1", "o2"}[w.rng.IntN(2)]
		}
	}
	user := w.rng.IntN(3)
	a.Actor = actor.Actor{Provider: "slack", Workspace: "T1", ID: fmt.Sprintf("U%d", user), Name: fmt.Sprintf("u%d", user), Kind: actor.Human}
	a.Via, a.Delivery = "slack", a.ID
	if ref, ok := w.places.find(id); ok {
		a.Shown = ref
	}
	if w.chance(30) {
		a.Actor, a.Via, a.Shown = actor.Actor{Provider: "panel", ID: "ada", Name: "Ada", Kind: actor.Human}, "panel", inbox.Reference{}
	}
	if w.chance(5) {
		a.Digest = "stale"
	}
	if w.chance(3) {
		a.Actor.Kind = actor.Key // an agent's key must never answer (I13)
	}
	p.submit(a)
}

// submit is the HTTP request of one answer. A person whose request failed
// sometimes taps again: with the same attempt id, as a browser's retry does.
func (p *people) submit(a inbox.Answer) {
	w := p.w
	got := &answered{Answer: a}
	p.answers = append(p.answers, got)
	w.spawn("answer", func(ctx context.Context) error {
		out, err := w.resolver.Resolve(ctx, a)
		if err == nil {
			got.result, got.item = out.Result, out.Item
		}
		return err
	}, func(x *proc) {
		if (x.err != nil || x.killed) && w.chance(50) {
			p.submit(a)
		}
	})
}

// look makes people see the items that wait.
func (p *people) look() {
	items, _, err := p.w.clean.PendingItems(context.Background(), "", 20)
	if err != nil {
		panic(err)
	}
	for _, x := range items {
		if !contains(p.items, x.ID) {
			p.items = append(p.items, x.ID)
		}
	}
}

func contains(list []string, s string) bool {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == s {
			return true
		}
	}
	return false
}

// patience is how far the clock may jump in one operation.
var patience = []time.Duration{time.Millisecond, time.Second, 10 * time.Second, time.Minute, 3 * time.Minute}
