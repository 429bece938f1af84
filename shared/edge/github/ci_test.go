package github

import (
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

func runDone() m {
	return m{
		"action":     "completed",
		"repository": m{"id": 1001, "full_name": "acme/shop", "default_branch": "main"},
		"sender":     m{"id": 11, "login": "ada", "type": "User"},
		"workflow_run": m{"id": 500, "run_attempt": 2, "name": "test", "event": "push", "head_branch": "main", "head_sha": "abc",
			"conclusion": "failure", "updated_at": "2026-11-30T10:00:00Z", "html_url": "https://github.com/acme/shop/actions/runs/500",
			"head_repository": m{"id": 1001}, "pull_requests": []any{}},
	}
}

func TestG19_CIHasNoSender(t *testing.T) {
	t.Parallel()
	got := triggerOf(t, "workflow_run", runDone())
	if got.Kind != "ci" || got.Sender.Kind != actor.None || got.Sender.Ref() != "" || got.Named != trigger.NotAt ||
		got.ID != "github:1001:run:500:2" || got.Thread.Key() != "github:acme/shop:ci:main" {
		t.Errorf("%+v", got)
	}
	if !strings.HasPrefix(got.Text, "CI test on main: failure\ncommit abc\nhttps://") {
		t.Errorf("%q", got.Text)
	}
	again := triggerOf(t, "workflow_run", set(runDone(), 3, "workflow_run", "run_attempt"))
	if again.ID == got.ID {
		t.Error("a second attempt is the first")
	}
}

func TestCIElsewhereThanOnTheDefaultBranch(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]m{
		"branch":       set(runDone(), "feature", "workflow_run", "head_branch"),
		"no branch":    set(runDone(), nil, "workflow_run", "head_branch"),
		"pull request": set(runDone(), "pull_request", "workflow_run", "event"),
		"its target":   set(runDone(), "pull_request_target", "workflow_run", "event"),
		"fork":         set(runDone(), m{"id": 6}, "workflow_run", "head_repository"),
		"no default":   set(set(runDone(), "", "repository", "default_branch"), "", "workflow_run", "head_branch"),
	} {
		t.Run(name, func(t *testing.T) { dropped(t, "workflow_run", p, "not the default branch") })
	}
	dropped(t, "workflow_run", set(runDone(), "requested", "action"), "action not handled: requested")
}

func TestCheckSuite(t *testing.T) {
	t.Parallel()
	suiteDone := func() m {
		p := runDone()
		delete(p, "workflow_run")
		p["check_suite"] = m{"id": 600, "head_branch": "main", "head_sha": "abc", "conclusion": "success",
			"updated_at": "2026-11-30T10:00:00Z", "app": m{"slug": "circleci-checks"}, "pull_requests": []any{}}
		return p
	}
	got := triggerOf(t, "check_suite", suiteDone())
	if got.ID != "github:1001:suite:600:20261130T100000Z" || got.Kind != "ci" {
		t.Errorf("%+v", got)
	}
	dropped(t, "check_suite", set(suiteDone(), m{"slug": "github-actions"}, "check_suite", "app"), "comes as workflow_run")
	dropped(t, "check_suite", set(suiteDone(), "x", "check_suite", "head_branch"), "not the default branch")
	dropped(t, "check_suite", set(suiteDone(), nil, "check_suite", "head_branch"), "not the default branch")
}

func reviewed(state string, body any) m {
	p := opened("pull_request", "x")
	p["action"] = "submitted"
	p["review"] = m{"id": 800, "state": state, "body": body, "submitted_at": "2026-11-30T10:00:00Z",
		"user": m{"id": 11, "login": "ada", "type": "User"}}
	return p
}

// B48, G20: reviews are comments; a review that says nothing is none.
func TestB48_Reviews(t *testing.T) {
	t.Parallel()
	dropped(t, "pull_request_review", reviewed("commented", nil), "review without text")
	dropped(t, "pull_request_review", reviewed("commented", " \n"), "review without text")
	for state, want := range map[string]string{
		"approved": "Review: approved", "CHANGES_REQUESTED": "Review: changes requested",
	} {
		if got := triggerOf(t, "pull_request_review", reviewed(state, nil)); got.Text != want || got.Named != trigger.NotAt {
			t.Errorf("%+v", got)
		}
	}
	got := triggerOf(t, "pull_request_review", reviewed("approved", "@postern-agent merge"))
	if got.Text != "Review: approved\n\n@postern-agent merge" || got.Named != trigger.Mention || got.Kind != "comments" ||
		got.ID != "github:1001:review:800:submitted" || got.Thread.Channel != "7" || got.At != noon.Add(-2*3600e9) {
		t.Errorf("%+v", got)
	}
	dropped(t, "pull_request_review", set(reviewed("dismissed", "x"), "dismissed", "action"), "action not handled: dismissed")
	// No answer to an item in a review (I25).
	if got := triggerOf(t, "pull_request_review", reviewed("commented", "/postern allow abc234")); got.Kind != "comments" {
		t.Errorf("%+v", got)
	}
}

func TestReviewComment(t *testing.T) {
	t.Parallel()
	p := opened("pull_request", "x")
	p["action"] = "created"
	p["comment"] = m{"id": 810, "body": "@postern-agent why?", "path": "till/total.go", "line": 12, "in_reply_to_id": 800,
		"pull_request_review_id": 800, "created_at": "2026-11-30T10:00:00Z", "user": m{"id": 11, "login": "ada"}}
	got := triggerOf(t, "pull_request_review_comment", p)
	if got.Text != "On till/total.go, line 12\n\n@postern-agent why?" || got.ID != "github:1001:review_comment:810:created" ||
		got.Thread.Channel != "7" || got.Named != trigger.Mention || got.Kind != "comments" {
		t.Errorf("%+v", got)
	}
	if got := triggerOf(t, "pull_request_review_comment", set(set(p, nil, "comment", "line"), nil, "comment", "path")); got.Text != "@postern-agent why?" {
		t.Errorf("%q", got.Text)
	}
	dropped(t, "pull_request_review_comment", set(p, "edited", "action"), "action not handled: edited")
	dropped(t, "pull_request_review_comment", set(p, "deleted", "action"), "action not handled: deleted")
}
