package store

import (
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

var cq = trigger.Place{Surface: "slack", Account: "T", Channel: "CQ"}

func (h *house) shown() Shown {
	h.t.Helper()
	return must2(h.Shown(h.t.Context(), "i1", cq))(h.t)
}

// I23: due, claimed, shown; becoming due never loses, and a claim or an end
// does if it became due meanwhile.
func TestShown(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.wins(NewShown("i1", cq, true, now))
	h.loses(0, NewShown("i1", cq, true, now))
	x := h.shown()
	if x.State != Due || x.Place != cq || x.Item != "i1" || x.Version != 1 {
		t.Fatalf("%+v", x)
	}
	x.State, x.Lease, x.Attempts = Sending, now.Add(time.Minute), 1
	h.wins(SaveShown(x))
	h.wins(DueShown("i1", cq, now.Add(time.Second))) // the item changed while it is posted
	x.Version++
	x.State, x.Message = Visible, "m1"
	h.loses(0, SaveShown(x))
	x = h.shown()
	if x.State != Due || x.Want != 1 || x.Attempts != 1 || !x.Lease.Equal(now.Add(time.Minute)) {
		t.Errorf("what is posted just now is forgotten: %+v", x)
	}
	h.wins(AgainShown(x, "", time.Time{}, now))
	h.wins(AgainShown(x, "", now.Add(time.Hour), now))
	if x = h.shown(); !x.Lease.Equal(now.Add(time.Minute)) {
		t.Errorf("another's claim was ended: %+v", x)
	}
	stale := x
	stale.Lease = now.Add(time.Hour)
	h.loses(0, AgainShown(stale, "", stale.Lease, now)) // claimed by another since
	h.wins(AgainShown(x, "m1", x.Lease, now))
	if x = h.shown(); x.State != Due || x.Message != "m1" || !x.Lease.IsZero() {
		t.Errorf("%+v", x)
	}
	x.State = Visible
	h.wins(SaveShown(x))
	rows, err := h.ShownOf(t.Context(), "i1")
	if err != nil || len(rows) != 1 || rows[0].State != Visible {
		t.Errorf("%+v %v", rows, err)
	}
}

// I23: a clicked message is kept beside the one on record, also where there is
// no row yet; a posted one never replaces it.
func TestShown_Also(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.wins(ClickedShown("i1", inbox.Reference{Place: cq, Message: "m1"}, now))
	x := h.shown()
	if x.Also != "m1" || x.Message != "" || x.State != Due || x.Place != cq {
		t.Fatalf("%+v", x)
	}
	h.wins(AgainShown(x, "m2", time.Time{}, now))
	x = h.shown()
	if x.Message != "m2" || x.Also != "m1" {
		t.Errorf("%+v", x)
	}
	h.wins(AgainShown(x, "m2", time.Time{}, now))
	h.wins(AgainShown(x, "m3", time.Time{}, now))
	if x := h.shown(); x.Message != "m2" || x.Also != "m3" {
		t.Errorf("%+v", x)
	}
	old := x
	old.Message = ""
	h.loses(0, AgainShown(old, "m4", time.Time{}, now)) // another was put on record since
}

// W8: a place waits for the reconciler until it shows what is.
func TestShown_Waits(t *testing.T) {
	t.Parallel()
	for state, waits := range map[string]int{Due: 1, Sending: 1, Visible: 0, Dropped: 0} {
		h := newHouse(t)
		h.wins(NewShown("i1", cq, true, now))
		x := h.shown()
		x.State = state
		h.wins(SaveShown(x))
		rows, err := h.Overdue(t.Context(), "show", now.Add(time.Second), 10)
		if err != nil || len(rows) != waits {
			t.Errorf("%s: %d %v", state, len(rows), err)
		}
		for _, r := range rows {
			if x, err := h.ShownRow(t.Context(), r.Key); err != nil || x == nil || x.Item != "i1" {
				t.Errorf("%+v %v", x, err)
			}
		}
	}
	h := newHouse(t)
	if x, err := h.ShownRow(t.Context(), itemKey("i1")); x != nil || err != nil {
		t.Error(x, err)
	}
}
