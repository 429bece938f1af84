package local

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// rung is a queue that keeps what it is sent.
type rung struct {
	mu   sync.Mutex
	got  []doorbell.Message
	then func(n int) // after so many
}

func (q *rung) Send(ctx context.Context, m doorbell.Message) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	q.got = append(q.got, m)
	if q.then != nil {
		q.then(len(q.got))
	}
	return nil
}

func opened(t *testing.T, dir string) (*Runtime, *rung) {
	t.Helper()
	r, err := Open(Config{Dir: dir, Clock: clock.NewFake(noon), Log: slog.New(slog.DiscardHandler), LinkKey: make([]byte, 32), PublicURL: "http://127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	q := &rung{}
	r.Dispatch.Queue = q
	return r, q
}

// words writes outbox rows that say something at one of three places.
func words(t *testing.T, r *Runtime, from, to int) {
	t.Helper()
	var actions []table.Action
	for i := from; i < to; i++ {
		o := store.Outbox{ID: fmt.Sprintf("o%06d", i), Created: noon, Bells: []store.Bell{{Ring: store.RingSay, Key: fmt.Sprintf("%06d", i),
			Place: trigger.Place{Surface: "slack", Account: "T1", Channel: fmt.Sprint("C", i%3)}}}}
		if actions = append(actions, store.NewOutbox(o)); len(actions) == table.MaxActions || i == to-1 {
			if lost, err := r.Store.Do(t.Context(), o.ID, actions...); err != nil || lost != nil {
				t.Fatal(lost, err)
			}
			actions = nil
		}
	}
}

// drained reads until nothing new is there and then, as once it is quiet,
// keeps the place until nothing more is trimmed.
func drained(t *testing.T, s *reader) {
	t.Helper()
	for n := 1; n > 0; {
		var err error
		if n, err = s.read(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		if err := s.keep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func begun(t *testing.T, r *Runtime) *reader {
	t.Helper()
	s, err := r.reader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// kept counts the change records that the table still has.
func kept(t *testing.T, r *Runtime) int {
	t.Helper()
	changes, _, err := r.DB.Changes(t.Context(), "", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return len(changes)
}

// O1, D5: rows for one place are moved in the order they came, though rows are
// moved side by side.
func TestStreamOrder(t *testing.T) {
	t.Parallel()
	r, q := opened(t, "")
	defer r.Close()
	words(t, r, 0, 300)
	drained(t, begun(t, r))
	if len(q.got) != 300 {
		t.Fatalf("%d rung of 300", len(q.got))
	}
	last := map[string]string{}
	for _, m := range q.got {
		b, err := store.DecodeBell(m.Body)
		if err != nil || b.Key <= last[m.Group] {
			t.Fatalf("%s after %s: %v", b.Key, last[m.Group], err)
		}
		last[m.Group] = b.Key
	}
}

// The feed is trimmed of what its reader has passed, some at a time, and comes
// to rest; over a restart nothing is lost and nothing of it is moved again.
func TestStreamTrims(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, q := opened(t, dir)
	words(t, r, 0, 600)
	if n := kept(t, r); n < 600 {
		t.Fatalf("%d records before", n)
	}
	s := begun(t, r)
	drained(t, s)
	if n := kept(t, r); n > 3 {
		t.Errorf("%d records are kept of 1200 that were passed", n)
	}
	at := kept(t, r)
	drained(t, s) // quiet: nothing to read but its own place
	drained(t, s)
	if n := kept(t, r); n != at {
		t.Errorf("%d records at rest, %d a while later", at, n)
	}
	words(t, r, 600, 650) // written, and the process dies before it reads them
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r, again := opened(t, dir)
	defer r.Close()
	drained(t, begun(t, r))
	if len(q.got) != 600 || len(again.got) != 50 {
		t.Errorf("%d rung before the restart, %d after it; want 600 and 50", len(q.got), len(again.got))
	}
	if n := kept(t, r); n > 3 {
		t.Errorf("%d records are kept after the restart", n)
	}
}

// D5: told to stop in the middle, the reader keeps the place before what it did
// not finish; a long feed of an earlier version is trimmed too.
func TestStreamStopped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, q := opened(t, dir)
	words(t, r, 0, 700) // more than it reads at once
	ctx, stop := context.WithCancel(t.Context())
	q.then = func(n int) {
		if n == 600 {
			stop()
		}
	}
	if err := r.stream(ctx); err != context.Canceled {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r, again := opened(t, dir)
	defer r.Close()
	drained(t, begun(t, r))
	rung := map[string]bool{}
	for _, m := range append(q.got, again.got...) {
		rung[m.Dedup] = true
	}
	if len(rung) != 700 || len(again.got) < 100 || len(again.got) > 210 {
		t.Errorf("%d rows rung of 700, %d after the restart", len(rung), len(again.got))
	}
	if n := kept(t, r); n > 3 {
		t.Errorf("%d records are kept", n)
	}
}
