package permission_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/permission"
)

var sink permission.Decision

// Goal: 0.3 µs, no allocation.
func BenchmarkEvaluateRead(b *testing.B) {
	c := call(b, "", "web_fetch", `{"url":"https://example.com/"}`)
	s := permission.State{Session: "s1", Mode: permission.Interactive, Now: time.Unix(1, 0)}
	b.ReportAllocs()
	for b.Loop() {
		sink = permission.Evaluate(c, s)
	}
	if sink.Outcome != permission.Allow {
		b.Fatal(sink)
	}
}

// Goal: 2 µs, with every step of the order asked: a path, 100 overrides, and
// the call asking in the end.
func BenchmarkEvaluateFull(b *testing.B) {
	c := call(b, "", "write_file", `{"path":"src/deep/er/main.go","content":"x"}`)
	s := full(b)
	b.ReportAllocs()
	for b.Loop() {
		sink = permission.Evaluate(c, s)
	}
	if sink.Step != permission.Steps {
		b.Fatal(sink)
	}
}

// full is a state with something at each step, none of which hits.
func full(tb testing.TB) permission.State {
	tb.Helper()
	var rules []permission.Override
	for i := range 50 {
		rules = append(rules,
			permission.Override{Pattern: fmt.Sprintf("server%d/create_*", i), Risk: permission.External},
			permission.Override{Pattern: fmt.Sprintf([]string{"tool%d_*", "*_tool%d"}[i%2], i), Risk: permission.Read})
	}
	s := permission.State{
		Session: "s1", Mode: permission.Custom, Task: "t1", Now: time.Unix(1, 0),
		Overrides: overrides(tb, rules...),
		Roots:     []permission.Root{{Path: "/work/primary", Writable: true}, {Path: "/work/other"}},
		Commands:  commands(tb, "go test", "ls"),
		Custom:    grammar(tb, "github_comment", "risk:external", "mcp:notion/read_*"),
	}
	for i := range 10 {
		s.Allowed = append(s.Allowed, permission.Allowance{Session: "s1", Tool: fmt.Sprint("tool", i)})
		s.Standing = append(s.Standing, permission.Standing{Task: "t1", Tool: "github_comment", Target: fmt.Sprintf("a/b#%d", i+1)})
	}
	return s
}

// A command that the allow list holds: parsed as shell each time (P15).
func BenchmarkEvaluateCommand(b *testing.B) {
	c := call(b, "", "run_shell", `{"command":"go test -run=TestX ./shared/..."}`)
	s := permission.State{Session: "s1", Commands: commands(b, "ls", "git status", "go test"), Now: time.Unix(1, 0)}
	b.ReportAllocs()
	for b.Loop() {
		sink = permission.Evaluate(c, s)
	}
	if sink.Step != 6 {
		b.Fatal(sink)
	}
}

// Reading a proposed call: canonical form, digest, target.
func BenchmarkNewCall(b *testing.B) {
	args := []byte(`{"issue":"acme/app#7","body":"A comment of ordinary length, as an agent writes it."}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := permission.NewCall("", "github_comment", args); err != nil {
			b.Fatal(err)
		}
	}
}

// The speed table of quality.md: no allocation on an allow-listed read, by its
// catalog class or by a person's override. (AllocsPerRun does not like
// t.Parallel.)
func TestP13_AReadAllocatesNothing(t *testing.T) {
	s := full(t)
	s.Overrides = overrides(t, permission.Override{Pattern: "notion/read_*", Risk: permission.Read})
	for _, c := range []permission.Call{
		call(t, "", "web_fetch", `{"url":"https://example.com/"}`),
		call(t, "notion", "read_page", `{}`),
	} {
		n := testing.AllocsPerRun(100, func() { sink = permission.Evaluate(c, s) })
		if n != 0 || sink.Outcome != permission.Allow {
			t.Errorf("%s: %v allocations, %s", c.Name(), n, sink.Outcome)
		}
	}
}
