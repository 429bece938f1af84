package simulation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
)

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
	if a.Shown.Message != "" && w.chance(10) {
		a.Choice, a.Text = inbox.Open, ""
	}
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
