package turn

import (
	"testing"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// P25: a grant is spent under today's rules: a stop between the answer and the
// call, even in the very moment of spending, refuses it.
func TestP25_StoppedMeanwhile(t *testing.T) {
	t.Parallel()
	stop := func(h *house) {
		tk, err := h.Store.Ticket(h.t.Context(), "t1")
		if err != nil {
			h.t.Fatal(err)
		}
		x := *tk
		x.State, x.Ending, x.Mandate.Withdrawn = ticket.Ended, ticket.Stopped, true
		h.do(store.EndTicket(x)...)
	}
	for name, prepare := range map[string]func(h *house){
		"before the turn": stop,
		"while it is spent": func(h *house) {
			done := false
			h.table.refuse = func(tx table.Tx) bool {
				if !done && writes(tx, "call") {
					done = true
					stop(h)
				}
				return false
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, says(comment(1)))
			h.turn()
			h.answer(h.pending()[0], inbox.Allow, "")
			prepare(h)
			h.turn()
			h.turn() // whoever ends a ticket rings its turn
			if h.rests(session.Idle); len(h.ran) != 0 || !h.has("2.0 false: The call was not run: the ticket has ended") {
				t.Errorf("ran %v, %q", h.ran, h.steps())
			}
		})
	}
}

// P25: the grant is for one call by its item, digest and session; a second use
// finds the first.
func TestP25_SpentOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t, says(comment(1)))
	h.turn()
	x := h.pending()[0]
	h.answer(x, inbox.Allow, "")
	h.turn()
	a, err := h.Store.Attempt(t.Context(), "s1", x.ID, 2, 0)
	if err != nil || a == nil || a.State != session.Ran || a.Digest != x.Digest || a.Item != x.ID {
		t.Fatalf("%+v %v", a, err)
	}
	if lost, err := h.Store.Do(t.Context(), h.id(), store.NewAttempt(*a)); err != nil || lost == nil {
		t.Errorf("a grant was spent twice: %v", err)
	}
}

// P27: after a denial the same call is refused for the rest of the run without
// asking; identical calls of one message ask each (I3), and one denied twin is
// enough. Found by the simulation.
func TestP27_DeniedInThisRun(t *testing.T) {
	t.Parallel()
	h := newHouse(t, says(comment(1), comment(1)), says(comment(1)), says(comment(2)))
	h.turn()
	items := h.pending()
	if len(items) != 2 {
		t.Fatalf("%d items for two identical calls", len(items))
	}
	h.answer(items[0], inbox.Deny, "no")
	h.answer(items[1], inbox.Allow, "")
	h.turn()
	h.rests(session.Parked)
	if got := h.pending(); len(got) != 1 || got[0].Digest == items[0].Digest {
		t.Errorf("%+v", got)
	}
	if !h.has("2.0 false: A person denied this call: no.") || !h.has("5.0 false: A person denied this very call before in this run") || len(h.ran) != 1 {
		t.Errorf("ran %v, %q", h.ran, h.steps())
	}
}
