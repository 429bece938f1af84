package store

import "testing"

// I23: what is said once is claimed by one, and kept as long as it could be
// rung again.
func TestSaid(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	x := Said{Key: "k", State: Sending, At: now, Lease: now}
	h.wins(SaveSaid(x))
	h.loses(0, SaveSaid(x))
	x = must2(h.Said(t.Context(), "k"))(t)
	x.State, x.Message = Visible, "m1"
	h.wins(SaveSaid(x))
	h.loses(0, SaveSaid(x))
	if got := must2(h.Said(t.Context(), "k"))(t); got.State != Visible || got.Message != "m1" || got.Version != 2 {
		t.Errorf("%+v", got)
	}
	if h.raw(saidKey("k"))["ttl"].Type == 0 {
		t.Error("it is kept for ever")
	}
	if x, err := h.Said(t.Context(), "nosuch"); x != nil || err != nil {
		t.Error(x, err)
	}
}
