// Package turn runs one turn of a hosted agent: from what woke the session to
// its next rest (S3, S6 to S9).
//
// Every step is committed before the next begins, under the session's lease,
// so that a turn that dies anywhere is resumed from what was written. It calls
// models and tools; it never resolves an item and never rings a doorbell but
// by the outbox.
//
// To read it: Turn takes the lease and loops; next decides what is to be done
// from the transcript alone; calls.go deals with the calls of a message,
// attempt.go runs one, think.go asks the model, rest.go ends the turn.
package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store"
)

// Model is a language model (S11); its contract stands in domain/model.
type Model interface {
	Complete(ctx context.Context, r model.Request) (model.Reply, error)
}

// Tool runs one call of a hosted tool. args are canonical; key is the same for
// every attempt of the same call. A returned error is the call's failure, and
// the agent reads it.
type Tool func(ctx context.Context, args json.RawMessage, key string) (result string, err error)

// Persona is what a turn needs of a persona version.
type Persona struct {
	Prompt       string
	Capabilities []string
}

// Limits of one run (S6).
type Limits struct {
	Iterations int64 // model calls
	Tokens     int64 // in and out together
}

// DefaultLimits are on unless configured otherwise.
var DefaultLimits = Limits{Iterations: 60, Tokens: 2_000_000}

// Engine runs turns. Safe for concurrent use; it keeps nothing between turns.
type Engine struct {
	Store   *store.Store
	Model   func(name string) (Model, string, error) // by "provider:model"
	Tools   map[string]Tool
	Persona func(id, version string) (Persona, error)
	Have    map[string]bool // requirements that are met: "connector:github"
	Limits  Limits
	Now     func() time.Time
	NewID   func() string
	Log     *slog.Logger
	Count   func(name, label string)
	Took    func(name string, d time.Duration) // nil: not measured
}

// Hear runs the turn that one doorbell rings for. An error means: ring again
// later; what was committed stays.
func (e *Engine) Hear(ctx context.Context, body string) error {
	b, err := store.DecodeBell(body)
	if err != nil {
		return err
	}
	if err := e.Turn(ctx, b.Session); err != nil {
		return fmt.Errorf("turn of %s: %w", b.Session, err)
	}
	return nil
}

// turn is one turn under way: what it read and holds.
type turn struct {
	*Engine
	s     session.Session
	lease session.Lease
	steps []session.Step
	mail  []session.Mail
	head  *session.Head  // of the mailbox when mail was read; nil: not read yet
	rules *policy.Policy // nil: not read yet
	known store.Whole    // the item it was parked on, as read before the lease was taken
	log   *slog.Logger
	// said is what the model said last, while it is not written yet: it goes
	// into the commit of what is done about it.
	said *session.Step
	// fresh is the number of an assistant step that this turn appended itself:
	// nothing can have been raised or tried for its calls yet.
	fresh int64
	// done says that the lease is given back or lost: the turn is over.
	done bool
}

// Turn runs a session's turn, if it has one to run and nobody runs it already.
func (e *Engine) Turn(ctx context.Context, sid string) error {
	t, err := e.begin(ctx, sid)
	if err != nil || t == nil {
		return err
	}
	for !t.done {
		err := ctx.Err()
		if err == nil {
			err = t.next(ctx)
		}
		if err != nil {
			t.release(ctx)
			return err
		}
	}
	return nil
}

// next does one thing, by what the transcript says.
func (t *turn) next(ctx context.Context) error {
	w := session.Where(t.steps)
	switch {
	case w.Asked != nil:
		return t.calls(ctx, w)
	case len(t.mail) > 0:
		return t.readMail(ctx, w)
	case w.Thinks:
		return t.think(ctx, w)
	}
	return t.rest(ctx, w)
}
