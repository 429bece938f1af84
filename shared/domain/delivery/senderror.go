package delivery

import (
	"strings"
	"time"
)

// SendError is what a platform's client says when something could not be sent
// or changed there. deliver reads it with errors.As and decides by Final.
type SendError struct {
	// Code is stable and safe to show: the platform's own code, or "network",
	// "canceled", "limited", "unreadable". Never a body or a token.
	Code string
	// Final says that the same call will never succeed: the message is gone,
	// can no longer be edited, or the channel is closed. deliver posts a reply
	// instead, once, and does not retry (I23, B21, B35).
	Final bool
	// RetryAfter is how long the platform asked us to wait; zero if it did not say.
	RetryAfter time.Duration
	// Err is the cause, nil if the platform's answer is all there is.
	Err error
}

func (e *SendError) Error() string {
	var b strings.Builder
	b.WriteString("send: ")
	b.WriteString(e.Code)
	if e.Final {
		b.WriteString(" (final)")
	}
	if e.RetryAfter > 0 {
		b.WriteString(", retry after ")
		b.WriteString(e.RetryAfter.String())
	}
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *SendError) Unwrap() error { return e.Err }
