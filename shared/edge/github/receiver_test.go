package github

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

func TestCommentCreated(t *testing.T) {
	t.Parallel()
	got := triggerOf(t, "issue_comment", comment("hey @postern-agent, look"))
	want := trigger.Trigger{
		Platform: "github", Account: "acme/shop", Kind: "comments",
		Thread:   trigger.Place{Surface: "github", Account: "acme/shop", Channel: "7"},
		Sender:   actor.Actor{Provider: "github", ID: "11", Name: "ada", Kind: actor.Human},
		Named:    trigger.Mention,
		Title:    "Till is slow",
		Text:     "hey @postern-agent, look",
		ID:       "github:1001:comment:9001:created",
		Message:  "9001",
		Delivery: "guid-1",
		Event:    "issue_comment",
		At:       noon.Add(-2 * 3600e9),
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got.Sender.Ref() != "github:11" || got.Thread.Key() != "github:acme/shop:7" {
		t.Errorf("%s, %s", got.Sender.Ref(), got.Thread.Key())
	}
}

// The conversation of a pull request comes as issue_comment, on the same Thread.
func TestCommentOnPullRequest(t *testing.T) {
	t.Parallel()
	p := set(comment("@postern-agent"), m{"url": "https://api.github.com/x"}, "issue", "pull_request")
	if got := triggerOf(t, "issue_comment", p); got.Kind != "comments" || got.Thread.Channel != "7" {
		t.Errorf("%+v", got)
	}
}

func opened(what, body string) m {
	c := comment("")
	delete(c, "comment")
	delete(c, "issue")
	c["action"] = "opened"
	c[what] = m{"id": 70, "number": 7, "title": "T @postern-agent", "body": body, "created_at": "2026-11-30T10:00:00Z",
		"user": m{"id": 11, "login": "ada", "type": "User"}}
	return c
}

func TestOpened(t *testing.T) {
	t.Parallel()
	got := triggerOf(t, "issues", opened("issue", "@Postern-Agent please"))
	if got.Kind != "issues" || got.ID != "github:1001:issue:70:opened" || got.Named != trigger.Mention || got.Title != "T @postern-agent" {
		t.Errorf("%+v", got)
	}
	got = triggerOf(t, "pull_request", opened("pull_request", "text"))
	if got.Kind != "pull_requests" || got.ID != "github:1001:pull:70:opened" || got.Named != trigger.NotAt {
		t.Errorf("GitHub notifies nobody by a title, so neither do we: %+v", got)
	}
	if got := triggerOf(t, "issues", set(opened("issue", ""), nil, "issue", "body")); got.Text != "" {
		t.Errorf("%+v", got)
	}
}

func TestPing(t *testing.T) {
	t.Parallel()
	d := receive(t, "ping", m{"zen": "x", "hook_id": 1})
	if d.Reply == nil || d.Reply.Status != 200 {
		t.Errorf("%+v", d)
	}
}

// New events and actions appear without notice: 2xx, and dropped.
func TestUnknownIsDropped(t *testing.T) {
	t.Parallel()
	dropped(t, "brand_new", m{}, "unknown event")
	dropped(t, "push", m{"commits": []int{1}}, "unknown event")
	for event := range kinds {
		if event == "ping" {
			continue
		}
		dropped(t, event, set(comment("@postern-agent"), "brand_new", "action"), "action not handled: brand_new")
		dropped(t, event, set(comment("@postern-agent"), 7, "action"), "action not handled")
		for _, body := range []any{m{}, []int{1}, nil, "x", 7} {
			if d := receive(t, event, body); d.Drop == "" {
				t.Errorf("%s %v: %+v", event, body, d)
			}
		}
	}
	for _, action := range []string{"edited", "deleted", "closed", "reopened", "labeled", "unlabeled", "assigned", "transferred"} {
		dropped(t, "issues", set(opened("issue", "@postern-agent"), action, "action"), "action not handled: "+action)
	}
}

// B43: an edited comment does nothing, whoever edited it.
func TestB43_EditedCommentRunsNothing(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"@postern-agent run now", "/postern allow abc234"} {
		p := set(comment(body), "edited", "action")
		p["changes"] = m{"body": m{"from": "@postern-agent run"}}
		p["sender"] = m{"id": 13, "login": "mallory", "type": "User"}
		dropped(t, "issue_comment", p, "action not handled: edited")
		dropped(t, "issue_comment", set(p, "deleted", "action"), "action not handled: deleted")
	}
}

