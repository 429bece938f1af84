package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/local/queue"
	"github.com/postern-dev/postern/shared/store"
)

// Run pumps queues, stream and reconciler until ctx ends. What was received
// and not finished is delivered again at the next start.
func (r *Runtime) Run(ctx context.Context) error {
	if err := r.Queue.Release(ctx); err != nil {
		return fmt.Errorf("release what an earlier process held: %w", err)
	}
	for q := range r.handlers() {
		// Killed again and again, a message may have used up its receives
		// without being to blame: every start gives it another chance.
		if _, err := r.Queue.Redrive(ctx, q, 1000); err != nil {
			return fmt.Errorf("redrive %s: %w", q, err)
		}
	}
	if err := r.breakLeases(ctx); err != nil {
		return fmt.Errorf("end the leases of an earlier process: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	fail := make(chan error, 3)
	go func() { fail <- r.Queue.Run(ctx, r.handlers(), nil) }()
	go func() { fail <- r.stream(ctx) }()
	go func() { fail <- r.reconcile(ctx) }()
	var errs []error
	for range 3 {
		err := <-fail
		stop()
		if err != nil && !errors.Is(err, context.Canceled) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// breakLeases ends what an earlier process held when it died: there is one
// process to a directory, so nobody else holds a lease. On AWS a dead turn's
// lease runs out instead.
func (r *Runtime) breakLeases(ctx context.Context) error {
	held, err := r.Store.Overdue(ctx, "lease", r.Clock.Now().Add(time.Second), 1000)
	if err != nil {
		return err
	}
	for _, h := range held {
		l, err := r.Store.Lease(ctx, h.SessionOf())
		if err != nil {
			return err
		}
		if l == nil || l.Holder == "" {
			continue // given back: what it waits for rings it
		}
		if _, err := r.Store.Do(ctx, newID(), store.BreakLease(*l)); err != nil {
			return err
		}
	}
	return nil
}

func (r *Runtime) handlers() map[string]queue.Handler {
	hear := func(f func(context.Context, string) error) queue.Handler {
		return func(ctx context.Context, m queue.Received) error { return f(ctx, m.Body) }
	}
	return map[string]queue.Handler{
		doorbell.Triggers: hear(r.Gate.Hear),
		doorbell.Turns:    hear(r.Turns.Hear),
		doorbell.Outbound: hear(r.Deliver.Hear),
		doorbell.Wakes:    hear(r.Waker.Hear),
	}
}

func (r *Runtime) reconcile(ctx context.Context) error {
	for {
		select {
		case <-r.Clock.After(r.Reconcile):
		case <-ctx.Done():
			return ctx.Err()
		}
		if _, err := r.Waker.Reconcile(ctx); err != nil {
			r.Log.Error("reconciler", "error", err)
		}
	}
}
