package session

import (
	"slices"
	"testing"
)

func said(text string, calls ...string) Step {
	s := Step{Role: Assistant, Text: text}
	for _, c := range calls {
		s.Calls = append(s.Calls, Call{Tool: c})
	}
	return s
}

func heard(text string) Step { return Step{Role: User, Text: text} }

func result(of int64, pos int, tool string, ok bool) Step {
	return Step{Role: Result, Of: of, Pos: pos, From: tool, OK: ok}
}

func numbered(steps ...Step) []Step {
	for i := range steps {
		steps[i].N = int64(i + 1)
	}
	return steps
}

// S6, S7: what a transcript asks for next, from the steps alone.
func TestWhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		steps  []Step
		asked  int64 // number of the step whose calls are open
		open   []int
		thinks bool
		said   string
		slept  bool
	}{
		{name: "nothing yet", steps: nil},
		{name: "a message waits for the model (S6)", steps: numbered(heard("a")), thinks: true},
		{name: "two messages and no answer", steps: numbered(heard("a"), heard("b")), thinks: true},
		{name: "words end the run", steps: numbered(heard("a"), said("done")), said: "done"},
		{name: "a message after the words (S1)", steps: numbered(heard("a"), said("done"), heard("b")), thinks: true},
		{name: "two calls, none answered", steps: numbered(heard("a"), said("", "x", "y")), asked: 2, open: []int{0, 1}},
		{name: "the second is open (S9)", steps: numbered(heard("a"), said("", "x", "y"), result(2, 0, "x", true)), asked: 2, open: []int{1}},
		{name: "answered out of order", steps: numbered(heard("a"), said("", "x", "y"), result(2, 1, "y", true)), asked: 2, open: []int{0}},
		{name: "all answered: on to the model", steps: numbered(heard("a"), said("", "x"), result(2, 0, "x", true)), thinks: true},
		{name: "a denial is a result (S6)", steps: numbered(heard("a"), said("", "x"), result(2, 0, "x", false)), thinks: true},
		{name: "a sleep ends the turn (W1)", steps: numbered(heard("a"), said("", "sleep_for"), result(2, 0, "sleep_for", true)), slept: true},
		{name: "a refused sleep does not", steps: numbered(heard("a"), said("", "sleep_for"), result(2, 0, "sleep_for", false)), thinks: true},
		{name: "a sleep beside another call", steps: numbered(heard("a"), said("", "x", "sleep_for"), result(2, 0, "x", true), result(2, 1, "sleep_for", true)), slept: true},
		{name: "woken (W2)", steps: numbered(heard("a"), said("", "sleep_for"), result(2, 0, "sleep_for", true), heard("woken")), thinks: true},
		{name: "an open call goes before a message", steps: numbered(heard("a"), said("", "x", "y"), result(2, 0, "x", true), heard("b")), asked: 2, open: []int{1}},
		{name: "the last message's results count only", steps: numbered(heard("a"), said("", "sleep_for"), result(2, 0, "sleep_for", true), heard("w"), said("", "x")), asked: 5, open: []int{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := Where(c.steps)
			asked := int64(0)
			if w.Asked != nil {
				asked = w.Asked.N
			}
			got := ""
			if w.Said != nil {
				got = w.Said.Text
			}
			if asked != c.asked || !slices.Equal(w.Open, c.open) || w.Thinks != c.thinks || got != c.said || w.Slept != c.slept {
				t.Errorf("%+v", w)
			}
			if w.Next != int64(len(c.steps)+1) {
				t.Errorf("next is %d", w.Next)
			}
		})
	}
}

// S6: limits count over the whole run, parks included, and begin anew when a
// run has ended with words.
func TestSpent(t *testing.T) {
	t.Parallel()
	used := func(s Step, in, out int64) Step {
		s.Used = Usage{Input: in, Output: out}
		return s
	}
	for _, c := range []struct {
		name  string
		steps []Step
		want  Usage
	}{
		{"nothing", nil, Usage{}},
		{"one call", numbered(heard("a"), used(said("", "x"), 10, 2)), Usage{Iterations: 1, Input: 10, Output: 2}},
		{"over a park", numbered(heard("a"), used(said("", "x"), 10, 2), result(2, 0, "x", true), used(said("", "y"), 20, 3)), Usage{Iterations: 2, Input: 30, Output: 5}},
		{"over a sleep", numbered(heard("a"), used(said("", "sleep_for"), 10, 2), result(2, 0, "sleep_for", true), heard("w"), used(said("", "x"), 1, 1)), Usage{Iterations: 2, Input: 11, Output: 3}},
		{"ended", numbered(heard("a"), used(said("", "x"), 10, 2), result(2, 0, "x", true), used(said("done"), 20, 3)), Usage{}},
		{"a new run", numbered(heard("a"), used(said("done"), 20, 3), heard("b"), used(said("", "x"), 7, 1)), Usage{Iterations: 1, Input: 7, Output: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := Spent(c.steps); got != c.want {
				t.Errorf("%+v, not %+v", got, c.want)
			}
		})
	}
}
