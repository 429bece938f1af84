package store

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/store/sqlite"
	"github.com/postern-dev/postern/shared/store/table"
)

// house is the rows on an empty table of the embedded engine.
type house struct {
	*Store
	t      *testing.T
	db     *sqlite.DB
	cursor string // of the change feed, for rung
	ids    int
}

var now = time.Date(2026, 3, 1, 9, 0, 0, 123_000_000, time.UTC)

func newHouse(t *testing.T) *house {
	t.Helper()
	db, err := sqlite.Open(sqlite.Memory, sqlite.WithClock(func() time.Time { return now }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return &house{Store: New(db), t: t, db: db}
}

func (h *house) commit(actions ...table.Action) *Lost {
	h.t.Helper()
	h.ids++
	lost, err := h.Do(context.Background(), fmt.Sprint("t", h.ids), actions...)
	if err != nil {
		h.t.Fatal(err)
	}
	return lost
}

// wins fails the test unless a commit wins.
func (h *house) wins(actions ...table.Action) {
	h.t.Helper()
	if lost := h.commit(actions...); lost != nil {
		h.t.Fatalf("lost: %+v", lost)
	}
}

// loses fails the test unless a commit loses by exactly its i-th action.
func (h *house) loses(i int, actions ...table.Action) *Lost {
	h.t.Helper()
	lost := h.commit(actions...)
	if lost == nil || len(lost.All) != 1 || !lost.By(i) {
		h.t.Fatalf("it should have lost by action %d: %+v", i, lost)
	}
	return lost
}

// must gives what a read gave, and fails the test if it failed or gave nothing.
func must[T any](t *testing.T, v *T, err error) T {
	t.Helper()
	if err != nil || v == nil {
		t.Fatalf("read: %v, %v", v, err)
	}
	return *v
}

// raw is a row as it is stored.
func (h *house) raw(k table.Key) table.Item {
	h.t.Helper()
	it, err := h.db.Get(context.Background(), k)
	if err != nil {
		h.t.Fatal(err)
	}
	return it
}
