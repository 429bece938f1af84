package queue_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/local/queue"
)

var (
	ctx   = context.Background()
	start = time.Date(2026, 12, 1, 9, 0, 0, 123456789, time.UTC)
)

// world is an engine with a clock that stands still.
type world struct {
	*queue.Engine
	t     testing.TB
	clock *clock.Fake
	sent  int
}

func open(t testing.TB, path string, o queue.Options) *world {
	t.Helper()
	w := &world{t: t, clock: clock.NewFake(start)}
	w.reopen(path, o)
	return w
}

func (w *world) reopen(path string, o queue.Options) {
	w.t.Helper()
	e, err := queue.Open(path, w.clock, o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.Engine = e
	w.t.Cleanup(func() {
		if err := e.Close(); err != nil {
			w.t.Error(err)
		}
	})
}

// both runs a test in memory and on a file.
func both(t *testing.T, test func(t *testing.T, w *world)) {
	t.Parallel()
	for name, path := range map[string]string{"memory": queue.Memory, "file": filepath.Join(t.TempDir(), "q? #%41.db")} {
		t.Run(name, func(t *testing.T) { test(t, open(t, path, queue.Options{})) })
	}
}

// fifo sends to the triggers with an id of its own.
func (w *world) fifo(group, body string) {
	w.t.Helper()
	w.sent++
	w.send(doorbell.Message{Queue: doorbell.Triggers, Group: group, Dedup: fmt.Sprint("d", w.sent), Body: body})
}

func (w *world) send(m doorbell.Message) {
	w.t.Helper()
	if err := w.Send(ctx, m); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) receive(q string, max int) []queue.Received {
	w.t.Helper()
	got, err := w.Receive(ctx, q, max)
	if err != nil {
		w.t.Fatal(err)
	}
	return got
}

// gets receives from a queue and holds the bodies against what is wanted.
func (w *world) gets(q string, want ...string) []queue.Received {
	w.t.Helper()
	got := w.receive(q, 10)
	var bodies []string
	for _, r := range got {
		bodies = append(bodies, r.Body)
	}
	if fmt.Sprint(bodies) != fmt.Sprint(want) {
		w.t.Fatalf("received %v, want %v", bodies, want)
	}
	return got
}

func (w *world) deletes(r queue.Received, want bool) {
	w.t.Helper()
	if done, err := w.Delete(ctx, r.Receipt); err != nil || done != want {
		w.t.Fatalf("delete %s: %v %v, want %v", r.Body, done, err, want)
	}
}

func (w *world) hides(r queue.Received, d time.Duration, want bool) {
	w.t.Helper()
	if done, err := w.ChangeVisibility(ctx, r.Receipt, d); err != nil || done != want {
		w.t.Fatalf("hide %s: %v %v, want %v", r.Body, done, err, want)
	}
}

// due holds NextDue against what is wanted; zero is never.
func (w *world) due(want time.Time) {
	w.t.Helper()
	at, ok, err := w.NextDue(ctx)
	if err != nil || ok != !want.IsZero() || ok && at.Sub(want).Abs() > 2*time.Microsecond {
		w.t.Fatalf("next due %s %v %v, want %s", at, ok, err, want)
	}
}
