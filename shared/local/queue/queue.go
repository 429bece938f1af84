// Package queue is the embedded runtime's queues, delays and schedules, on a
// SQLite file or in memory. It keeps the guarantees of SQS and EventBridge
// Scheduler and their weaknesses: what was accepted is delivered at least once,
// in order by group on FIFO queues, again after a time-out, and a ring set
// twice under one name is one (D4, D5, D6).
//
// It must not know what a message means, and decides nothing by its body.
package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/local/clock"
)

// Memory is the path of an engine that lives in memory and dies with it.
const Memory = ":memory:"

// Setting is how one queue treats its messages.
type Setting struct {
	// Visibility is how long a received message hides from others.
	Visibility time.Duration
	// MaxReceives is how often a message is received before it is dead.
	MaxReceives int
	// Retry is how long a message hides after its handler failed (D4).
	Retry time.Duration
	// Timeout ends the context of a handler that Run started; 0 never does.
	// It is shorter than Visibility.
	Timeout time.Duration
}

// Defaults are those of the deployed queues (D4).
func Defaults() map[string]Setting {
	return map[string]Setting{
		doorbell.Triggers: {Visibility: 120 * time.Second, MaxReceives: 5, Retry: 5 * time.Second, Timeout: 20 * time.Second},
		doorbell.Outbound: {Visibility: 180 * time.Second, MaxReceives: 5, Retry: 5 * time.Second, Timeout: 30 * time.Second},
		doorbell.Turns:    {Visibility: 610 * time.Second, MaxReceives: 5, Retry: 5 * time.Second, Timeout: 600 * time.Second},
		doorbell.Wakes:    {Visibility: 360 * time.Second, MaxReceives: 5, Retry: 5 * time.Second, Timeout: 60 * time.Second},
	}
}

// Received is one delivery of a message.
type Received struct {
	Queue    string
	ID       string // the message's, the same at each delivery
	Receipt  string // this delivery's, to delete it or change how long it hides
	Group    string // FIFO only
	Body     string
	Receives int       // this delivery counted
	Sent     time.Time // when it was accepted
}

// Handler works on one delivery. An error makes the queue deliver it again.
type Handler func(ctx context.Context, r Received) error

// Options of an engine. The zero value is the deployed queues' behaviour.
type Options struct {
	// Settings replace those of Defaults by queue, whole.
	Settings map[string]Setting
	// Pick chooses which of n deliverable messages Step delivers, by position
	// from the oldest; nil is the oldest.
	Pick func(n int) int
	// LoseDelete loses the delete of a handled message where it says so, as a
	// crash after the work and before the delete does; nil loses none.
	LoseDelete func(r Received) bool
	// Log takes failures of handlers and what died; nil discards. No body is
	// logged.
	Log *slog.Logger
}

// Engine is one set of queues and schedules. Safe for concurrent use.
type Engine struct {
	clock    clock.Clock
	settings map[string]Setting
	pick     func(n int) int
	lose     func(r Received) bool
	log      *slog.Logger

	pool *sql.DB
	conn *sql.Conn // used by whoever holds turn
	file bool
	full bool                 // commits reach the disk before they return; by the holder of turn
	stmt map[string]*sql.Stmt // prepared on conn; by the holder of turn
	turn chan struct{}        // capacity 1

	soon   soon  // by the holder of turn
	runner *pump // the Run that is on, if one is; by the holder of turn

	mu      sync.Mutex
	waiting []*job
	swept   int // sends since old deduplication ids were dropped

	rung    chan struct{} // Run should look again; capacity 1
	running atomic.Bool
}

// Open opens the engine of a file, making it if there is none, or a new one in
// memory for the path Memory. Messages in flight when the last process ended
// stay hidden until their time-out, unless Release is called.
func Open(path string, c clock.Clock, o Options) (*Engine, error) {
	e := &Engine{
		clock: c, settings: Defaults(), pick: o.Pick, lose: o.LoseDelete, log: o.Log,
		file: path != Memory, stmt: map[string]*sql.Stmt{},
		soon: soon{}, turn: make(chan struct{}, 1), rung: make(chan struct{}, 1),
	}
	if e.pick == nil {
		e.pick = func(int) int { return 0 }
	}
	if e.lose == nil {
		e.lose = func(Received) bool { return false }
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	for name, s := range o.Settings {
		if !doorbell.Known(name) || s.Visibility <= 0 || s.MaxReceives < 1 || s.Retry < 0 {
			return nil, fmt.Errorf("open queues %s: setting of queue %q: %+v", path, name, s)
		}
		e.settings[name] = s
	}
	if err := e.open(path); err != nil {
		return nil, errors.Join(fmt.Errorf("open queues %s: %w", path, err), e.Close())
	}
	return e, nil
}

// ring says that something may have become deliverable.
func (e *Engine) ring() {
	select {
	case e.rung <- struct{}{}:
	default:
	}
}

// now is the clock's time in whole microseconds, as the rows hold it.
func (e *Engine) now() time.Time { return e.clock.Now().Truncate(time.Microsecond) }

// micros is a time as the rows hold it. A part of a microsecond counts as one,
// so that nothing is early.
func micros(t time.Time) int64 {
	m := t.UnixMicro()
	if t.Nanosecond()%1000 != 0 {
		m++
	}
	return m
}

func fromMicros(m int64) time.Time { return time.UnixMicro(m).UTC() }
