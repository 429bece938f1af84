package github

import (
	"encoding/json"
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
