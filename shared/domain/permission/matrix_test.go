package permission_test

import (
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/permission"
)

// TestP13_ModesByClass is the table of modes against classes. It follows the
// seed's acceptance table, with three departures: in custom an exec tool passes
// by its own name only (P16), a connector's tool may be allowed for a session
// by exact target (P17), and asking says where (I15).
func TestP13_ModesByClass(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	base := permission.State{
		Session: "s1", Now: now, Task: "t1",
		Roots: []permission.Root{{Path: "/work/a", Writable: true}, {Path: "/work/ro"}},
	}
	const (
		allow = permission.Allow
		deny  = permission.Deny
		ask   = permission.Ask
	)
	comment := `{"issue":"Acme/App#7","body":"x"}`
	rows := []struct {
		name       string
		tool, args string
		set        func(*permission.State)
		want       [5]permission.Outcome // discuss plan interactive custom auto
	}{
		{"read", "web_fetch", `{"url":"https://a.example"}`, nil, [5]permission.Outcome{allow, allow, allow, allow, allow}},
		{"write in a writable root", "write_file", `{"path":"x.go"}`, nil, [5]permission.Outcome{deny, deny, ask, ask, allow}},
		{
			"write, named in custom", "write_file", `{"path":"x.go"}`,
			func(s *permission.State) { s.Custom = grammar(t, "risk:write_local") },
			[5]permission.Outcome{deny, deny, ask, allow, allow},
		},
		{"write outside", "write_file", `{"path":"/etc/passwd"}`, nil, [5]permission.Outcome{deny, deny, deny, deny, deny}},
		{
			"write in a read-only root", "write_file", `{"path":"/work/ro/x"}`,
			func(s *permission.State) { s.Custom = grammar(t, "write_file") },
			[5]permission.Outcome{deny, deny, deny, deny, deny},
		},
		{"exec", "run_shell", `{"command":"make"}`, nil, [5]permission.Outcome{deny, deny, ask, ask, allow}},
		{
			"exec, capability named in custom", "run_shell", `{"command":"make"}`,
			func(s *permission.State) { s.Custom = grammar(t, "run_shell") },
			[5]permission.Outcome{deny, deny, ask, allow, allow},
		},
		{
			"exec on the allow list", "run_shell", `{"command":"go test ./..."}`,
			func(s *permission.State) { s.Commands = commands(t, "go test") },
			[5]permission.Outcome{deny, deny, allow, allow, allow},
		},
		{"external", "github_comment", comment, nil, [5]permission.Outcome{deny, deny, ask, ask, allow}},
		{
			"external with a standing approval", "github_comment", comment,
			func(s *permission.State) {
				s.Standing = []permission.Standing{{Task: "t1", Tool: "github_comment", Target: "acme/app#7"}}
			},
			[5]permission.Outcome{deny, deny, allow, allow, allow},
		},
		{
			"external, allowed for the session", "github_comment", comment,
			func(s *permission.State) {
				s.Allowed = []permission.Allowance{{Session: "s1", Tool: "github_comment", Target: "acme/app#7", Granted: now}}
			},
			[5]permission.Outcome{deny, deny, allow, allow, allow},
		},
		{"irreversible", "github_delete_repo", `{"repo":"acme/app"}`, nil, [5]permission.Outcome{deny, deny, ask, ask, ask}},
		{"unknown tool", "do_things", `{}`, nil, [5]permission.Outcome{deny, deny, ask, ask, allow}},
	}
	modes := []permission.Mode{permission.Discuss, permission.Plan, permission.Interactive, permission.Custom, permission.Auto}
	for _, r := range rows {
		for i, m := range modes {
			s := base
			s.Mode = m
			if r.set != nil {
				r.set(&s)
			}
			c := call(t, "", r.tool, r.args)
			d := permission.Evaluate(c, s)
			if d.Outcome != r.want[i] {
				t.Errorf("%s in %s: %s (%s), want %s", r.name, m, d.Outcome, d.Reason, r.want[i])
			}
			s.Unattended = true // changes where asking goes, and nothing else
			want := r.want[i]
			if want == ask {
				want = permission.Route
			}
			if d := permission.Evaluate(c, s); d.Outcome != want {
				t.Errorf("%s in %s, unattended: %s, want %s", r.name, m, d.Outcome, want)
			}
		}
	}
}
