package peers

import (
	"context"
	"testing"

	"github.com/cedar-policy/cedar-go"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"

	"github.com/postern-dev/postern/shared/domain/permission"
)

// asked is one call as each side takes it.
type asked struct {
	name, server, tool, class, path, target, args string
	mode                                          permission.Mode
	allowed                                       bool
}

var calls = []asked{
	{name: "a read", tool: "web_fetch", class: "read", args: `{"url":"https://example.com/"}`, mode: permission.Interactive, allowed: true},
	{name: "a write in scope asks", tool: "write_file", class: "write_local", path: "/work/primary/src/deep/er/main.go", args: `{"path":"src/deep/er/main.go","content":"x"}`, mode: permission.Custom},
	{name: "a write in scope, auto", tool: "write_file", class: "write_local", path: "/work/primary/a", args: `{"path":"a","content":"x"}`, mode: permission.Auto, allowed: true},
	{name: "a write out of scope", tool: "write_file", class: "write_local", path: "/etc/passwd", args: `{"path":"/etc/passwd","content":"x"}`, mode: permission.Auto},
	{name: "a write in plan", tool: "write_file", class: "write_local", path: "/work/primary/a", args: `{"path":"a","content":"x"}`, mode: permission.Plan},
	{name: "a comment, custom", tool: "github_comment", class: "external", target: "a/b#1", args: `{"issue":"a/b#1","body":"x"}`, mode: permission.Custom, allowed: true},
	{name: "a comment asks", tool: "github_comment", class: "external", target: "a/b#1", args: `{"issue":"a/b#1","body":"x"}`, mode: permission.Interactive},
	{name: "an override to read", tool: "tool7_list", class: "external", args: `{}`, mode: permission.Interactive, allowed: true},
	{name: "a server's tool asks", server: "server9", tool: "create_page", class: "external", args: `{}`, mode: permission.Interactive},
	{name: "an unknown tool asks", tool: "something", class: "external", args: `{}`, mode: permission.Interactive},
}

func call(tb testing.TB, a asked) permission.Call {
	tb.Helper()
	c, err := permission.NewCall(a.server, a.tool, []byte(a.args))
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func state(tb testing.TB, mode permission.Mode) permission.State {
	tb.Helper()
	s, err := ours(mode)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func cedarSide(tb testing.TB) (*cedar.PolicySet, func(asked) cedar.Request) {
	tb.Helper()
	set, err := cedar.NewPolicySetFromBytes("policy.cedar", []byte(cedarPolicy()))
	if err != nil {
		tb.Fatal(err)
	}
	return set, func(a asked) cedar.Request {
		return cedar.Request{Principal: cedar.NewEntityUID("Session", "s1"), Action: cedar.NewEntityUID("Action", "call"), Resource: cedar.NewEntityUID("Tool", cedar.String(a.tool)),
			Context: cedar.NewRecord(cedar.RecordMap{"server": cedar.String(a.server), "tool": cedar.String(a.tool), "class": cedar.String(a.class),
				"path": cedar.String(a.path), "target": cedar.String(a.target), "mode": cedar.String(a.mode), "task": cedar.String("t1")})}
	}
}

func opaSide(tb testing.TB) (rego.PreparedEvalQuery, func(asked) ast.Value) {
	tb.Helper()
	q, err := rego.New(rego.Query("data.postern.decision"), rego.Module("policy.rego", regoPolicy())).PrepareForEval(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return q, func(a asked) ast.Value {
		v, err := ast.InterfaceToValue(map[string]any{"server": a.server, "tool": a.tool, "class": a.class, "path": a.path,
			"target": a.target, "mode": string(a.mode), "task": "t1"})
		if err != nil {
			tb.Fatal(err)
		}
		return v
	}
}

func decide(tb testing.TB, q rego.PreparedEvalQuery, in ast.Value) string {
	r, err := q.Eval(context.Background(), rego.EvalParsedInput(in))
	if err != nil || len(r) != 1 {
		tb.Fatal(r, err)
	}
	s, _ := r[0].Expressions[0].Value.(string)
	return s
}

// Q6: all three say the same, so they may be compared.
func TestQ6_SameDecisions(t *testing.T) {
	t.Parallel()
	set, request := cedarSide(t)
	query, input := opaSide(t)
	for _, a := range calls {
		d := permission.Evaluate(call(t, a), state(t, a.mode))
		if (d.Outcome == permission.Allow) != a.allowed {
			t.Errorf("%s: ours says %s (%s)", a.name, d.Outcome, d.Reason)
		}
		if ok, _ := cedar.Authorize(set, cedar.EntityMap{}, request(a)); (ok == cedar.Allow) != a.allowed {
			t.Errorf("%s: Cedar says %v", a.name, ok)
		}
		if s := decide(t, query, input(a)); (s == "allow") != a.allowed || s == "" {
			t.Errorf("%s: OPA says %q", a.name, s)
		}
	}
}

// measured are the two calls of quality.md's table: an allow-listed read, and
// the full order with a path and a hundred rules.
var measured = map[string]asked{"read": calls[0], "full": calls[1]}

func BenchmarkPostern(b *testing.B) {
	for name, a := range measured {
		b.Run(name, func(b *testing.B) {
			c, s := call(b, a), state(b, a.mode)
			b.ReportAllocs()
			var d permission.Decision
			for b.Loop() {
				d = permission.Evaluate(c, s)
			}
			if (d.Outcome == permission.Allow) != a.allowed {
				b.Fatal(d)
			}
		})
	}
}

func BenchmarkCedar(b *testing.B) {
	set, request := cedarSide(b)
	for name, a := range measured {
		b.Run(name, func(b *testing.B) {
			r := request(a)
			b.ReportAllocs()
			ok := cedar.Deny
			for b.Loop() {
				ok, _ = cedar.Authorize(set, cedar.EntityMap{}, r)
			}
			if (ok == cedar.Allow) != a.allowed {
				b.Fatal(ok)
			}
		})
	}
}

func BenchmarkOPA(b *testing.B) {
	query, input := opaSide(b)
	for name, a := range measured {
		b.Run(name, func(b *testing.B) {
			in := input(a)
			b.ReportAllocs()
			s := ""
			for b.Loop() {
				s = decide(b, query, in)
			}
			if (s == "allow") != a.allowed {
				b.Fatal(s)
			}
		})
	}
}
