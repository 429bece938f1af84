package resolve

import (
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// itemAction is the place of the item in every settlement's actions.
const itemAction = 0

// Settlement is one item becoming terminal, by whatever cause: the item and its
// audit row (I6). The item is its own entry in its session's mailbox and its
// own outbox row: it rings for the turn and for each place that shows it
// (store.Rings), and stays open until both have seen it. All terminal
// transitions go through here, expiry and cancellation included, so every card
// settles (I23).
type Settlement struct {
	Evidence string

	was, is inbox.Item
	now     time.Time
	id      string
	shows   []table.Action
	bells   []store.Bell
}

// Settle begins the settlement of was into is.
func (r *Resolver) Settle(was, is inbox.Item, now time.Time) *Settlement {
	return &Settlement{was: was, is: is, now: now, id: r.NewID()}
}

// clicked makes sure that the very message that was clicked is settled, even
// where its reference was never stored (I23).
func (s *Settlement) clicked(all store.Whole, ref inbox.Reference) {
	if ref.Message == "" {
		return
	}
	if at := all.At(ref.Place); at != nil && at.Knows(ref.Message) {
		return
	}
	s.shows = append(s.shows, store.ClickedShown(s.is.ID, ref, s.now))
	for _, p := range s.is.Places {
		if p.Key() == ref.Place.Key() {
			return // the item rings for it
		}
	}
	s.bells = append(s.bells, store.Bell{Ring: store.RingShow, Item: s.is.ID, Place: ref.Place, Correlation: s.is.Correlation})
}

// Actions is the whole settlement as one commit.
func (s *Settlement) Actions() []table.Action {
	x := s.is
	out := append([]table.Action{store.ResolveItem(x, s.now)}, s.shows...)
	out = append(out, store.NewAudit(store.Audit{
		ID: s.id, Chain: "session#" + x.Session, What: "resolved", Actor: x.By, Via: x.Via, Delivery: x.Delivery,
		Item: x.ID, Tool: x.Tool, Digest: x.Digest, Policy: x.Policy, Was: string(s.was.State), Is: string(x.State),
		Reason: x.Reason, Evidence: s.Evidence, At: s.now,
	}))
	if len(s.bells) > 0 {
		out = append(out, store.NewOutbox(store.Outbox{ID: s.id, Bells: s.bells, Correlation: x.Correlation, Created: s.now}))
	}
	return out
}
