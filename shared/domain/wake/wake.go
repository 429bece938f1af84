// Package wake holds what wakes a sleeping session: one row per wake, fired or
// cancelled once (W1, W2). A schedule is only its doorbell.
package wake

import (
	"fmt"
	"time"
)

// Kind is what a wake waits for (W1).
type Kind string

const (
	Timer      Kind = "timer"
	Completion Kind = "completion"
	Event      Kind = "event"
)

// State of a wake: pending, then fired or cancelled, once (W2).
type State string

const (
	Pending   State = "pending"
	Fired     State = "fired"
	Cancelled State = "cancelled"
)

// Wake is the truth about one wake.
type Wake struct {
	ID         string
	Session    string
	Kind       Kind
	At         time.Time
	Note       string // comes back on waking
	State      State
	Generation int64 // of the session it belongs to
	Created    time.Time
	Version    int64
}

// Longest is how far ahead a timer may lie (W6).
const Longest = 365 * 24 * time.Hour

// Short is the span below which a delayed message rings instead of a schedule,
// which is precise to the minute only (W3).
const Short = 90 * time.Second

// Due checks a time asked for (W6): the past means now, more than a year is
// refused with the reason.
func Due(at, now time.Time) (time.Time, error) {
	if at.Sub(now) > Longest {
		return time.Time{}, fmt.Errorf("%s is more than a year away; ask for at most 365 days", at.UTC().Format(time.RFC3339))
	}
	if at.Before(now) {
		return now, nil
	}
	return at, nil
}