// An odd type of a field costs that field, never the event.
func TestOddFieldTypes(t *testing.T) {
	t.Parallel()
	odd := []any{nil, true, 1.5, -3, "x", "", []any{}, []any{m{}}, m{}, m{"id": "x"}}
	paths := [][]string{
		{"issue", "title"}, {"issue", "id"}, {"issue", "user"}, {"issue", "pull_request"}, {"issue", "created_at"},
		{"comment", "created_at"}, {"comment", "performed_via_github_app"}, {"comment", "state"}, {"comment", "line"},
		{"sender", "type"}, {"sender", "login"}, {"repository", "id"}, {"repository", "default_branch"},
		{"changes"}, {"installation"}, {"pull_request"}, {"review"}, {"workflow_run"},
	}
	for _, path := range paths {
		for _, v := range odd {
			got := triggerOf(t, "issue_comment", set(comment("@postern-agent go"), v, path...))
			if got.Text != "@postern-agent go" || got.Sender.ID != "11" || got.Named != trigger.Mention || got.Message != "9001" {
				t.Errorf("%v = %v: %+v", path, v, got)
			}
		}
	}
	// Ids may be written as strings or with a fraction of zero.
	p := set(comment("x"), "9001", "comment", "id")
	body := strings.Replace(string(encode(t, p)), `"number":7`, `"number":7.0`, 1)
	var again any
	if err := json.Unmarshal([]byte(body), &again); err != nil {
		t.Fatal(err)
	}
	d, err := receiver(t).Receive(Sign(secret, []byte(body), "issue_comment", "1"), []byte(body))
	if err != nil || d.Trigger == nil || d.Trigger.Message != "9001" || d.Trigger.Thread.Channel != "7" {
		t.Errorf("%+v %v", d, err)
	}
	if got := triggerOf(t, "issue_comment", set(comment("x"), "not a time", "comment", "created_at")); got.At != noon {
		t.Errorf("time of an unreadable stamp: %v", got.At)
	}
}

func TestBots(t *testing.T) {
	t.Parallel()
	bot := m{"id": 49699333, "login": "dependabot[bot]", "type": "Bot"}
	p := set(set(comment("@postern-agent rebase"), bot, "sender"), bot, "comment", "user")
	if got := triggerOf(t, "issue_comment", p); got.Sender.Kind != actor.Bot || got.Sender.Ref() != "github:49699333" {
		t.Errorf("G22: %+v", got.Sender)
	}
	for name, user := range map[string]m{
		"type only":  {"id": 11, "login": "x", "type": "Bot"},
		"login only": {"id": 11, "login": "x[bot]", "type": "User"},
	} {
		for _, path := range [][]string{{"sender"}, {"comment", "user"}} {
			if got := triggerOf(t, "issue_comment", set(comment("x"), user, path...)); got.Sender.Kind != actor.Bot {
				t.Errorf("%s %v: %+v", name, path, got.Sender)
			}
		}
	}
}

