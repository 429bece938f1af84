package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNewCall(t *testing.T) {
	t.Parallel()
	cases := []struct {
		in, out string
		bad     bool
	}{
		{`{"a":1}`, `{"a":1}`, false},
		{" {\"a\": 1}\n", `{"a": 1}`, false},
		{"", "{}", false},
		{"null", "{}", false},
		{`{"a":`, `"{\"a\":"`, true},
		{`[1]`, `"[1]"`, true},
		{`{"a":1}{"b":2}`, `"{\"a\":1}{\"b\":2}"`, true},
		{`"text"`, `"\"text\""`, true},
	}
	for _, c := range cases {
		got := NewCall("id", "tool", c.in)
		if string(got.Arguments) != c.out || (got.Bad != "") != c.bad {
			t.Errorf("%q: got %s, bad %q", c.in, got.Arguments, got.Bad)
		}
		if _, err := json.Marshal(got); err != nil {
			t.Errorf("%q: cannot be stored: %v", c.in, err)
		}
	}
}

func TestErrorKinds(t *testing.T) {
	t.Parallel()
	for kind, transient := range map[Kind]bool{
		Throttled: true, Overloaded: true, Unavailable: true, Refused: false, BadRequest: false,
	} {
		err := fmt.Errorf("turn: %w", &Error{Kind: kind, Err: context.DeadlineExceeded})
		var e *Error
		if !errors.As(err, &e) || e.Transient() != transient || KindOf(err) != kind {
			t.Errorf("%s: %+v", kind, e)
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: the cause is lost", kind)
		}
	}
	if KindOf(errors.New("other")) != Unavailable {
		t.Error("an unknown error is not unavailable")
	}
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	hello := Message{Role: User, Text: "hello"}
	said := Message{Role: Assistant, Calls: []Call{
		{ID: "1", Tool: "a", Arguments: json.RawMessage("{}")},
		{ID: "2", Tool: "a", Arguments: json.RawMessage("{}")}}}
	result := func(id string) Message { return Message{Role: Result, CallID: id, Text: "x"} }
	if err := Check([]Message{hello, said, result("1"), result("2"), hello}); err != nil {
		t.Fatal(err)
	}
	for name, messages := range map[string][]Message{
		"nothing":             nil,
		"assistant first":     {{Role: Assistant, Text: "x"}},
		"empty user":          {{Role: User, Text: " "}},
		"empty assistant":     {hello, {Role: Assistant}},
		"unanswered":          {hello, said, result("1")},
		"user in between":     {hello, said, result("1"), hello, result("2")},
		"out of order":        {hello, said, result("2"), result("1")},
		"result of nothing":   {hello, result("1")},
		"empty result":        {hello, said, {Role: Result, CallID: "1"}},
		"id used twice":       {hello, said, result("1"), result("2"), said, result("1"), result("2")},
		"no tool":             {hello, {Role: Assistant, Calls: []Call{{ID: "1", Arguments: json.RawMessage("{}")}}}},
		"arguments no object": {hello, {Role: Assistant, Calls: []Call{{ID: "1", Tool: "a", Arguments: json.RawMessage(`"x"`)}}}},
		"unknown role":        {hello, {Role: "system", Text: "x"}},
	} {
		if Check(messages) == nil {
			t.Errorf("%s: let through", name)
		}
	}
}

func TestS12_Names(t *testing.T) {
	t.Parallel()
	long := "mcp__notion__" + strings.Repeat("page", 30)
	tools := []Tool{{Name: "web_fetch"}, {Name: long + "_create"}, {Name: long + "_delete"}, {Name: "dotted.name"}}
	n := NewNames(64, tools)
	if n.Out("web_fetch") != "web_fetch" {
		t.Error("a name that fits was changed")
	}
	if n.Out(long+"_create") == n.Out(long+"_delete") {
		t.Error("two long names became one")
	}
	if n.In("never_offered") != "never_offered" {
		t.Error("an unknown name was changed")
	}
	// A tool that bears another's short name does not take its calls.
	taken := append(tools, Tool{Name: n.Out(long + "_create")})
	m := NewNames(64, taken)
	if m.In(m.Out(long+"_create")) != long+"_create" || m.In(taken[4].Name) != taken[4].Name {
		t.Error("a name was taken over")
	}
}

func TestS12_NamesThereAndBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfDistinct(rapid.StringMatching(`[a-c._/é]{0,40}`), rapid.ID[string]).Draw(t, "names")
		var tools []Tool
		for _, name := range names {
			tools = append(tools, Tool{Name: name})
		}
		limit := rapid.IntRange(16, 64).Draw(t, "limit")
		n := NewNames(limit, tools)
		for _, name := range names {
			if out := n.Out(name); !fits(out, limit) || n.In(out) != name {
				t.Fatalf("%q became %q and %q", name, out, n.In(out))
			}
		}
	})
}

func TestOffered(t *testing.T) {
	t.Parallel()
	said := Message{Role: Assistant, Calls: []Call{{Tool: "a"}, {Tool: "b"}, {Tool: "a"}}}
	if got := Offered(Request{Messages: []Message{said}}); len(got) != 2 || got[0].Name != "a" || got[1].Name != "b" {
		t.Errorf("got %+v", got)
	}
	if got := Offered(Request{Messages: []Message{said}, Tools: []Tool{{Name: "c"}}}); len(got) != 1 || got[0].Name != "c" {
		t.Errorf("got %+v", got)
	}
}
