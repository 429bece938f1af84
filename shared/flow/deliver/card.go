package deliver

import (
	"context"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// Card makes the card that shows an item's present state at a place; nil if
// the item is gone.
func (d *Deliverer) Card(ctx context.Context, item string, at trigger.Place) (*inbox.Card, error) {
	x, b, err := d.Store.ItemAndBody(ctx, item)
	if err != nil || x == nil || b == nil {
		return nil, err
	}
	p, err := d.Store.Policy(ctx)
	if err != nil {
		return nil, err
	}
	ran := ""
	if x.State == inbox.Approved && x.Tool != "" {
		a, err := d.Store.Attempt(ctx, x.Session, x.ID, x.Step, x.Pos)
		if err != nil {
			return nil, err
		}
		if a != nil {
			ran = string(a.State)
		}
	}
	c := inbox.Present(*x, *b, private(p, x.Queue, at), ran, mentions(p, x.Queue, at), d.ButtonKey, d.Link(x.ID))
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
