package permission_test

import (
	"testing"

	"github.com/postern-dev/postern/shared/domain/permission"
)

// The seed keys an item by the provider's call id, which providers reuse, and
// compares no arguments; a peer grants by tool name (R14).
func TestP25_GrantIsForOneCall(t *testing.T) {
	t.Parallel()
	c := call(t, "", "github_comment", `{"issue":"acme/app#7","body":"x"}`)
	s := permission.State{Session: "s1"}
	now := permission.Today{Session: "s1", Generation: 3}
	executor := permission.Today{Session: "s1", Generation: 3, Executor: true, TicketOpen: true, Mandate: true}
	grant := permission.GrantFor("i1", "s1", 3, c)
	with := func(f func(*permission.Grant)) permission.Grant { g := grant; f(&g); return g }
	other := func(f func(*permission.Today)) permission.Today { n := executor; f(&n); return n }
	for _, r := range []struct {
		name string
		g    permission.Grant
		c    permission.Call
		s    permission.State
		now  permission.Today
		want permission.Refusal
	}{
		{"asked inline", grant, c, s, now, ""},
		{"routed", grant, c, permission.State{Session: "s1", Unattended: true}, now, ""},
		{"allowed by today's state", grant, c, permission.State{Mode: permission.Auto}, now, ""},
		{"of an executor", grant, c, s, executor, ""},
		{"the same arguments, written otherwise", grant, call(t, "", "github_comment", `{"body":"\u0078", "issue" : "acme/app#7"}`), s, now, ""},
		{"denied today", grant, c, permission.State{Mode: permission.Plan}, now, permission.DeniedToday},
		{"other arguments", grant, call(t, "", "github_comment", `{"issue":"acme/app#7","body":"y"}`), s, now, permission.OtherArguments},
		{"another tool, same arguments", grant, call(t, "", "github_merge_pr", `{"issue":"acme/app#7","body":"x"}`), s, now, permission.OtherTool},
		{"a server's tool, same arguments", grant, call(t, "x", "github_comment", `{"issue":"acme/app#7","body":"x"}`), s, now, permission.OtherTool},
		{"another account by default now", grant, c.WithAccount("work"), s, now, permission.OtherAccount},
		{"the target resolves elsewhere now", grant, c.WithTarget("acme/app#8"), s, now, permission.OtherTarget},
		{"a second use", with(func(g *permission.Grant) { g.State = permission.GrantSpent }), c, s, now, permission.Spent},
		{"withdrawn", with(func(g *permission.Grant) { g.State = permission.GrantWithdrawn }), c, s, now, permission.Withdrawn},
		{"never approved", with(func(g *permission.Grant) { g.State = "" }), c, s, now, permission.NotApproved},
		{"no item", with(func(g *permission.Grant) { g.Item = "" }), c, s, now, permission.NotApproved},
		{"another session", with(func(g *permission.Grant) { g.Session = "s2" }), c, s, now, permission.OtherSession},
		{"no session", with(func(g *permission.Grant) { g.Session = "" }), c, s, permission.Today{Generation: 3}, permission.OtherSession},
		{"another generation", with(func(g *permission.Grant) { g.Generation = 2 }), c, s, now, permission.SessionGone},
		{"no digest", with(func(g *permission.Grant) { g.Digest = "" }), c, s, now, permission.OtherArguments},
		{"ticket ended", grant, c, s, other(func(n *permission.Today) { n.TicketOpen = false }), permission.TicketEnded},
		{"mandate withdrawn", grant, c, s, other(func(n *permission.Today) { n.Mandate = false }), permission.NoMandate},
	} {
		got := permission.MaySpend(r.g, r.c, permission.Evaluate(r.c, r.s), r.now)
		if got != r.want {
			t.Errorf("%s: %q, want %q", r.name, got, r.want)
		}
		if got != "" && got.Words() == string(got) {
			t.Errorf("%s: %q has no words", r.name, got)
		}
	}
	empty := permission.Decision{Digest: c.Digest}
	if got := permission.MaySpend(grant, c, empty, now); got != permission.DeniedToday {
		t.Errorf("an empty decision: %q", got)
	}
	stale := permission.Evaluate(call(t, "", "web_fetch", `{"url":"x"}`), s)
	if got := permission.MaySpend(grant, c, stale, now); got != permission.OtherArguments {
		t.Errorf("a decision on another call: %q", got)
	}
}

