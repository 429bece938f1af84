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
	var who []string
	if !x.State.Terminal() {
		p, err := d.Store.Policy(ctx)
		if err != nil {
			return nil, err
		}
		who = mentions(p, x.Queue, at)
	}
	row := w.At(at)
	c := inbox.Present(*x, *w.Body, row != nil && row.Private, w.Ran(), who, d.ButtonKey, d.Link(x.ID))
	return &c, nil
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
