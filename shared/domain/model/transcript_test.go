package model

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/postern-dev/postern/shared/domain/session"
	"pgregory.net/rapid"
)

func user(n int64, text string) session.Step {
	return session.Step{N: n, Role: session.User, Text: text}
}

func asks(n int64, text string, calls ...session.Call) session.Step {
	return session.Step{N: n, Role: session.Assistant, Text: text, Calls: calls}
}

func answer(n, of int64, pos int, text string, ok bool) session.Step {
	return session.Step{N: n, Role: session.Result, Of: of, Pos: pos, Text: text, OK: ok}
}

func call(id, tool, arguments string) session.Call {
	return session.Call{ID: id, Tool: tool, Arguments: json.RawMessage(arguments)}
}

// S7: a message that came while a call waited follows the results; I3: a
// provider's id used twice becomes two.
func TestS7_ResultsComeBeforeOtherMessages(t *testing.T) {
	t.Parallel()
	got := FromTranscript([]session.Step{
		user(1, "hello"),
		asks(2, "two things", call("x", "a", `{"n":1}`), call("x", "b", `{}`)),
		answer(3, 2, 0, "one", true),
		user(4, "hurry"),
		answer(5, 2, 1, "no", false),
		asks(6, "", call("x", "c", `{}`)),
		answer(7, 6, 0, "", true),
	})
	want := []Message{
		{Role: User, Text: "hello"},
		{Role: Assistant, Text: "two things", Calls: []Call{
			{ID: "call_2_0", Tool: "a", Arguments: json.RawMessage(`{"n":1}`)},
			{ID: "call_2_1", Tool: "b", Arguments: json.RawMessage(`{}`)}}},
		{Role: Result, CallID: "call_2_0", ToolName: "a", Text: "one", OK: true},
		{Role: Result, CallID: "call_2_1", ToolName: "b", Text: "no"},
		{Role: User, Text: "hurry"},
		{Role: Assistant, Calls: []Call{{ID: "call_6_0", Tool: "c", Arguments: json.RawMessage(`{}`)}}},
		{Role: Result, CallID: "call_6_0", ToolName: "c", Text: silent, OK: true},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if err := Check(got); err != nil {
		t.Error(err)
	}
}

func TestS7_RepairsWhatIsMissing(t *testing.T) {
	t.Parallel()
	got := FromTranscript([]session.Step{
		asks(1, "", session.Call{Arguments: json.RawMessage(`{"cut`)}),
		answer(2, 9, 0, "of no call", true),
	})
	if err := Check(got); err != nil {
		t.Fatal(err)
	}
	if got[0].Text != opening || got[2].Text != unfilled || got[2].OK || len(got) != 3 {
		t.Errorf("got %+v", got)
	}
	if string(got[1].Calls[0].Arguments) != `{"unreadable_arguments":"{\"cut"}` || got[1].Calls[0].Tool != unnamed {
		t.Errorf("call %+v", got[1].Calls[0])
	}
}

var texts = rapid.SampledFrom([]string{"", " \n", "a", "b", "lines\nof text", "ü"})

// anySteps makes steps that no turn should write: results of nothing, twice or
// never, numbers used again, arguments cut short.
func anySteps(t *rapid.T) []session.Step {
	var steps []session.Step
	for range rapid.IntRange(0, 12).Draw(t, "steps") {
		step := session.Step{
			N:    rapid.Int64Range(0, 6).Draw(t, "n"),
			Role: rapid.SampledFrom([]session.Role{session.User, session.Assistant, session.Result, "else"}).Draw(t, "role"),
			Text: texts.Draw(t, "text"),
			Of:   rapid.Int64Range(0, 6).Draw(t, "of"),
			Pos:  rapid.IntRange(-1, 2).Draw(t, "pos"),
			OK:   rapid.Bool().Draw(t, "ok"),
		}
		if step.Role == session.Assistant {
			for range rapid.IntRange(0, 3).Draw(t, "calls") {
				step.Calls = append(step.Calls, call(
					rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "id"),
					rapid.SampledFrom([]string{"", "read", "write"}).Draw(t, "tool"),
					rapid.SampledFrom([]string{"", "null", "{}", `{"a":1}`, `{"a`, `[1]`, `"{"`}).Draw(t, "arguments")))
			}
		}
		steps = append(steps, step)
	}
	return steps
}

func TestS7_AlwaysValid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		steps := anySteps(t)
		before, err := json.Marshal(fmt.Sprintf("%+v", steps))
		if err != nil {
			t.Fatal(err)
		}
		got := FromTranscript(steps)
		if err := Check(got); err != nil {
			t.Fatalf("%v\nsteps %+v\ngot %+v", err, steps, got)
		}
		if after, _ := json.Marshal(fmt.Sprintf("%+v", steps)); string(before) != string(after) {
			t.Fatal("the steps were changed")
		}
		var want, said []string
		for _, s := range steps {
			if s.Role == session.User && !blank(s.Text) {
				want = append(want, s.Text)
			}
		}
		for _, m := range got {
			if m.Role == User && m.Text != opening {
				said = append(said, m.Text)
			}
		}
		if !reflect.DeepEqual(said, want) {
			t.Fatalf("users said %q, got %q", want, said)
		}
	})
}

// wellFormed makes a transcript as a turn writes it, users talking in between.
func wellFormed(t *rapid.T) []session.Step {
	steps := []session.Step{user(1, "begin")}
	add := func(s session.Step) {
		s.N = int64(len(steps) + 1)
		steps = append(steps, s)
	}
	for range rapid.IntRange(0, 6).Draw(t, "rounds") {
		made := asks(0, texts.Draw(t, "says"))
		for range rapid.IntRange(0, 3).Draw(t, "calls") {
			made.Calls = append(made.Calls, call("x", "tool", `{}`))
		}
		add(made)
		of := int64(len(steps))
		for pos := range made.Calls {
			if rapid.Bool().Draw(t, "steered") {
				add(user(0, fmt.Sprintf("said at %d", len(steps))))
			}
			add(answer(0, of, pos, fmt.Sprintf("result %d of %d", pos, of), rapid.Bool().Draw(t, "ok")))
		}
		if rapid.Bool().Draw(t, "more") {
			add(user(0, "go on"))
		}
	}
	return steps
}

// Every result of a well-formed transcript is in the messages as it was, and
// appending leaves what stands before as it is.
func TestS7_KeepsResultsAndPrefix(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		steps := wellFormed(t)
		all := FromTranscript(steps)
		heard := map[string]Message{}
		for _, m := range all {
			if m.Role == Result {
				heard[m.CallID] = m
			}
		}
		waiting := 0
		for i, s := range steps {
			if s.Role == session.Result {
				m := heard[callID(s.Of, s.Pos)]
				if m.Text != s.Text || m.OK != s.OK {
					t.Fatalf("result %+v became %+v", s, m)
				}
				waiting--
			}
			waiting += len(s.Calls)
			if waiting > 0 {
				continue
			}
			head := FromTranscript(steps[:i+1])
			if !reflect.DeepEqual(head, all[:len(head)]) {
				t.Fatalf("the first %d steps give\n%+v\nwhich is no head of\n%+v", i+1, head, all)
			}
		}
		if len(heard) != countResults(steps) {
			t.Fatalf("%d results of %d", len(heard), countResults(steps))
		}
	})
}

func countResults(steps []session.Step) int {
	n := 0
	for _, s := range steps {
		if s.Role == session.Result {
			n++
		}
	}
	return n
}
