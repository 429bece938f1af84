package model

import (
	"errors"
	"fmt"
	"time"
)

// Kind is what a provider's failure means for the turn. The words are stable.
type Kind string

const (
	Throttled   Kind = "throttled"   // we ask too much: wait and try again
	Overloaded  Kind = "overloaded"  // the provider has too much to do: wait
	Unavailable Kind = "unavailable" // not reached, timed out, cut short, or not understood
	Refused     Kind = "refused"     // key, permission, quota or content: waiting does not help
	BadRequest  Kind = "bad_request" // the request itself is wrong, too long for instance
)

// Error is the only error a Model returns. Its text names the provider and a
// status, never a key and never what was said.
type Error struct {
	Kind       Kind
	RetryAfter time.Duration // as the provider asked, 0 if it did not
	Err        error
}

func (e *Error) Error() string { return fmt.Sprintf("model %s: %v", e.Kind, e.Err) }

// Unwrap gives the cause, context.DeadlineExceeded for instance.
func (e *Error) Unwrap() error { return e.Err }

// Transient says whether the same request may succeed later (S11).
func (e *Error) Transient() bool {
	return e.Kind == Throttled || e.Kind == Overloaded || e.Kind == Unavailable
}

// KindOf returns the Kind of a Model's error, Unavailable if err is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Unavailable
}
