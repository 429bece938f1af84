package permission_test

import (
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/permission"
)

func TestP16_CustomGrammar(t *testing.T) {
	t.Parallel()
	roots := []permission.Root{{Path: "/work", Writable: true}}
	const write, comment = `{"path":"x"}`, `{"issue":"a/b#1","body":""}`
	for _, r := range []struct {
		term, server, tool, args string
		override                 []permission.Override
		want                     permission.Outcome
	}{
		{"write_file", "", "write_file", write, nil, permission.Allow},
		{"write_file", "", "replace_in_file", write, nil, permission.Ask},
		{"write_file", "notion", "write_file", write, nil, permission.Ask}, // a server's tool of that name
		{"mine", "", "mine", `{}`, nil, permission.Allow},
		{"run_shell", "", "run_shell", `{"command":"make"}`, nil, permission.Allow},
		{"risk:write_local", "", "write_file", write, nil, permission.Allow},
		{"risk:write_local", "", "Edit", `{"file_path":"x"}`, nil, permission.Allow},
		{"risk:write_local", "", "github_comment", comment, nil, permission.Ask},
		{"risk:write_local", "", "write_file", write, []permission.Override{rule("write_file", external)}, permission.Ask},
		{"risk:external", "", "github_comment", comment, nil, permission.Allow},
		{"risk:external", "", "run_shell", `{"command":"make"}`, []permission.Override{rule("run_shell", external)}, permission.Ask},
		{"risk:external", "", "github_delete_repo", `{"repo":"a/b"}`, nil, permission.Ask},
		{"capability:files", "", "write_file", write, nil, permission.Allow},
		{"capability:files", "", "Write", `{"file_path":"x"}`, nil, permission.Allow},
		{"capability:files", "", "github_comment", comment, nil, permission.Ask},
		{"capability:github", "", "github_comment", comment, nil, permission.Allow},
		{"capability:github", "", "github_force_push", `{"repo":"a/b"}`, nil, permission.Ask},
		{"capability:shell", "", "shell_task_kill", `{"task":"1"}`, nil, permission.Ask},
		{"mcp:notion/create_*", "notion", "create_page", `{}`, nil, permission.Allow},
		{"mcp:notion/create_*", "notion", "delete_page", `{}`, nil, permission.Ask},
		{"mcp:notion/create_*", "notion2", "create_page", `{}`, nil, permission.Ask},
		{"mcp:notion/create_*", "", "create_page", `{}`, nil, permission.Ask},
		{"mcp:notion/*", "", "mcp__notion__x", `{}`, nil, permission.Allow},
		{"mcp:notion/*", "notion", "run", `{}`, []permission.Override{rule("notion/run", exec)}, permission.Ask},
		{"mcp:notion/run", "notion", "run", `{}`, []permission.Override{rule("notion/run", exec)}, permission.Allow},
	} {
		s := permission.State{
			Mode: permission.Custom, Roots: roots, Overrides: overrides(t, r.override...),
			Custom: grammar(t, "todo_write", r.term),
		}
		c := call(t, r.server, r.tool, r.args)
		d := permission.Evaluate(c, s)
		if d.Outcome != r.want {
			t.Errorf("%s on %s: %s (%s), want %s", r.term, c.Name(), d.Outcome, d.Reason, r.want)
		}
		if d.Outcome == permission.Allow && d.By.String() != "custom "+r.term {
			t.Errorf("%s on %s: by %s", r.term, c.Name(), d.By)
		}
		if s.Mode = permission.Interactive; permission.Evaluate(c, s).Outcome == permission.Allow {
			t.Errorf("%s lets %s pass outside mode custom", r.term, c.Name())
		}
	}
}

func TestP16_BadTermsAreErrorsThatNameTheTerm(t *testing.T) {
	t.Parallel()
	for _, term := range []string{
		"", "write_*", "a b", "notion/x", "risk:exec", "risk:", "risk:Read", "capability:", "capability:nope",
		"mcp:notion", "mcp:/x", "mcp:*/x", "mcp:n/", "mcp:n/a[", "kind:x", "github_delete_repo", "mcp:no*/x",
	} {
		if _, err := permission.NewGrammar([]string{"write_file", term}); err == nil || !strings.Contains(err.Error(), "term 2") {
			t.Errorf("%q: %v", term, err)
		}
	}
}
