package wake

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store"
)

// Late is how long something may wait before the reconciler calls it missed
// (W8).
const Late = 2 * time.Minute

// grace is how long a lease has run out before its turn counts as dead: by then
// whatever was to ring its session at that time has done so.
const grace = Late - session.LeaseTime

// batch is how many rows of one shard a pass takes; the next pass takes more.
const batch = 100

// Finds counts what a pass found, by kind. In a healthy system all are 0 but
// Expired, which is no fault (W8).
type Finds struct {
	Outbox     int `json:"outbox"`
	Mail       int `json:"mail"`
	Settled    int `json:"settled"`
	Leases     int `json:"leases"`
	Wakes      int `json:"wakes"`
	Cards      int `json:"cards"`
	Deliveries int `json:"deliveries"`
	Expired    int `json:"expired"`
}

// Missed is how many things should have happened and had not.
func (f Finds) Missed() int {
	return f.Outbox + f.Mail + f.Settled + f.Leases + f.Wakes + f.Cards + f.Deliveries
}

// Reconcile makes one pass: it finds what was missed and drives each by the
// same idempotent path that should have done it. Its reads go by sparse
// indexes and do not grow with what sleeps. One kind's failure does not stop
// the others.
func (w *Waker) Reconcile(ctx context.Context) (Finds, error) {
	var f Finds
	err := errors.Join(
		named("outbox", w.outbox(ctx, &f)),
		named("wakes", w.wakes(ctx, &f)),
		named("mail", w.mail(ctx, &f)),
		named("settled items", w.settled(ctx, &f)),
		named("leases", w.leases(ctx, &f)),
		named("cards", w.cards(ctx, &f)),
		named("expired", w.expired(ctx, &f)),
		named("deliveries", w.deliveries(ctx, &f)),
	)
	err = errors.Join(err, named("attention", w.attention(ctx)))
	w.Log.Info("reconciled", "finds", f, "not_woken", f.Mail+f.Settled) // the alarm reads the second (D12)
	for range f.Missed() {
		w.Count("reconciler_finds", "missed")
	}
	return f, err
}

// attention measures how many items wait for people (D8).
func (w *Waker) attention(ctx context.Context) error {
	if w.Gauge == nil {
		return nil
	}
	a, err := w.Store.Attention(ctx)
	w.Gauge("pending_items", float64(a.Total))
	return err
}

func named(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("reconcile %s: %w", what, err)
}

// outbox swaps rows that nobody moved for new ones, which the stream brings to
// dispatch (D5).
func (w *Waker) outbox(ctx context.Context, f *Finds) error {
	rows, err := w.Store.StuckOutbox(ctx, w.Now().Add(-Late), batch)
	if err != nil {
		return err
	}
	for _, o := range rows {
		lost, err := w.Store.Do(ctx, w.NewID(), store.ReopenOutbox(o)...)
		if err != nil {
			return err
		}
		if lost == nil {
			f.Outbox++
		}
	}
	return nil
}

// wakes fires what is past due and was not rung.
func (w *Waker) wakes(ctx context.Context, f *Finds) error {
	rows, err := w.Store.Overdue(ctx, "wake", w.Now().Add(-Late), batch)
	if err != nil {
		return err
	}
	for _, r := range rows {
		fired, err := w.Fire(ctx, r.SessionOf(), strings.TrimPrefix(r.Key.SK, "wake#"))
		if err != nil {
			return err
		}
		if fired {
			f.Wakes++
		}
	}
	return nil
}

// mail rings the turn of sessions with unread mail that nobody is reading:
// no lease, or one that ran out; not those parked on an item that still waits,
// whose mail has to wait with them (S9).
func (w *Waker) mail(ctx context.Context, f *Finds) error {
	now := w.Now()
	// All of it: mail that rightly waits for parked sessions must not hide, by
	// being older, what was missed.
	rows, err := w.Store.Overdue(ctx, "mail", now.Add(-Late), 0)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, r := range rows {
		sid := r.SessionOf()
		if seen[sid] {
			continue
		}
		waits, err := w.waits(ctx, sid, now)
		if err != nil {
			return err
		}
		there := true
		if waits { // perhaps it was read meanwhile
			if there, err = w.Store.Waits(ctx, r); err != nil {
				return err
			}
		}
		seen[sid] = there
		if !waits || !there {
			continue
		}
		if err := w.ringTurn(ctx, sid, ""); err != nil {
			return err
		}
		f.Mail++
	}
	return nil
}

// waits reports whether a session with mail should be running and is not.
func (w *Waker) waits(ctx context.Context, sid string, now time.Time) (bool, error) {
	l, err := w.Store.Lease(ctx, sid)
	if err != nil || l == nil || l.Deleted || l.Until.After(now.Add(-grace)) {
		return false, err
	}
	if l.State != session.Parked {
		return true, nil
	}
	x, err := w.Store.Item(ctx, l.Item)
	if err != nil {
		return false, err
	}
	return x == nil || x.State.Terminal() && x.Resolved.Before(now.Add(-Late)), nil
}

