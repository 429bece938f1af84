package turn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

var errNoAnswer = fmt.Errorf("post: %w", context.DeadlineExceeded)

// inDoubt is a house whose one call was allowed and had no answer.
func inDoubt(t *testing.T, call ...model.Call) *house {
	t.Helper()
	h := newHouse(t, call)
	h.tool = func(string, string) (string, error) { return "", errNoAnswer }
	h.turn()
	h.answer(h.pending()[0], inbox.Allow, "")
	h.turn()
	if h.rests(session.Working); len(h.ran) != 1 || h.has("2.0") {
		t.Fatalf("ran %v, %q", h.ran, h.steps())
	}
	return h
}

// S8: an intent past its deadline without an outcome is not repeated; it
// becomes a question, and what the person says is the result.
func TestS8_AsksWhetherItHappened(t *testing.T) {
	t.Parallel()
	for choice, want := range map[string]string{happened: "2.0 true: A person says that this call did happen.", skipped: "2.0 false: A person says that this call did not happen."} {
		h := inDoubt(t, send(1))
		h.later(10 * time.Second)
		h.turn() // nobody judges it before its deadline
		if len(h.pending()) != 0 {
			t.Fatal("it was judged before its deadline")
		}
		h.later(time.Minute)
		h.turn()
		h.rests(session.Parked)
		q := h.pending()
		if len(q) != 1 || q[0].Kind != inbox.Question || !strings.HasPrefix(q[0].Title, "Did this happen?") {
			t.Fatalf("%+v", q)
		}
		h.answer(q[0], choice, "")
		h.turn()
		if h.rests(session.Idle); len(h.ran) != 1 || !h.has(want) {
			t.Errorf("%s: ran %v, %q", choice, h.ran, h.steps())
		}
	}
}

// S8: nobody judges an intent before its deadline, also where its lease was
// broken because the process was started again.
func TestS8_NotBeforeItsDeadline(t *testing.T) {
	t.Parallel()
	h := inDoubt(t, send(1))
	h.do(store.BreakLease(h.lease()))
	h.later(time.Second)
	h.turn()
	if h.rests(session.Working); len(h.pending()) != 0 || len(h.ran) != 1 || h.has("2.0") {
		t.Errorf("ran %v, %q", h.ran, h.steps())
	}
}

// S8: the writer's outcome comes just when a person is to be asked what became
// of it: nobody is asked, and the turn goes on. Found by the simulation.
func TestS8_OutcomeWhileAsking(t *testing.T) {
	t.Parallel()
	h := inDoubt(t, send(1))
	items, _, err := h.Store.Items(t.Context(), "", 10)
	if err != nil || len(items) != 1 {
		t.Fatal(items, err)
	}
	a, err := h.Store.Attempt(t.Context(), "s1", items[0].ID, 2, 0)
	if err != nil || a == nil {
		t.Fatal(a, err)
	}
	done := false
	h.table.refuse = func(tx table.Tx) bool {
		if !done && writes(tx, "item") {
			done = true
			a.State, a.Result = session.Ran, "late, but done"
			h.do(store.EndAttempt(*a), store.AppendStep(session.Step{Session: "s1", N: 3, Role: session.Result, Of: 2, From: a.Tool, Text: a.Result, OK: true}))
		}
		return false
	}
	h.later(time.Hour)
	for range 3 { // what was written under it is read by the next ring
		_ = h.Turn(t.Context(), "s1")
		h.later(time.Second)
	}
	if h.rests(session.Idle); !done || len(h.pending()) != 0 || len(h.ran) != 1 || !h.has("2.0 true: late, but done") {
		t.Errorf("ran %v, %q, %+v", h.ran, h.steps(), h.pending())
	}
}

// S8: nobody answers the question in time: it stays unknown, and is not
// repeated.
func TestS8_NobodySaysWhether(t *testing.T) {
	t.Parallel()
	h := inDoubt(t, send(1))
	h.later(time.Minute)
	h.turn()
	q := h.pending()[0]
	h.do(h.resolver.Settle(q, inbox.Expire(q, h.now), h.now).Actions()...)
	h.turn()
	if h.rests(session.Idle); len(h.ran) != 1 || !h.has("2.0 false: It is not known whether this call ran. Nobody answered in time") {
		t.Errorf("%q", h.steps())
	}
}

