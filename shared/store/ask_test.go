package store

import "testing"

// I3: what was asked for a digest in a run, written conditionally on its
// version: of two that ask at once one has to look again.
func TestAsks(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a, err := h.Asks(t.Context(), "s1", "r1", "d1")
	if err != nil || a.Version != 0 || len(a.Entries) != 0 {
		t.Fatalf("%+v %v", a, err)
	}
	a.Entries = []Ask{{Step: 2, Pos: 0, Item: "i1"}}
	h.wins(SaveAsks(a))
	h.loses(0, SaveAsks(a))
	b, err := h.Asks(t.Context(), "s1", "r1", "d1")
	if err != nil || b.Version != 1 || b.Entries[0].Item != "i1" {
		t.Fatalf("%+v %v", b, err)
	}
	b.Entries = append(b.Entries, Ask{Step: 4, Item: "i2"})
	h.wins(SaveAsks(b))
	h.loses(0, SaveAsks(b))
	for _, other := range [][3]string{{"s2", "r1", "d1"}, {"s1", "r2", "d1"}, {"s1", "r1", "d2"}} {
		if x, err := h.Asks(t.Context(), other[0], other[1], other[2]); err != nil || len(x.Entries) != 0 {
			t.Errorf("%v: %+v %v", other, x, err)
		}
	}
}