// settled finds settled items that their agent has not read, or that a place
// does not show, and rings for them again. What nothing is owed for any more,
// since the run that asked is over, leaves the index; that is no find.
func (w *Waker) settled(ctx context.Context, f *Finds) error {
	rows, err := w.Store.Overdue(ctx, "settled", w.Now().Add(-Late), batch)
	if err != nil {
		return err
	}
	for _, r := range rows {
		x, err := w.Store.Whole(ctx, r.ItemOf())
		if err != nil {
			return err
		}
		if x.Item == nil || !x.Item.State.Terminal() {
			continue
		}
		if err := w.settle(ctx, x, f); err != nil {
			return err
		}
	}
	return nil
}

func (w *Waker) settle(ctx context.Context, x store.Whole, f *Finds) error {
	now, id := w.Now(), w.NewID()
	waits, rings, err := Unread(ctx, w.Store, x, now)
	if err != nil {
		return err
	}
	o := store.Outbox{ID: id, Correlation: x.Item.Correlation, Created: now}
	if rings {
		o.Bells = append(o.Bells, store.Bell{Ring: store.RingTurn, Session: x.Item.Session})
		f.Settled++
	}
	behind := x.Behind()
	for _, s := range behind {
		if s.Open() || s.Lease.After(now) {
			continue // waits by itself, and cards finds it
		}
		o.Bells = append(o.Bells, store.Bell{Ring: store.RingShow, Item: x.Item.ID, Place: s.Place})
		f.Cards++
	}
	switch {
	case len(o.Bells) > 0:
		_, err = w.Store.Do(ctx, id, store.NewOutbox(o))
	case !waits && len(behind) == 0:
		_, err = w.Store.Do(ctx, id, store.CloseItem(*x.Item))
	}
	return err
}

// Unread reports whether an item's agent has still to read what became of it,
// and whether its session must be rung for that: the run that asked is not over,
// it is parked on this very item, and nobody holds its lease (S9). A turn that
// died otherwise is found by its lease.
func Unread(ctx context.Context, st *store.Store, x store.Whole, now time.Time) (waits, rings bool, err error) {
	if x.Item.AgentKnows(x.Ran()) {
		return false, false, nil
	}
	l, err := st.Lease(ctx, x.Item.Session)
	if err != nil || l == nil || l.Deleted || l.Run != x.Item.Run {
		return false, false, err
	}
	return true, l.State == session.Parked && l.Item == x.Item.ID && !l.Until.After(now.Add(-grace)), nil
}

// leases rings the turn of sessions whose run is under way and whose lease ran
// out: the turn died.
func (w *Waker) leases(ctx context.Context, f *Finds) error {
	now := w.Now()
	rows, err := w.Store.Overdue(ctx, "lease", now.Add(-Late), batch)
	if err != nil {
		return err
	}
	for _, r := range rows {
		l, err := w.Store.Lease(ctx, r.SessionOf())
		if err != nil {
			return err
		}
		if l == nil || l.Deleted || l.State != session.Working || l.Until.After(now.Add(-grace)) {
			continue
		}
		if err := w.ringTurn(ctx, l.Session, ""); err != nil {
			return err
		}
		f.Leases++
	}
	return nil
}

// cards rings places that do not show their item's present state.
func (w *Waker) cards(ctx context.Context, f *Finds) error {
	now := w.Now()
	rows, err := w.Store.Overdue(ctx, "show", now.Add(-Late), batch)
	if err != nil {
		return err
	}
	for _, r := range rows {
		x, err := w.Store.ShownRow(ctx, r.Key)
		if err != nil {
			return err
		}
		if x == nil || x.Lease.After(now) || !x.Open() {
			continue
		}
		id := w.NewID()
		if _, err := w.Store.Do(ctx, id, store.NewOutbox(store.Outbox{ID: id, Created: now,
			Bells: []store.Bell{{Ring: store.RingShow, Item: x.Item, Place: x.Place}}})); err != nil {
			return err
		}
		f.Cards++
	}
	return nil
}

// expired settles items past their expiry (I10).
func (w *Waker) expired(ctx context.Context, f *Finds) error {
	now := w.Now()
	rows, err := w.Store.Overdue(ctx, "pending", now, batch)
	if err != nil {
		return err
	}
	for _, r := range rows {
		x, err := w.Store.Item(ctx, r.ItemOf())
		if err != nil {
			return err
		}
		if x == nil || x.State != inbox.Pending || x.Expires.After(now) {
			continue
		}
		lost, err := w.Store.Do(ctx, w.NewID(), w.Resolver.Settle(*x, inbox.Expire(*x, now), now).Actions()...)
		if err != nil {
			return err
		}
		if lost == nil {
			f.Expired++
		}
	}
	return nil
}
