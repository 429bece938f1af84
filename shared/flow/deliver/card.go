package deliver

import (
	"context"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store"
)

// Card makes the card that shows an item's present state at a place; nil if
// the item is gone.
func (d *Deliverer) Card(ctx context.Context, item string, at trigger.Place) (*inbox.Card, error) {
	w, err := d.Store.Whole(ctx, item)
	if err != nil {
		return nil, err
	}
	return d.card(ctx, w, at)
}

func (d *Deliverer) card(ctx context.Context, w store.Whole, at trigger.Place) (*inbox.Card, error) {
	x := w.Item
	if x == nil || w.Body == nil {
		return nil, nil
	}
	p, err := d.Store.Policy(ctx)
	if err != nil {
		return nil, err
	}
	c := inbox.Present(*x, *w.Body, private(p, x.Queue, at), w.Ran(), mentions(p, x.Queue, at), d.ButtonKey, d.Link(x.ID))
	return &c, nil
}

// private reports whether only those who may answer read at a place (I22). A
// question asked where the work came from shows its text there: it is said to
// the people of that Thread.
func private(p policy.Policy, queue string, at trigger.Place) bool {
	for _, b := range p.Places(queue) {
		if b.Surface == at.Surface && b.Account == at.Account && b.Channel == at.Channel {
			return b.Private
		}
	}
	return at.Thread != ""
}

// mentions are those who may answer, as far as the surface knows them (I10).
func mentions(p policy.Policy, queue string, at trigger.Place) []string {
	refs, _ := p.Approvers(queue)
	var out []string
	prefix := at.Surface + ":" + at.Account + "/"
	for _, r := range refs {
		if len(r) > len(prefix) && r[:len(prefix)] == prefix {
			out = append(out, r)
		}
	}
	return out
}
