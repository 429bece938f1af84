package store

import (
	"fmt"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store/table"
)

// Rung is what one change of a row rings for: the doorbells that dispatch has
// to ring (O1).
type Rung struct {
	ID          string // of this change of this row, never used again: names the rings for deduplication (D5)
	Bells       []Bell
	Correlation string
	Close       *table.Action // closes the row once all are rung; nil where the row waits for more than that
}

// Rings reads what a change record rings for; nil if it rings for nothing.
//
// An outbox row rings when it is inserted, and is closed then. Items and calls
// ring by themselves, so that the commit that writes one needs no outbox row
// beside it: they stay in the open index until everybody has seen what they
// say, and the reconciler finds what a lost ring left (W8). The stream's filter
// lets these three kinds through.
func Rings(was, is table.Item) (*Rung, error) {
	switch is["kind"].Str {
	case "outbox":
		if len(was) > 0 {
			return nil, nil
		}
		o, err := read[Outbox](is)
		if err != nil {
			return nil, err
		}
		r := o.Rung()
		return &r, nil
	case "item":
		if len(was) > 0 && inbox.State(was["state"].Str) != inbox.Pending {
			return nil, nil
		}
		x, err := read[inbox.Item](is)
		if err != nil || len(was) > 0 && !x.State.Terminal() {
			return nil, err
		}
		return ringsOf(*x), nil
	case "call":
		a, err := read[session.Attempt](is)
		if err != nil || !inbox.Ended(string(a.State)) || inbox.Ended(was["state"].Str) || len(a.Places) == 0 {
			return nil, err
		}
		return &Rung{ID: fmt.Sprintf("%s-c%d", a.Item, a.Version), Bells: shows(a.Item, a.Places), Correlation: a.Correlation}, nil
	}
	return nil, nil
}

// Rung is what an outbox row rings for, when it is inserted.
func (o Outbox) Rung() Rung {
	shut := CloseOutbox(o)
	return Rung{ID: fmt.Sprintf("%s-%d", o.ID, o.Attempt), Bells: o.Bells, Correlation: o.Correlation, Close: &shut}
}

// ringsOf is what an item rings for: its places have to show that it was
// raised or settled, and once it is settled its session goes on.
func ringsOf(x inbox.Item) *Rung {
	r := Rung{ID: fmt.Sprintf("%s-%d", x.ID, x.Version), Correlation: x.Correlation}
	if !x.AgentKnows("") && x.State.Terminal() {
		r.Bells = append(r.Bells, Bell{Ring: RingTurn, Session: x.Session})
	}
	if r.Bells = append(r.Bells, shows(x.ID, x.Places)...); len(r.Bells) == 0 {
		return nil
	}
	return &r
}

func shows(item string, places []trigger.Place) []Bell {
	var out []Bell
	for _, p := range places {
		out = append(out, Bell{Ring: RingShow, Item: item, Place: p})
	}
	return out
}
