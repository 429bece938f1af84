package store

import (
	"encoding/json"
	"testing"

	"github.com/postern-dev/postern/shared/domain/session"
)

// S7: steps are appended in order, each number once, and come back in order,
// also past 1,000.
func TestTranscript(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for n := int64(1); n <= 1005; n++ {
		h.wins(AppendStep(session.Step{Session: "s1", N: n, Role: session.User, Text: "x"}))
	}
	h.loses(0, AppendStep(session.Step{Session: "s1", N: 7, Role: session.User}))
	steps, err := h.Transcript(t.Context(), "s1")
	if err != nil || len(steps) != 1005 {
		t.Fatalf("%d %v", len(steps), err)
	}
	for i, s := range steps {
		if s.N != int64(i+1) {
			t.Fatalf("step %d is numbered %d", i+1, s.N)
		}
	}
}

// P25: a call's arguments come back byte by byte.
func TestTranscript_Arguments(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	args := json.RawMessage(`{"a":"<b> & \u2028","n":1e+21}`)
	h.wins(AppendStep(session.Step{Session: "s1", N: 1, Role: session.Assistant, Calls: []session.Call{{ID: "c", Tool: "t", Arguments: args, Digest: "d"}}, Used: session.Usage{Input: 3}}))
	steps, err := h.Transcript(t.Context(), "s1")
	if err != nil || string(steps[0].Calls[0].Arguments) != string(args) || steps[0].Used.Input != 3 {
		t.Errorf("%s %v", steps[0].Calls[0].Arguments, err)
	}
}

// S8, P25: an intent is written once per call, by its item or by its place; its
// outcome once, by its writer; who takes it over is the writer then.
func TestAttempt(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]session.Attempt{
		"by its item":  {Session: "s1", Step: 2, Pos: 1, Item: "i1", Writer: "w1", Deadline: now},
		"by its place": {Session: "s1", Step: 2, Pos: 1, Writer: "w1", Deadline: now},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			read := func() session.Attempt { return must2(h.Attempt(t.Context(), "s1", a.Item, 2, 1))(t) }
			h.wins(NewAttempt(a))
			h.loses(0, NewAttempt(a))
			is := read()
			if is.State != session.Intended || is.Version != 1 {
				t.Fatalf("%+v", is)
			}
			stranger := is
			stranger.State, stranger.Writer = session.Ran, "w2"
			h.loses(0, EndAttempt(stranger))
			taken := is
			taken.Writer = "w2"
			h.wins(TakeOverAttempt(taken))
			h.loses(0, TakeOverAttempt(taken))
			late := is
			late.State = session.Ran
			h.loses(0, EndAttempt(late)) // the first writer, after it was taken over
			done := read()
			done.State, done.Result = session.Ran, "r"
			h.wins(EndAttempt(done))
			h.loses(0, EndAttempt(done))
			h.loses(0, TakeOverAttempt(read()))
			if got := read(); got.State != session.Ran || got.Result != "r" || got.Writer != "w2" {
				t.Errorf("%+v", got)
			}
		})
	}
	h := newHouse(t)
	if a, err := h.Attempt(t.Context(), "s1", "", 9, 0); a != nil || err != nil {
		t.Error(a, err)
	}
}
