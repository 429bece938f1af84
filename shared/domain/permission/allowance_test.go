package permission_test

import (
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/permission"
)

// The seed forgets an allowance at a restart, lets one for the shell cover
// every command, and one for a server's tool every target.
func TestP17_AllowanceBinds(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	s := permission.State{
		Session: "s1", Now: now, Overrides: overrides(t, rule("pages/publish", exec)),
		Roots: []permission.Root{{Path: "/work", Writable: true}},
	}
	comment := call(t, "", "github_comment", `{"issue":"acme/app#7","body":"one"}`)
	for _, r := range []struct {
		name    string
		granted permission.Call // what "allow for this session" was said to
		asked   permission.Call
		later   time.Duration
		want    permission.Outcome
	}{
		{"same target, other text", comment, call(t, "", "github_comment", `{"issue":"ACME/app#7","body":"two"}`), time.Hour, permission.Allow},
		{"other target", comment, call(t, "", "github_comment", `{"issue":"acme/app#8","body":"one"}`), 0, permission.Ask},
		{"other tool", comment, call(t, "", "github_merge_pr", `{"issue":"acme/app#7"}`), 0, permission.Ask},
		{"other account", comment, call(t, "", "github_comment", `{"issue":"acme/app#7","account":"work"}`), 0, permission.Ask},
		{"a recipient more", comment, call(t, "", "github_comment", `{"issue":"acme/app#7","cc":["x"]}`), 0, permission.Ask},
		{"just under 24 hours", comment, comment, 24*time.Hour - time.Second, permission.Allow},
		{"24 hours", comment, comment, 24 * time.Hour, permission.Ask},
		{
			"a command", call(t, "", "run_shell", `{"command":"make all | tee x"}`),
			call(t, "", "run_shell", `{"command":"make all | tee x","timeout":9}`), 90 * 24 * time.Hour, permission.Allow,
		},
		{"another command", call(t, "", "run_shell", `{"command":"make"}`), call(t, "", "run_shell", `{"command":"make "}`), 0, permission.Ask},
		{"the command elsewhere", call(t, "", "run_shell", `{"command":"make"}`), call(t, "", "run_shell", `{"command":"make","cwd":"/x"}`), 0, permission.Ask},
		{"a list", call(t, "", "shell", `{"command":["a","b"]}`), call(t, "", "shell", `{"command":["a b"]}`), 0, permission.Ask},
		{"a file tool", call(t, "", "write_file", `{"path":"a"}`), call(t, "", "write_file", `{"path":"b"}`), 48 * time.Hour, permission.Allow},
		{"a file tool, outside", call(t, "", "write_file", `{"path":"a"}`), call(t, "", "write_file", `{"path":"/b"}`), 0, permission.Deny},
	} {
		a, ok := permission.AllowanceFor(r.granted, s)
		if !ok {
			t.Errorf("%s: not offered", r.name)
			continue
		}
		at := s
		at.Allowed, at.Now = []permission.Allowance{a}, now.Add(r.later)
		if d := permission.Evaluate(r.asked, at); d.Outcome != r.want {
			t.Errorf("%s: %s (%s), want %s", r.name, d.Outcome, d.Reason, r.want)
		}
		at.Session = "s2"
		if d := permission.Evaluate(r.asked, at); d.Outcome == permission.Allow {
			t.Errorf("%s: holds in another session", r.name)
		}
	}
}

func TestP17_NeverOffered(t *testing.T) {
	t.Parallel()
	s := permission.State{Session: "s1", Overrides: overrides(t, rule("write_file", external), rule("notion/w", local))}
	for name, c := range map[string]permission.Call{
		"floor":                       call(t, "", "github_delete_repo", `{"repo":"a/b"}`),
		"no target declared":          call(t, "", "mine", `{}`),
		"a server's tool":             call(t, "notion", "create_page", `{}`),
		"a server's tool that writes": call(t, "notion", "w", `{}`),
		"target not certain":          call(t, "", "slack_send_message", `{"channel":"#general","text":"x"}`),
		"more than the target":        call(t, "", "email_send", `{"to":"a@b.example","subject":"x","body":"x","bcc":["c@d.example"]}`),
		"writes who knows where":      call(t, "", "replace_in_file", `{}`),
		"raised to external":          call(t, "", "write_file", `{"path":"x"}`),
		"more than a command":         call(t, "", "run_shell", `{"command":"x","env":{"a":"b"}}`),
		"no command":                  call(t, "", "shell_task_kill", `{"task":"x"}`),
	} {
		if a, ok := permission.AllowanceFor(c, s); ok {
			t.Errorf("%s: offered %+v", name, a)
		}
	}
	if _, ok := permission.AllowanceFor(call(t, "", "write_file", `{"path":"x"}`), permission.State{}); ok {
		t.Error("offered without a session")
	}
}

// An allowance row that names too little covers nothing.
func TestP17_EmptyAllowanceCoversNothing(t *testing.T) {
	t.Parallel()
	s := permission.State{Session: "s1", Now: time.Unix(1, 0)}
	s.Allowed = []permission.Allowance{
		{},
		{Session: "s1"},
		{Session: "s1", Tool: "run_shell"},
		{Session: "s1", Tool: "slack_send_message", Granted: s.Now},
		{Session: "s1", Server: "notion", Tool: "x", Granted: s.Now},
	}
	for _, c := range []permission.Call{
		call(t, "", "run_shell", `{"command":7}`),
		call(t, "", "slack_send_message", `{"channel":"#general"}`),
		call(t, "notion", "x", `{}`),
	} {
		if d := permission.Evaluate(c, s); d.Outcome != permission.Ask {
			t.Errorf("%s: %+v", c.Name(), d)
		}
	}
}
