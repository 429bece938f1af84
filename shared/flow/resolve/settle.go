package resolve

import (
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// itemAction is the place of the item in every settlement's actions.
const itemAction = 0

// Settlement is one item becoming terminal, by whatever cause: the item, its
// audit row, the mail to its session, the places that show it, the doorbells
// (I6). All terminal transitions go through it, expiry and cancellation
// included, so every card settles (I23).
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
	s := &Settlement{was: was, is: is, now: now, id: r.NewID()}
	if !is.Elsewhere && is.State != inbox.Cancelled {
		s.bells = append(s.bells, store.Bell{Ring: store.RingTurn, Session: is.Session, Correlation: is.Correlation})
	}
	for _, p := range is.Places {
		s.shows = append(s.shows, store.DueShown(is.ID, p, now))
		s.bells = append(s.bells, store.Bell{Ring: store.RingShow, Item: is.ID, Place: p, Correlation: is.Correlation})
	}
	return s
}

// clicked makes sure that the very message that was clicked is settled, even
// where its reference was never stored (I23).
func (s *Settlement) clicked(ref inbox.Reference, now time.Time) {
	for i, p := range s.is.Places {
		if p.Key() == ref.Place.Key() {
			s.shows[i] = store.ClickedShown(s.is.ID, ref, now)
			return
		}
	}
	s.shows = append(s.shows, store.ClickedShown(s.is.ID, ref, now))
	s.bells = append(s.bells, store.Bell{Ring: store.RingShow, Item: s.is.ID, Place: ref.Place, Correlation: s.is.Correlation})
}

// Actions is the whole settlement as one commit.
func (s *Settlement) Actions() []table.Action {
	x := s.is
	out := []table.Action{store.ResolveItem(x, s.now)}
	if !x.Elsewhere && x.State != inbox.Cancelled {
		out = append(out, store.NewMail(session.Mail{
			Session: x.Session, ID: store.MailID(s.now, s.id), Kind: session.Resolution, From: x.By, Item: x.ID, At: s.now,
		})...)
	}
	out = append(out, s.shows...)
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
