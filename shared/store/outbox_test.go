package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/trigger"
)

// D5, O1: a row lists its doorbells, is closed when they are rung, and is
// swapped for a new one where nobody moved it; its key is never used again.
func TestOutbox(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	bell := Bell{Ring: RingSay, Session: "s", Place: trigger.Place{Surface: "slack", Channel: "C"}, Text: "a\n<b>", Key: "k", At: now, Generation: 2}
	o := Outbox{ID: "o1", Bells: []Bell{bell}, Correlation: "c", Created: now}
	h.wins(NewOutbox(o))
	h.loses(0, NewOutbox(o))
	if rows, err := h.StuckOutbox(t.Context(), now.Add(-time.Millisecond), 10); err != nil || len(rows) != 0 {
		t.Errorf("younger than asked for: %+v %v", rows, err)
	}
	rows, err := h.StuckOutbox(t.Context(), now.Add(time.Second), 10)
	if err != nil || len(rows) != 1 || rows[0].Bells[0] != bell {
		t.Fatalf("%+v %v", rows, err)
	}
	h.wins(ReopenOutbox(rows[0])...)
	if lost := h.commit(ReopenOutbox(rows[0])...); lost == nil || !lost.By(0) {
		t.Errorf("swapped twice: %+v", lost)
	}
	again, err := h.StuckOutbox(t.Context(), now.Add(time.Second), 10)
	if err != nil || len(again) != 1 || again[0].Attempt != 1 || outboxKey(again[0]) == outboxKey(o) {
		t.Fatalf("%+v %v", again, err)
	}
	h.wins(CloseOutbox(again[0]))
	h.wins(CloseOutbox(again[0])) // no loss
	if b, err := DecodeBell(bell.Encode()); err != nil || b != bell {
		t.Errorf("%+v %v", b, err)
	}
}

// D11: rows are found over all shards, at most so many of each.
func TestStuckOutbox(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for i := range 40 {
		h.wins(NewOutbox(Outbox{ID: fmt.Sprint("o", i), Created: now}))
	}
	if rows, err := h.StuckOutbox(t.Context(), now.Add(time.Second), 100); err != nil || len(rows) != 40 {
		t.Errorf("%d %v", len(rows), err)
	}
	if rows, err := h.StuckOutbox(t.Context(), now.Add(time.Second), 1); err != nil || len(rows) != Shards {
		t.Errorf("%d %v", len(rows), err)
	}
}
