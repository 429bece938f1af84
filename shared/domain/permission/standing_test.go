package permission_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/permission"
)

var ada = actor.Actor{Provider: "slack", Workspace: "T1", ID: "U1", Kind: actor.Human}

const mail = `{"to":"Ada@Example.com","subject":"s","body":"b"}`

// The seed pins one argument and compares raw text.
func TestP23_ExactlyThatToolAndTarget(t *testing.T) {
	t.Parallel()
	s := permission.State{Task: "t1", Now: time.Unix(1, 0)}
	a, refused := permission.Mint(ada, call(t, "", "email_send", mail), s)
	if refused != "" {
		t.Fatal(refused)
	}
	s.Standing = []permission.Standing{a}
	for _, r := range []struct {
		name string
		c    permission.Call
		want permission.Outcome
	}{
		{"the same", call(t, "", "email_send", mail), permission.Allow},
		{"other case and text", call(t, "", "email_send", `{"to":" ada@example.COM ","subject":"x"}`), permission.Allow},
		{"empty lists say nothing", call(t, "", "email_send", `{"to":"ada@example.com","cc":[],"bcc":null,"attachments":[]}`), permission.Allow},
		{"other address", call(t, "", "email_send", `{"to":"eve@example.com"}`), permission.Ask},
		{"two addresses", call(t, "", "email_send", `{"to":"ada@example.com, eve@example.com"}`), permission.Ask},
		{"a list", call(t, "", "email_send", `{"to":["ada@example.com"]}`), permission.Ask},
		{"a name around it", call(t, "", "email_send", `{"to":"Eve <ada@example.com>"}`), permission.Ask},
		{"a look-alike letter", call(t, "", "email_send", `{"to":"ad\u0430@example.com"}`), permission.Ask},
		{"cc", call(t, "", "email_send", `{"to":"ada@example.com","cc":["eve@example.com"]}`), permission.Ask},
		{"bcc", call(t, "", "email_send", `{"to":"ada@example.com","bcc":["eve@example.com"]}`), permission.Ask},
		{"an attachment", call(t, "", "email_send", `{"to":"ada@example.com","attachments":["x"]}`), permission.Ask},
		{"an argument that nobody knows", call(t, "", "email_send", `{"to":"ada@example.com","forward":"eve@example.com"}`), permission.Ask},
		{"another account", call(t, "", "email_send", mail).WithAccount("work"), permission.Ask},
		{"another tool of that target", call(t, "", "slack_send_message", mail), permission.Ask},
		{"a server's tool of that name", call(t, "mail", "email_send", mail), permission.Ask},
	} {
		if d := permission.Evaluate(r.c, s); d.Outcome != r.want {
			t.Errorf("%s: %s (%s), want %s", r.name, d.Outcome, d.Reason, r.want)
		}
	}
	c := call(t, "", "email_send", mail)
	for name, change := range map[string]func(*permission.State){
		"read-only mode":            func(s *permission.State) { s.Mode = permission.Plan },
		"another task":              func(s *permission.State) { s.Task = "t2" },
		"no task":                   func(s *permission.State) { s.Task = "" },
		"revoked":                   func(s *permission.State) { s.Standing = nil },
		"raised to exec":            func(s *permission.State) { s.Overrides = overrides(t, rule("email_send", exec)) },
		"no target in the approval": func(s *permission.State) { s.Standing = []permission.Standing{{Task: "t1", Tool: "email_send"}} },
		"a wildcard": func(s *permission.State) {
			s.Standing = []permission.Standing{{Task: "t1", Tool: "email_send", Target: "*"}}
		},
	} {
		at := s
		change(&at)
		if d := permission.Evaluate(c, at); d.Outcome == permission.Allow {
			t.Errorf("%s: allowed by %s", name, d.By)
		}
	}
}

// Two targets that are not certain are not the same target.
func TestP23_NoTargetMatchesNone(t *testing.T) {
	t.Parallel()
	s := permission.State{Task: "t1", Standing: []permission.Standing{{Task: "t1", Tool: "slack_send_message"}}}
	if d := permission.Evaluate(call(t, "", "slack_send_message", `{"channel":"#general","text":"x"}`), s); d.Outcome != permission.Ask {
		t.Errorf("%+v", d)
	}
}

func TestP23_ChannelsByID(t *testing.T) {
	t.Parallel()
	s := permission.State{Task: "t1", Standing: []permission.Standing{{Task: "t1", Tool: "slack_send_message", Target: "C0123ABC"}}}
	send := func(channel string) permission.Call {
		return call(t, "", "slack_send_message", `{"channel":`+quoted(channel)+`,"text":"x"}`)
	}
	for channel, want := range map[string]permission.Outcome{
		"C0123ABC": permission.Allow, "slack:C0123ABC": permission.Allow, "<#C0123ABC|general>": permission.Allow,
		"https://acme.slack.com/archives/C0123ABC": permission.Allow,
		"C0123ABD": permission.Ask, "c0123abc": permission.Ask, "#general": permission.Ask, "general": permission.Ask, "*": permission.Ask,
	} {
		if d := permission.Evaluate(send(channel), s); d.Outcome != want {
			t.Errorf("%s: %s, want %s", channel, d.Outcome, want)
		}
	}
	// A name is resolved by whoever knows the workspace, and counts by its id.
	if d := permission.Evaluate(send("#general").WithTarget("C0123ABC"), s); d.Outcome != permission.Allow {
		t.Errorf("resolved: %+v", d)
	}
	if c := call(t, "", "run_shell", `{"command":"x"}`).WithTarget("C0123ABC"); c.Target != "" {
		t.Error("a tool without a declared target was given one")
	}
}

