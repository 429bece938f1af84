package simulation

import (
	"context"
	"fmt"
	"time"
)

// Run lets the world live for n operations, then lets it come to rest.
func (w *World) Run(n int) error {
	for range n {
		w.operation()
	}
	return w.settle()
}

// operation is one thing that happens.
func (w *World) operation() {
	w.queue.ring()
	w.stream()
	switch r := w.rng.IntN(1000); {
	case r < 12:
		w.people.write()
	case r < 30:
		w.people.answer()
	case r < 45:
		w.now = w.now.Add(patience[w.rng.IntN(len(patience))])
	case r < 47:
		w.reconcile()
	case r < 50 && len(w.procs) > 0:
		w.step(w.rng.IntN(len(w.procs)), false)
	case r < 260:
		if ms := w.queue.deliverable(); len(ms) > 0 {
			w.queue.receive(ms[w.rng.IntN(len(ms))])
		}
	case len(w.procs) > 0:
		w.step(w.rng.IntN(len(w.procs)), true)
	default:
		w.now = w.now.Add(time.Duration(w.rng.IntN(1000)) * time.Millisecond)
	}
}

func (w *World) reconcile() {
	w.spawn("reconcile", func(ctx context.Context) error { _, err := w.waker.Reconcile(ctx); return err }, func(*proc) {})
}

// settle ends the faults and lets the clock run, with the reconciler every
// five minutes, until nothing moves for a while. What is still wrong then is
// wrong for ever.
func (w *World) settle() error {
	w.calm = true
	quiet := 0
	for round := 0; quiet < 40; round++ {
		if round > 200_000 {
			return fmt.Errorf("the world does not come to rest: %d processes, %d messages", len(w.procs), len(w.queue.msgs))
		}
		w.queue.ring()
		moved := w.stream()
		for len(w.procs) > 0 {
			w.step(w.rng.IntN(len(w.procs)), true)
			moved = true
		}
		for _, m := range w.queue.deliverable() {
			w.queue.receive(m)
			moved = true
		}
		if moved {
			quiet = 0
			continue
		}
		if at, ok := w.queue.next(); ok && at.Sub(w.now) < 5*time.Minute {
			w.now = maxTime(w.now.Add(time.Millisecond), at)
			quiet = 0
			continue
		}
		w.now = w.now.Add(5 * time.Minute)
		w.reconcile()
		for len(w.procs) > 0 {
			w.step(0, true)
		}
		if !w.stream() && len(w.queue.deliverable()) == 0 && len(w.procs) == 0 {
			quiet++
		} else {
			quiet = 0
		}
	}
	return nil
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Close lets go of what the world holds.
func (w *World) Close() error { return w.db.Close() }