// What we wrote ourselves never comes back in (B11, B45): by the App's bot, by a
// machine user, through the App, or under a person's token.
func TestOwnMessagesAreDropped(t *testing.T) {
	t.Parallel()
	ours := m{"id": 500, "login": "postern-agent[bot]", "type": "Bot"}
	machine := m{"id": 501, "login": "Postern-Agent", "type": "User"}
	for name, p := range map[string]m{
		"bot":       set(set(comment("@postern-agent"), ours, "sender"), ours, "comment", "user"),
		"sender":    set(comment("x"), ours, "sender"),
		"author":    set(comment("x"), ours, "comment", "user"),
		"machine":   set(set(comment("@postern-agent"), machine, "sender"), machine, "comment", "user"),
		"app id":    set(comment("x"), m{"id": 77, "slug": "renamed"}, "comment", "performed_via_github_app"),
		"app slug":  set(comment("x"), m{"id": 78, "slug": "postern-agent"}, "comment", "performed_via_github_app"),
		"marker":    comment("<!-- postern:0123 -->\n@postern-agent said"),
		"a command": comment("<!-- postern:0123 -->/postern allow abc234"),
	} {
		t.Run(name, func(t *testing.T) { dropped(t, "issue_comment", p, "own message") })
	}
	other := set(comment("x"), m{"id": 79, "slug": "someone"}, "comment", "performed_via_github_app")
	if got := triggerOf(t, "issue_comment", other); got.Sender.Kind != actor.Human {
		t.Errorf("%+v", got)
	}
}

// An issue that somebody moved here was not written by who sends it.
func TestSenderIsTheAuthor(t *testing.T) {
	t.Parallel()
	p := set(opened("issue", "@postern-agent"), m{"id": 13, "login": "mallory", "type": "User"}, "sender")
	dropped(t, "issues", p, "sender is not the author")
	p = set(opened("issue", "x"), nil, "issue", "user")
	if got := triggerOf(t, "issues", p); got.Sender.ID != "11" {
		t.Errorf("%+v", got)
	}
	dropped(t, "issues", set(p, m{}, "sender"), "no sender")
}

func TestRepositoryNames(t *testing.T) {
	t.Parallel()
	for _, bad := range []any{nil, 1, "", "acme", "acme/", "/shop", "a/b/c", "acme/sh op", "../x", "acme/..", "acme/sh\nop", "a:b/c"} {
		dropped(t, "issue_comment", set(comment("x"), bad, "repository", "full_name"), "no repository")
	}
	if got := triggerOf(t, "issue_comment", set(comment("x"), "A-1/B.c_D", "repository", "full_name")); got.Account != "a-1/b.c_d" {
		t.Errorf("%s", got.Account)
	}
}

// G47, B47: the identity is the comment's, whatever the delivery's id; and no
// clock is in it.
func TestB47_IdentityIsLogical(t *testing.T) {
	t.Parallel()
	r := receiver(t)
	body := encode(t, comment("@postern-agent"))
	seen := map[string]bool{}
	for _, guid := range []string{"guid-1", "guid-1", "guid-of-another-hook"} {
		d, err := r.Receive(Sign(secret, body, "issue_comment", guid), body)
		if err != nil || d.Trigger == nil || d.ID != guid || d.Trigger.Delivery != guid {
			t.Fatalf("%+v %v", d, err)
		}
		seen[d.Trigger.ID] = true
	}
	if len(seen) != 1 {
		t.Errorf("identities: %v", seen)
	}
	other := triggerOf(t, "issue_comment", set(comment("x"), 2002, "repository", "id"))
	if seen[other.ID] {
		t.Error("two repositories share an identity")
	}
}

// B50: what goes on stays under 64 KB, whatever came.
func TestB50_LargeBodies(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"plain":   strings.Repeat("word ", 60<<10),
		"markup":  strings.Repeat("<&>", 100<<10),
		"control": strings.Repeat("\x01", 300<<10),
		"han":     strings.Repeat("門", 100<<10),
	} {
		got := triggerOf(t, "pull_request", opened("pull_request", text))
		if n := len(encode(t, got)); n > 64<<10 {
			t.Errorf("%s: %d bytes", name, n)
		}
		if len(got.Text) > trigger.MaxText || !strings.Contains(got.Text, "[cut: ") {
			t.Errorf("%s: %d bytes of text, ends %q", name, len(got.Text), got.Text[max(0, len(got.Text)-40):])
		}
		if strings.Contains(got.Text, "\ufffd") {
			t.Errorf("%s: cut inside a character", name)
		}
	}
	dropped(t, "push", m{"x": strings.Repeat("y", 5<<20)}, "unknown event")
	// The mention is looked for in the whole text.
	if got := triggerOf(t, "issues", opened("issue", strings.Repeat("log\n", 14<<10)+"\n\n@postern-agent why?")); got.Named != trigger.Mention {
		t.Error("a mention behind a long log is lost")
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 99, 100} {
		if s := strings.Repeat("a", n); cut(s, 100) != s {
			t.Errorf("%d bytes were cut", n)
		}
	}
	if got := cut(strings.Repeat("a", 101), 100); got != strings.Repeat("a", 60)+"\n[cut: 41 more bytes]" {
		t.Errorf("%q", got)
	}
}

