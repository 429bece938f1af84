package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/local/queue"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
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

// cursorKey is where the stream's reader keeps its place.
var cursorKey = table.Key{PK: "local", SK: "stream"}

// stream brings inserted outbox rows to dispatch, as the table's stream does
// on AWS. Its place is stored after the rows were moved: after a kill some are
// moved twice, which nothing minds (D5).
func (r *Runtime) stream(ctx context.Context) error {
	row, err := r.DB.Get(ctx, cursorKey)
	if err != nil {
		return err
	}
	cursor := row["at"].Str
	for {
		changes, next, err := r.DB.Changes(ctx, cursor, 500)
		if err != nil {
			return fmt.Errorf("read the change feed: %w", err)
		}
		moved := 0
		for _, c := range changes {
			moved += r.move(ctx, c)
		}
		cursor = next
		if moved > 0 {
			if err := r.keep(ctx, cursor); err != nil {
				return err
			}
		}
		if len(changes) > 0 {
			continue
		}
		select {
		case <-r.changed:
		case <-r.Clock.After(time.Second): // a second process may have written: postern policy, wake, login
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r *Runtime) move(ctx context.Context, c table.Change) int {
	if c.Old != nil || c.New == nil {
		return 0
	}
	o, err := store.DecodeOutbox(c.New)
	if err != nil {
		r.Log.Error("outbox row unreadable", "error", err)
		return 0
	}
	if o == nil {
		return 0
	}
	r.Dispatch.Move(ctx, *o)
	return 1
}

func (r *Runtime) keep(ctx context.Context, cursor string) error {
	_, err := r.DB.Commit(ctx, table.Tx{Token: newID(), Actions: []table.Action{{
		Verb: table.Put, Key: cursorKey, Item: table.Item{"at": table.Str(cursor), "kind": table.Str("local")}}}})
	return err
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
