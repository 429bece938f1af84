package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	devpolicy "github.com/postern-dev/postern/infra/policy"
	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/store"
)

func edited(t *testing.T, old, new string) string {
	t.Helper()
	text := strings.Replace(string(devpolicy.Dev), old, new, 1)
	if text == string(devpolicy.Dev) {
		t.Fatalf("dev.yaml does not hold %q", old)
	}
	return writeFile(t, text)
}

func TestPolicyApply(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	mandate := ticket.Mandate{Basis: policy.Explicit, Source: "slack", Scope: "C0OPS", Initiator: actor.Actor{Provider: "slack", Workspace: "T0DEV", ID: "U0ADA"}}
	if _, err := r.Store.Do(context.Background(), "t1", store.NewTicket(ticket.Ticket{ID: "t-1", Title: "deploy 42", Mandate: mandate, Created: time.Now()})); err != nil {
		t.Fatal(err)
	}
	bob := edited(t, "listed: [slack:T0DEV/U0ADA]", "listed: [slack:T0DEV/U0BOB]")

	out := works(t, "policy", "diff", bob, "--dir", r.dir)
	for _, want := range []string{"Against version 1", "Source slack, listed people: slack:T0DEV/U0BOB is new", "slack:T0DEV/U0ADA is gone", "ticket t-1 (deploy 42)", "may no longer start work"} {
		if !strings.Contains(out, want) {
			t.Fatalf("no %q in\n%s", want, out)
		}
	}
	if out, errs, code := postern(t, "n\n", "policy", "apply", bob, "--dir", r.dir); code != 1 || !strings.Contains(errs, "nothing was saved") || !strings.Contains(errs, "U0BOB is new") {
		t.Fatal(code, out, errs)
	}
	fails(t, 3, "somebody saved another", "policy", "apply", bob, "--was", "7", "--yes", "--dir", r.dir)
	if out, errs, code := postern(t, "y\n", "policy", "apply", bob, "--was", "1", "--dir", r.dir); code != 0 || !strings.Contains(out, "version 2") {
		t.Fatal(code, out, errs)
	}
	if p, err := r.Store.Policy(context.Background()); err != nil || p.Version != 2 || p.Sources[0].Listed[0] != "slack:T0DEV/U0BOB" {
		t.Fatalf("%+v %v", p, err)
	}
	if out := works(t, "policy", "apply", bob, "--yes", "--dir", r.dir); !strings.Contains(out, "Nothing would change") {
		t.Fatal(out)
	}
	if v := read[version](t, "policy", "show", "--dir", r.dir, "--version", "1"); v.Policy.Sources[0].Listed[0] != "slack:T0DEV/U0ADA" || v.Source != string(devpolicy.Dev) {
		t.Fatalf("%+v", v.Policy)
	}
	works(t, "policy", "revert", "1", "--yes", "--dir", r.dir)
	if v := read[version](t, "policy", "show", "--dir", r.dir); v.Version != 3 || v.Policy.Sources[0].Listed[0] != "slack:T0DEV/U0ADA" || v.By == "" {
		t.Fatalf("%+v", v)
	}
	if out := works(t, "policy", "history", "--dir", r.dir); strings.Index(out, "\n3 ") > strings.Index(out, "\n1 ") || strings.Count(out, "\n") != 4 {
		t.Fatal(out)
	}
	fails(t, 1, "no version 9", "policy", "show", "--version", "9", "--dir", r.dir)
	fails(t, 2, "no version", "policy", "revert", "x", "--dir", r.dir)
	fails(t, 1, "file:2: accept", "policy", "diff", writeFile(t, "\naccept: maybe\n"), "--dir", r.dir) // U12
	rows, err := r.Store.AuditOf(context.Background(), "policy", time.Now().Add(-time.Hour), time.Now())
	if err != nil || len(rows) != 2 || rows[0].Was != "1" || rows[0].Is != "2" || !strings.Contains(rows[0].Reason, "U0BOB") {
		t.Fatalf("%+v %v", rows, err)
	}
}

// TestG32TwoEditors: of two who read the same version one saves.
func TestG32TwoEditors(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	ctx := context.Background()
	w := where{dir: r.dir}
	p, err := w.open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.close() }()
	v, err := saved(ctx, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	is := v.Policy
	is.Accept = policy.Off
	if n, err := save(ctx, p, v, is, "one", "one"); err != nil || n != 2 {
		t.Fatal(n, err)
	}
	_, err = save(ctx, p, v, is, "two", "two")
	if err == nil || codeOf(err, true) != exitFinding {
		t.Fatal(err)
	}
}

func TestG51Pause(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	fails(t, 1, "slack, feishu, github, and all", "pause", "teams", "--dir", r.dir)
	works(t, "pause", "slack", "--dir", r.dir)
	if out := works(t, "pause", "slack", "--dir", r.dir); !strings.Contains(out, "slack (policy version 2)") {
		t.Fatal("paused twice:", out)
	}
	works(t, "pause", "all", "--dir", r.dir)
	if p, err := r.Store.Policy(context.Background()); err != nil || !p.IsPaused("github") {
		t.Fatalf("%+v %v", p.Paused, err)
	}
	if out := works(t, "policy", "show", "--dir", r.dir); !strings.Contains(out, "# paused: slack, all") {
		t.Fatal(out)
	}
	if out := works(t, "unpause", "slack", "--dir", r.dir); !strings.Contains(out, "still paused, by all") {
		t.Fatal(out)
	}
	works(t, "policy", "apply", edited(t, "listed: [slack:T0DEV/U0ADA]", "listed: []"), "--yes", "--dir", r.dir)
	if p, err := r.Store.Policy(context.Background()); err != nil || !p.IsPaused("github") {
		t.Fatalf("applying a file ended the pause: %+v %v", p.Paused, err)
	}
	works(t, "unpause", "all", "--dir", r.dir)
	p, err := r.Store.Policy(context.Background())
	if err != nil || p.IsPaused("slack") || p.IsPaused("github") {
		t.Fatalf("%+v %v", p.Paused, err)
	}
	if v := read[version](t, "policy", "show", "--dir", r.dir); !strings.Contains(v.Source, "owners:") {
		t.Fatal("pausing lost the policy's text")
	}
}

func TestPolicyExampleIsReadable(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	text, err := os.ReadFile("../../infra/policy/example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if l := read[plan](t, "policy", "diff", writeFile(t, string(text)), "--dir", r.dir); len(l.Changes) < 10 || len(l.Warnings) != 0 {
		t.Fatalf("%+v", l)
	}
}