// I25: the whole first line of a created comment, with a code.
func TestI25_AnswerByComment(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][3]string{
		"/postern allow abc234":                      {"code:abc234", "allow", ""},
		"/postern allow ABC234\r\nthanks\r\n":        {"code:abc234", "allow", ""},
		"/postern  deny   abc234   too early \nmore": {"code:abc234", "deny", "too early"},
		"/postern\tdeny abc234":                      {"code:abc234", "deny", ""},
	} {
		d := receive(t, "issue_comment", comment(body))
		a := d.Answer
		if a == nil {
			t.Errorf("%q: dropped as %q", body, d.Drop)
			continue
		}
		if [3]string{a.Item, a.Choice, a.Text} != want || a.Digest != "" || a.Via != "github" || a.Delivery != "guid-1" ||
			a.Actor.Ref() != "github:11" || a.ID != "github:1001:comment:9001:created" {
			t.Errorf("%q: %+v", body, *a)
		}
	}
}

// What is addressed to Postern and cannot be read is no Trigger, and neither
// is a command of a bot or of an App in a person's name (I13).
func TestI25_CommandsThatDoNotCount(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"/postern", "/postern ", "/postern allow", "/postern approve abc234", "/postern allow abc234 please",
		"/postern allow abc23", "/postern allow abc2345", "/postern allow abc018", "/postern allow a-c234", "/postern Allow abc234",
	} {
		dropped(t, "issue_comment", comment(body), "command not understood")
	}
	bot := m{"id": 9, "login": "x[bot]", "type": "Bot"}
	dropped(t, "issue_comment", set(comment("/postern allow abc234"), bot, "sender"), "sender is not the author")
	dropped(t, "issue_comment", set(set(comment("/postern allow abc234"), bot, "sender"), bot, "comment", "user"), "command by a bot")
	via := set(comment("/postern allow abc234"), m{"id": 79, "slug": "other"}, "comment", "performed_via_github_app")
	dropped(t, "issue_comment", via, "command through an app")
	for _, body := range []string{
		"> /postern allow abc234", " /postern allow abc234", "\n/postern allow abc234", "yes\n/postern allow abc234",
		"`/postern allow abc234`", "```\n/postern allow abc234\n```", "/posternallow abc234", "<!-- -->/postern allow abc234",
	} {
		if got := triggerOf(t, "issue_comment", comment(body)); got.Text != body {
			t.Errorf("%q: %+v", body, got)
		}
	}
	// Only comments answer: an issue's own text does not.
	if got := triggerOf(t, "issues", opened("issue", "/postern allow abc234")); got.Kind != "issues" {
		t.Errorf("%+v", got)
	}
}

// G19: the App asks for the events that are handled, and for no others.
func TestManifestAsksForWhatIsHandled(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../../infra/github/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Events []string `json:"default_events"`
	}
	if err := json.Unmarshal(b, &manifest); err != nil {
		t.Fatal(err)
	}
	for _, e := range manifest.Events {
		if _, ok := kinds[e]; !ok {
			t.Errorf("%s is asked for and not handled", e)
		}
	}
	if len(manifest.Events) != len(kinds)-1 { // ping comes unasked
		t.Errorf("asks for %v", manifest.Events)
	}
}
