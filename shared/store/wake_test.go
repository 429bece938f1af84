package store

import (
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/wake"
)

// W2, W8: a wake is pending and found when it is overdue, then ends once.
func TestWake(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	w := wake.Wake{ID: "w1", Session: "s1", Kind: wake.Timer, At: now.Add(time.Hour), Note: "n", Generation: 1, Created: now}
	h.wins(NewWake(w))
	h.loses(0, NewWake(w))
	w = must2(h.Wake(t.Context(), "s1", "w1"))(t)
	if w.State != wake.Pending || !w.At.Equal(now.Add(time.Hour)) {
		t.Errorf("%+v", w)
	}
	overdue := func(at time.Time) int {
		rows, err := h.Overdue(t.Context(), "wake", at, 10)
		if err != nil {
			t.Fatal(err)
		}
		return len(rows)
	}
	if overdue(now) != 0 || overdue(now.Add(2*time.Hour)) != 1 {
		t.Errorf("%d, %d", overdue(now), overdue(now.Add(2*time.Hour)))
	}
	fired := w
	fired.State = wake.Fired
	h.wins(EndWake(fired))
	h.loses(0, EndWake(fired))
	cancelled := w
	cancelled.State = wake.Cancelled
	h.loses(0, EndWake(cancelled))
	if overdue(now.Add(2*time.Hour)) != 0 {
		t.Error("a fired wake is still found")
	}
	ws, err := h.Wakes(t.Context(), "s1")
	if err != nil || len(ws) != 1 || ws[0].State != wake.Fired {
		t.Errorf("%+v %v", ws, err)
	}
}