// S8, I12: where nobody may be asked it stays unknown. Found by the simulation:
// the turn asked again and again.
func TestS8_NobodyMayBeAsked(t *testing.T) {
	t.Parallel()
	h := inDoubt(t, send(1))
	h.nobody()
	h.later(time.Minute)
	h.turn()
	if h.rests(session.Idle); len(h.ran) != 1 || !h.has("2.0 false: It is not known whether this call ran, and it is not repeated: nobody may answer") {
		t.Errorf("%q", h.steps())
	}
}

// S8: a tool that declared itself idempotent is taken up again with the same
// key; what it says then is the result.
func TestS8_IdempotentAgain(t *testing.T) {
	t.Parallel()
	h := inDoubt(t, comment(1))
	h.tool = nil
	h.later(time.Minute)
	h.turn()
	if h.rests(session.Idle); !slices.Equal(h.ran, []string{"s1-2-0", "s1-2-0"}) || !h.has("2.0 true: did s1-2-0") {
		t.Errorf("ran %v, %q", h.ran, h.steps())
	}
}

// S8: what was begun before and is refused when it is repeated may have
// happened the first time. Found by the simulation.
func TestS8_RefusedWhenRepeated(t *testing.T) {
	t.Parallel()
	h := inDoubt(t, comment(1))
	h.tool = func(string, string) (string, error) { return "", errors.New("forbidden") }
	for range maxAgain + 2 {
		h.later(time.Minute)
		h.turn()
	}
	h.rests(session.Parked) // a person is asked; not "failed", and not for ever
	if q := h.pending(); len(q) != 1 || !strings.HasPrefix(q[0].Title, "Did this happen?") || len(h.ran) != 1+maxAgain {
		t.Errorf("%+v, ran %d times", q, len(h.ran))
	}
}

// S8: the writer of an intent may write its outcome, lease or not, if there is
// none yet; the turn after it goes on from there and nobody is asked.
func TestS8_OutcomeWithoutLease(t *testing.T) {
	t.Parallel()
	h := newHouse(t, says(send(1)))
	h.turn()
	h.answer(h.pending()[0], inbox.Allow, "")
	h.tool = func(_, key string) (string, error) {
		h.later(session.LeaseTime + time.Millisecond) // slower than its lease
		_, take := store.TakeLease(h.lease(), "other", "r", h.clock())
		h.do(take)
		return "did " + key, nil
	}
	h.turn()
	if steps := h.steps(); !h.has("2.0 true: did s1-2-0") || len(steps) != 3 {
		t.Fatalf("a turn that lost its lease wrote more than the outcome and its result, or less: %q", steps)
	}
	h.tool = nil
	h.later(session.LeaseTime + time.Millisecond)
	h.turn()
	if h.rests(session.Idle); len(h.ran) != 1 || !h.has("2.0 true: did s1-2-0") || len(h.pending()) != 0 {
		t.Errorf("ran %v, %q", h.ran, h.steps())
	}
}

// S8: which failures leave a doubt.
func TestS8_Doubtful(t *testing.T) {
	t.Parallel()
	dial := &net.OpError{Op: "dial", Err: errors.New("refused")}
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"none":              {nil, false},
		"time-out":          {errNoAnswer, true},
		"cancelled":         {context.Canceled, true},
		"reply cut off":     {&delivery.SendError{Code: "network", Err: io.ErrUnexpectedEOF}, true},
		"answer unreadable": {fmt.Errorf("x: %w", &delivery.SendError{Code: "unreadable"}), true},
		"their own failure": {&delivery.SendError{Code: "http_502"}, true},
		"never connected":   {&delivery.SendError{Code: "network", Err: dial}, false},
		"refused":           {&delivery.SendError{Code: "channel_not_found", Final: true}, false},
		"too often":         {&delivery.SendError{Code: "ratelimited"}, false},
		"not found there":   {&delivery.SendError{Code: "http_404"}, false},
		"the tool's own":    {errors.New("empty body"), false},
		"a panic in a tool": {errors.New("the tool broke: x"), false},
	} {
		if got := doubtful(c.err); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// A tool that breaks is that call's failure, and the turn goes on.
func TestToolPanics(t *testing.T) {
	t.Parallel()
	h := newHouse(t, says(fetch(1)))
	h.tool = func(string, string) (string, error) { panic("boom") }
	h.turn()
	if h.rests(session.Idle); !h.has("2.0 false: The call failed: the tool broke: boom") {
		t.Errorf("%q", h.steps())
	}
}
