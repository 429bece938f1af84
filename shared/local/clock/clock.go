// Package clock is the time of the embedded runtime: the real one, or one that
// a test moves by hand. Domain and flow take a func() time.Time instead; this
// is for what waits.
package clock

import "time"

// Clock tells the time and rings at one.
type Clock interface {
	Now() time.Time
	// After rings once d has passed.
	After(d time.Duration) <-chan time.Time
	// At rings once the time is t, at once if it is already. Unlike After it
	// cannot be late because the time moved between reading it and waiting.
	At(t time.Time) <-chan time.Time
}

// Real is the machine's clock, in UTC.
type Real struct{}

// Now is the machine's time.
func (Real) Now() time.Time { return time.Now().UTC() }

// After rings once d has passed. A channel that nobody reads costs nothing.
func (Real) After(d time.Duration) <-chan time.Time { return time.After(d) }

// At rings once the time is t.
func (Real) At(t time.Time) <-chan time.Time { return time.After(time.Until(t)) }
