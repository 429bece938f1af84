package clock

import (
	"sync"
	"time"
)

// Fake is a clock that stands still until it is moved. Safe for concurrent use.
type Fake struct {
	mu    sync.Mutex
	now   time.Time
	bells []bell
}

type bell struct {
	at time.Time
	c  chan time.Time
}

// NewFake gives a clock that stands at now.
func NewFake(now time.Time) *Fake { return &Fake{now: now.UTC()} }

// Now is the time it was moved to.
func (f *Fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// After rings when the clock was moved by d or more.
func (f *Fake) After(d time.Duration) <-chan time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.bell(f.now.Add(d))
}

// At rings when the clock was moved to t or beyond.
func (f *Fake) At(t time.Time) <-chan time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.bell(t)
}

func (f *Fake) bell(at time.Time) <-chan time.Time {
	c := make(chan time.Time, 1)
	f.bells = append(f.bells, bell{at, c})
	f.ring()
	return c
}

// Advance moves the clock on by d, and rings what is due.
func (f *Fake) Advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
	f.ring()
}

// Set moves the clock to t; it never goes back.
func (f *Fake) Set(t time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t.After(f.now) {
		f.now = t.UTC()
	}
	f.ring()
}

// Waiting is how many bells have not rung yet, those included that nobody
// listens to any more.
func (f *Fake) Waiting() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.bells)
}

func (f *Fake) ring() {
	kept := f.bells[:0]
	for _, b := range f.bells {
		if b.at.After(f.now) {
			kept = append(kept, b)
			continue
		}
		b.c <- f.now
	}
	clear(f.bells[len(kept):])
	f.bells = kept
}