func TestP25_Withdraw(t *testing.T) {
	t.Parallel()
	for state, want := range map[permission.GrantState]permission.Refusal{
		permission.Open: "", permission.GrantSpent: permission.Spent, permission.GrantWithdrawn: permission.Withdrawn, "": permission.NotApproved,
	} {
		if got := permission.MayWithdraw(permission.Grant{State: state}); got != want {
			t.Errorf("%q: %q, want %q", state, got, want)
		}
	}
}

func TestP26_EditedArgumentsAreAnotherCall(t *testing.T) {
	t.Parallel()
	s := permission.State{Mode: permission.Auto, Roots: []permission.Root{{Path: "/work", Writable: true}}}
	shown := call(t, "", "write_file", `{"path":"a","content":""}`).WithAccount("acc")
	edited, err := shown.WithArguments([]byte(`{"path":"/etc/passwd","content":""}`))
	if err != nil {
		t.Fatal(err)
	}
	if d := permission.Evaluate(edited, s); d.Outcome != permission.Deny {
		t.Errorf("evaluated again: %+v", d)
	}
	if edited.Digest == shown.Digest || edited.Tool != shown.Tool || edited.Account != "acc" {
		t.Errorf("%+v", edited)
	}
	g := permission.GrantFor("i1", "s1", 1, edited)
	if got := permission.MaySpend(g, shown, permission.Evaluate(shown, s), permission.Today{Session: "s1", Generation: 1}); got != permission.OtherArguments {
		t.Errorf("the call as it was before the edit: %q", got)
	}
	if _, err := shown.WithArguments([]byte(`[]`)); err == nil {
		t.Error("edited to no object")
	}
}

// R15: agents ask again after a refusal, and several times at once.
func TestP27_RepeatedAsks(t *testing.T) {
	t.Parallel()
	p := func(item string, message int64, s permission.PastState) permission.Past {
		return permission.Past{Item: item, Message: message, State: s}
	}
	for _, r := range []struct {
		name string
		past []permission.Past
		want permission.Next
		item string
	}{
		{"the first", nil, permission.Raise, ""},
		{"pending since an earlier message", []permission.Past{p("i1", 1, permission.PastPending)}, permission.Join, "i1"},
		{"approved and unspent", []permission.Past{p("i1", 1, permission.PastOpen)}, permission.Join, "i1"},
		{"spent", []permission.Past{p("i1", 1, permission.PastOver)}, permission.Raise, ""},
		{"twin in the same message", []permission.Past{p("i1", 5, permission.PastPending)}, permission.Raise, ""},
		{"twin, and an earlier one", []permission.Past{p("i1", 5, permission.PastPending), p("i0", 1, permission.PastPending)}, permission.Join, "i0"},
		{"refused", []permission.Past{p("i1", 1, permission.PastDenied)}, permission.Refuse, "i1"},
		{"refused, others pending", []permission.Past{p("i1", 1, permission.PastDenied), p("i2", 1, permission.PastPending)}, permission.Refuse, "i1"},
		{"refused, then a person said otherwise", []permission.Past{p("i1", 1, permission.PastDenied), p("i2", 2, permission.PastLifted)}, permission.Raise, ""},
		{"and refused again", []permission.Past{p("i1", 1, permission.PastLifted), p("i2", 2, permission.PastDenied)}, permission.Refuse, "i2"},
	} {
		if next, item := permission.Repeat(r.past, 5); next != r.want || item != r.item {
			t.Errorf("%s: %s %q, want %s %q", r.name, next, item, r.want, r.item)
		}
	}
}

func TestP27_TheSameCallIsToolAndArguments(t *testing.T) {
	t.Parallel()
	a, b := call(t, "", "github_delete_repo", `{"repo":"a/b"}`), call(t, "", "github_create_issue", `{"repo":"a/b"}`)
	if a.Digest != b.Digest || a.Key() == b.Key() {
		t.Error("two tools with the same arguments are one call")
	}
	if a.Key() != call(t, "", "github_delete_repo", ` {"repo" : "a\/b"}`).Key() {
		t.Error("one call written two ways is two")
	}
	if call(t, "a", "b", `{}`).Key() == call(t, "", "b", `{}`).Key() {
		t.Error("a server's tool and a plain one are one call")
	}
	d := permission.Refused(permission.Evaluate(a, permission.State{}), "i1")
	if d.Outcome != permission.Deny || d.By.String() != "refusal i1" || d.Digest != a.Digest {
		t.Errorf("%+v", d)
	}
}