func TestP21_OnlyPeopleMintForATask(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	s := permission.State{Task: "t1", Now: now}
	c := call(t, "", "github_comment", `{"issue":"Acme/App#7","body":"x","account":"bot"}`)
	a, refused := permission.Mint(ada, c, s)
	want := permission.Standing{Task: "t1", Tool: "github_comment", Target: "acme/app#7", Account: "bot", By: "slack:T1/U1", At: now}
	if refused != "" || a != want {
		t.Errorf("%+v %s", a, refused)
	}
	for _, by := range []actor.Actor{
		{},
		{Kind: actor.Human}, // nobody
		{Provider: "slack", ID: "B1", Kind: actor.Bot},
		{Provider: "key", ID: "k1", Kind: actor.Key},
		{Provider: "postern", ID: "x", Kind: actor.Postern},
		{Provider: "timer", ID: "x", Kind: actor.Timer},
	} {
		if _, refused := permission.Mint(by, c, s); refused != permission.NotAPerson {
			t.Errorf("%+v minted: %q", by, refused)
		}
	}
	if _, refused := permission.Mint(ada, c, permission.State{}); refused != permission.NoTask {
		t.Errorf("outside a task: %q", refused)
	}
}

// The seed's eligibility ignores overrides that its engine honours.
func TestP22_NeverMinted(t *testing.T) {
	t.Parallel()
	s := permission.State{Task: "t1", Overrides: overrides(t, rule("slack_send_message", exec))}
	for _, r := range []struct {
		c    permission.Call
		want permission.Refusal
	}{
		{call(t, "", "run_shell", `{"command":"ls"}`), permission.NoTarget},
		{call(t, "", "slack_send_message", `{"channel":"C0123ABC","text":"x"}`), permission.IsExec},
		{call(t, "", "github_delete_repo", `{"repo":"a/b"}`), permission.IsFloor},
		{call(t, "", "github_force_push", `{"repo":"a/b"}`), permission.IsFloor},
		{call(t, "", "write_file", `{"path":"x"}`), permission.NoTarget},
		{call(t, "", "mine", `{}`), permission.NoTarget},
		{call(t, "notion", "create_page", `{}`), permission.NoTarget},
		{call(t, "notion", "github_comment", `{"issue":"a/b#1"}`), permission.NoTarget},
		{call(t, "", "github_read_issue", `{"issue":"a/b#1"}`), permission.IsRead},
		{call(t, "", "github_comment", `{"body":"x"}`), permission.NoTarget},
		{call(t, "", "github_comment", `{"issue":"a/*#1","body":"x"}`), permission.NoTarget},
		{call(t, "", "email_send", `{"to":"a@b.example","cc":["c@d.example"]}`), permission.MoreThanTarget},
	} {
		if _, refused := permission.Mint(ada, r.c, s); refused != r.want {
			t.Errorf("%s: %q, want %q", r.c.Name(), refused, r.want)
		}
		if r.want.Words() == string(r.want) {
			t.Errorf("%s has no words", r.want)
		}
	}
}

func TestP21_ConsentCardMintsWritesOnly(t *testing.T) {
	t.Parallel()
	now := time.Unix(1, 0)
	list := []permission.Permission{
		{Tool: "github_comment", Target: "Acme/App#7", Write: true},
		{Tool: "github_comment", Target: "acme/app#7", Write: true}, // the same again
		{Tool: "github_comment", Target: "acme/app#8"},              // a read is disclosure
		{Tool: "github_read_issue", Target: "acme/app#7", Write: true},
		{Tool: "run_shell", Target: "ls", Write: true},
		{Tool: "github_delete_repo", Target: "acme/app", Write: true},
		{Tool: "email_send", Target: "*", Write: true},
		{Tool: "nope", Target: "x", Write: true},
		{Tool: "slack_send_message", Target: "slack:C0123ABC", Account: "T1", Write: true},
	}
	got := permission.MintAll(ada, list, permission.State{Task: "t1", Now: now})
	want := []permission.Standing{
		{Task: "t1", Tool: "github_comment", Target: "acme/app#7", By: "slack:T1/U1", At: now},
		{Task: "t1", Tool: "slack_send_message", Target: "C0123ABC", Account: "T1", By: "slack:T1/U1", At: now},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	if permission.MintAll(actor.Actor{Kind: actor.Bot, Provider: "x", ID: "y"}, list, permission.State{Task: "t1"}) != nil {
		t.Error("an agent minted")
	}
}

// What a card offers (I9): every time only in a task's run, the session only
// where there is something to bind to.
func TestP22_Offers(t *testing.T) {
	t.Parallel()
	comment := call(t, "", "github_comment", `{"issue":"a/b#1","body":"x"}`)
	plain := permission.State{Session: "s1"}
	run := permission.State{Session: "s1", Task: "t1"}
	for _, r := range []struct {
		c    permission.Call
		s    permission.State
		want []permission.Choice
	}{
		{comment, plain, []permission.Choice{"allow", "deny", "allow_session"}},
		{comment, run, []permission.Choice{"allow", "deny", "allow_session", "allow_every_time"}},
		{call(t, "", "run_shell", `{"command":"ls"}`), run, []permission.Choice{"allow", "deny", "allow_session"}},
		{call(t, "", "github_delete_repo", `{"repo":"a/b"}`), run, []permission.Choice{"allow", "deny"}},
		{call(t, "notion", "create_page", `{}`), run, []permission.Choice{"allow", "deny"}},
	} {
		if got := permission.Offers(r.c, r.s); !reflect.DeepEqual(got, r.want) {
			t.Errorf("%s: %v, want %v", r.c.Name(), got, r.want)
		}
	}
}
