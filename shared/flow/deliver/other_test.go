package deliver

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/store"
)

// A claim that died holds its place for one call's time, then posts again.
func TestDeadClaim(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	row := h.row()
	row.State, row.Lease, row.Attempts = store.Sending, h.now.Add(SendTime), 1
	h.do(store.SaveShown(row))
	ring := store.Bell{Ring: store.RingShow, Item: h.x.ID, Place: h.at}.Encode()
	if err := h.Hear(t.Context(), ring); err == nil {
		t.Fatal("a claim was passed over")
	}
	h.now = h.now.Add(SendTime)
	h.show()
	if len(h.board.posts) != 1 {
		t.Errorf("%d posts", len(h.board.posts))
	}
}

// What cannot be shown is given up with its reason, and minds nothing (G52).
func TestNothingToShow(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.Surfaces = map[string]Surface{}
	h.show()
	if r := h.row(); r.State != store.Dropped || !strings.Contains(r.Error, "not configured") {
		t.Errorf("%+v", r)
	}
	if err := h.Show(t.Context(), "nosuch", h.at); err != nil {
		t.Error(err)
	}
	if err := h.Hear(t.Context(), `{"ring":"hum"}`); err == nil {
		t.Error("an unknown ring")
	}
	if err := h.Hear(t.Context(), `{`); err == nil {
		t.Error("an unreadable ring")
	}
}

// Said once by its key, told to one person, tried again when busy.
func TestSay(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	say := store.Bell{Ring: store.RingSay, Place: h.at, Text: "On it.", Key: "k1"}.Encode()
	h.board.fail = busy
	if err := h.Hear(t.Context(), say); !errors.Is(err, busy) {
		t.Fatal(err)
	}
	h.now = h.now.Add(time.Millisecond)
	for range 3 {
		if err := h.Hear(t.Context(), say); err != nil {
			t.Fatal(err)
		}
	}
	tell := store.Bell{Ring: store.RingTell, Place: h.at, User: ada.Ref(), Text: "No.", Key: "k2"}.Encode()
	nobody := store.Bell{Ring: store.RingTell, Place: h.at, User: "?", Text: "No.", Key: "k3"}.Encode()
	for _, b := range []string{tell, tell, nobody} {
		if err := h.Hear(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	if len(h.board.said) != 1 || len(h.board.told) != 1 || h.board.told[0] != "slack:T1/U1: No." {
		t.Errorf("said %v, told %v", h.board.said, h.board.told)
	}
	h.board.during = func() {
		if err := h.Hear(context.Background(), store.Bell{Ring: store.RingSay, Place: h.at, Text: "x", Key: "k4"}.Encode()); err == nil {
			t.Error("said twice at once")
		}
	}
	if err := h.Hear(t.Context(), store.Bell{Ring: store.RingSay, Place: h.at, Text: "x", Key: "k4"}.Encode()); err != nil {
		t.Error(err)
	}
}
