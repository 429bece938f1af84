// Package dispatch rings the doorbells of rows that changed: those an outbox
// row lists, whereupon it closes the row, and those of items and calls
// (store.Rings). It does nothing else, and is the only one that does it (O1).
package dispatch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"time"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/domain/wake"
	"github.com/postern-dev/postern/shared/store"
)

// Queue rings a doorbell.
type Queue interface {
	Send(ctx context.Context, m doorbell.Message) error
}

// Timer sets and cancels one-time schedules that ring the wakes queue (D6).
type Timer interface {
	Set(ctx context.Context, name string, at time.Time, body string) error
	Cancel(ctx context.Context, name string) error
}

// Dispatcher rings doorbells.
type Dispatcher struct {
	Store *store.Store
	Queue Queue
	Timer Timer
	Now   func() time.Time
	NewID func() string
	Log   *slog.Logger
}

// Move rings the doorbells of one changed row, and closes it if it is an outbox
// row. A row that cannot be moved now stays open for the reconciler; that is
// logged and is not an error, so that it fails no batch (D5). Moving a row
// twice rings its doorbells with the same deduplication ids.
func (d *Dispatcher) Move(ctx context.Context, r store.Rung) {
	log := d.Log.With("row", r.ID, "correlation", r.Correlation)
	for i, b := range r.Bells {
		if err := d.ring(ctx, r, i, b); err != nil {
			log.Warn("doorbell not rung; the reconciler will", "ring", b.Ring, "error", err)
			return
		}
	}
	log.Info("rung", "bells", len(r.Bells))
	if r.Close == nil {
		return
	}
	if _, err := d.Store.Do(ctx, d.NewID(), *r.Close); err != nil {
		log.Warn("outbox row not closed", "error", err)
	}
}

func (d *Dispatcher) ring(ctx context.Context, r store.Rung, i int, b store.Bell) error {
	if b.Correlation == "" {
		b.Correlation = r.Correlation
	}
	dedup := fmt.Sprintf("%s-%d", r.ID, i)
	switch b.Ring {
	case store.RingTurn:
		return d.Queue.Send(ctx, doorbell.Message{Queue: doorbell.Turns, Body: b.Encode()})
	case store.RingShow, store.RingSay, store.RingTell, store.RingOpen:
		return d.Queue.Send(ctx, doorbell.Message{Queue: doorbell.Outbound, Group: group(b), Dedup: dedup, Body: b.Encode()})
	case store.RingWake:
		return d.wake(ctx, b)
	case store.RingCancel:
		return d.Timer.Cancel(ctx, timerName(b))
	}
	return fmt.Errorf("unknown doorbell %q", b.Ring)
}

// wake rings at a time: below 90 seconds by a delayed message, which is
// precise to the second; above by a schedule (W3).
func (d *Dispatcher) wake(ctx context.Context, b store.Bell) error {
	left := b.At.Sub(d.Now())
	if left < wake.Short {
		delay := max(0, (left + time.Second - 1).Truncate(time.Second))
		return d.Queue.Send(ctx, doorbell.Message{Queue: doorbell.Wakes, Body: b.Encode(), Delay: delay})
	}
	return d.Timer.Set(ctx, timerName(b), b.At, b.Encode())
}

// timerName names a schedule after the wake and its generation (D6).
func timerName(b store.Bell) string {
	sum := sha256.Sum256([]byte(b.Session + "|" + b.Wake))
	return fmt.Sprintf("w-%s-g%d", hex.EncodeToString(sum[:20]), b.Generation)
}

// group keeps what goes to one place in order (O1).
func group(b store.Bell) string {
	sum := sha256.Sum256([]byte(b.Place.Key()))
	return hex.EncodeToString(sum[:])
}
