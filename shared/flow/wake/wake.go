// Package wake fires wakes and finds what should have happened and did not
// (W2, W8).
//
// A ring says only "look": the wake's row decides whether it counts, never the
// clock. It runs no turn and calls no provider; turns are rung by the outbox.
package wake

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/wake"
	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/store"
)

// Waker fires wakes and reconciles.
type Waker struct {
	Store    *store.Store
	Resolver *resolve.Resolver // expires items that are overdue
	Now      func() time.Time
	NewID    func() string
	Log      *slog.Logger
	Count    func(name, label string)
	Gauge    func(name string, value float64) // nil: not measured
	// GitHub asks for what GitHub could not deliver. It is made for each pass,
	// so that a missing key holds up no timer; nil, and nil from it: no App.
	GitHub func(context.Context) (Redeliverer, error)
}

// Hear takes one ring of the wakes queue. An error means: ring again later.
func (w *Waker) Hear(ctx context.Context, body string) error {
	b, err := store.DecodeBell(body)
	if err != nil {
		return err
	}
	if b.Wake == "" {
		return w.ringTurn(ctx, b.Session, b.Correlation)
	}
	_, err = w.Fire(ctx, b.Session, b.Wake)
	return err
}

// Fire fires one wake, once: the wake's row, the mail and the doorbell are one
// transaction (W2). It reports whether this call did it.
func (w *Waker) Fire(ctx context.Context, sid, id string) (bool, error) {
	x, err := w.Store.Wake(ctx, sid, id)
	if err != nil || x == nil || x.State != wake.Pending {
		return false, err
	}
	s, err := w.Store.Session(ctx, sid)
	if err != nil {
		return false, err
	}
	now, uid := w.Now(), w.NewID()
	if s == nil || s.Deleted || s.Generation != x.Generation {
		return false, w.unrouted(ctx, *x, now, uid)
	}
	fired := *x
	fired.State = wake.Fired
	clock := actor.Actor{Provider: "postern", ID: "timer", Name: "timer", Kind: actor.Timer}
	actions := append(store.NewMail(session.Mail{
		Session: sid, ID: store.MailID(now, uid), Kind: session.Woke, From: clock, Wake: id, Text: x.Note, At: now,
	}), store.EndWake(fired),
		store.NewAudit(store.Audit{ID: uid, Chain: "session#" + sid, What: "woke", Actor: clock, Via: "timer",
			Was: string(wake.Pending), Is: string(wake.Fired), Reason: x.Note, At: now}),
		store.NewOutbox(store.Outbox{ID: uid, Created: now, Correlation: s.Correlation,
			Bells: []store.Bell{{Ring: store.RingTurn, Session: sid}}}))
	lost, err := w.Store.Do(ctx, uid, actions...)
	if err != nil {
		return false, fmt.Errorf("fire wake %s: %w", id, err)
	}
	if lost == nil {
		w.Log.Info("woken", "session", sid, "wake", id, "correlation", s.Correlation)
	}
	return lost == nil, nil // lost: another ring fired it, or the session is being deleted
}

// unrouted ends a wake whose session is gone (W6).
func (w *Waker) unrouted(ctx context.Context, x wake.Wake, now time.Time, uid string) error {
	x.State = wake.Cancelled
	_, err := w.Store.Do(ctx, uid, store.EndWake(x), store.NewAudit(store.Audit{
		ID: uid, Chain: "session#" + x.Session, What: "unrouted", Actor: actor.System("wake"), Via: "timer",
		Reason: "the session was deleted", At: now}))
	return err
}

func (w *Waker) ringTurn(ctx context.Context, sid, correlation string) error {
	id := w.NewID()
	_, err := w.Store.Do(ctx, id, store.NewOutbox(store.Outbox{ID: id, Created: w.Now(), Correlation: correlation,
		Bells: []store.Bell{{Ring: store.RingTurn, Session: sid}}}))
	return err
}
