package openai

import "time"

// Fault is one thing that goes wrong. The zero Fault is none.
type Fault struct {
	Status     int // answered instead of a reply
	Type, Code string
	RetryAfter time.Duration // whole seconds
	Hang       bool          // no answer until the caller gives up

	// The rest spoils the stream, after so many chunks.
	After     int
	Cut       bool   // the connection breaks
	Close     bool   // the response ends in good order, and too early
	Malformed bool   // a chunk is no JSON
	InStream  string // an error event with this code
}

// Throttle is what a busy endpoint answers.
func Throttle(wait time.Duration) Fault {
	return Fault{Status: 429, Type: "requests", Code: "rate_limit_exceeded", RetryAfter: wait}
}

// instead says whether the fault keeps a reply from arriving, which then stays
// in the script for the next request.
func (f Fault) instead() bool {
	return f.Status != 0 || f.Hang || f.Cut || f.Close || f.Malformed || f.InStream != ""
}
