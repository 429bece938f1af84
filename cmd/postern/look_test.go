package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/domain/wake"
	"github.com/postern-dev/postern/shared/local/queue"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// TestU11JSONEverywhere: every command takes --json, has a word on what it is
// for, and every flag too.
func TestU11JSONEverywhere(t *testing.T) {
	t.Parallel()
	n := 0
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		if c.Short == "" {
			t.Errorf("%s: no word on what it is for", c.CommandPath())
		}
		if !c.Runnable() {
			return
		}
		n++
		if c.Flags().Lookup("json") == nil {
			t.Errorf("%s: no --json", c.CommandPath())
		}
	}
	walk(root())
	if n < 20 {
		t.Fatalf("%d commands", n)
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	fails(t, 2, "unknown command", "frobnicate")
	fails(t, 2, "unknown flag", "replay", "--frobnicate")
	fails(t, 2, "requires at least 1 arg", "replay")
	fails(t, 2, "--due", "wake")
	fails(t, 1, "no such file", "replay", "nothing.json")
	works(t, "--help")
	if out := works(t, "completion", "bash"); !strings.Contains(out, "postern") {
		t.Fatal("no completion")
	}
	if v := read[map[string]string](t, "version"); v["go"] == "" {
		t.Fatalf("%v", v)
	}
}

// TestP19Explain: the same call by mode, with the step that decided.
func TestP19Explain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ mode, outcome, rule string }{
		{"plan", "deny", "P13.1"}, {"interactive", "ask", "P13.10"}, {"auto", "allow", "P13.5"},
	} {
		e := read[explained](t, "explain", "Bash", `{"command":"ls"}`, "--mode", c.mode)
		hit := ""
		for _, s := range e.Steps {
			if s.Hit {
				hit += s.Rule
			}
		}
		if e.Outcome != c.outcome || hit != c.rule || len(e.Steps) != 10 {
			t.Errorf("%s: %+v", c.mode, e)
		}
	}
	if e := read[explained](t, "explain", "Bash", writeFile(t, `{"command":"ls"}`), "--unattended"); e.Outcome != "route" {
		t.Errorf("%+v", e)
	}
	if e := read[explained](t, "explain", "get_page", "{}", "--server", "notion", "--overrides", writeFile(t, "[mcp.notion]\ndefault = \"read\"\n")); e.Outcome != "allow" || e.Effective != "read" {
		t.Errorf("%+v", e)
	}
	dir := t.TempDir()
	if e := read[explained](t, "explain", "Write", `{"file_path":"`+dir+`/x"}`, "--root", dir, "--mode", "auto"); e.Outcome != "allow" {
		t.Errorf("%+v", e)
	}
	if e := read[explained](t, "explain", "Write", `{"file_path":"/etc/passwd"}`, "--root", dir, "--mode", "auto"); e.Outcome != "deny" {
		t.Errorf("%+v", e)
	}
	out, _, code := postern(t, `{"command":"ls"}`, "explain", "Bash", "-")
	if code != 0 || !strings.Contains(out, "* P13.10") || !strings.Contains(out, "Bash (exec): ask") {
		t.Error(code, out)
	}
	fails(t, 2, "--mode", "explain", "Bash", "{}", "--mode", "yolo")
	fails(t, 1, "cannot be read", "explain", "Bash", `{"a":1,"a":2}`)
}

// TestStatus: a healthy one says so; each thing that is stuck is said with
// what to do, and the exit code is 3.
func TestStatus(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	ctx := context.Background()
	h := read[health](t, "status", "--dir", r.dir)
	if h.Policy != 1 || h.Attention != 0 || len(h.Stuck) != 0 || len(h.Queues) != 4 {
		t.Fatalf("%+v", h)
	}
	if out := works(t, "status", "--dir", r.dir); !strings.Contains(out, "nothing is stuck") {
		t.Fatal(out)
	}
	old := time.Now().Add(-10 * time.Minute).UTC()
	s := session.Session{ID: "s-1", Generation: 1, Created: old}
	if _, err := r.Store.Do(ctx, "a", append(store.NewSession(s, 1),
		store.MailEntry(session.Mail{Session: "s-1", ID: store.MailID(old, "m"), Kind: session.Note, At: old}),
		store.NewWake(wake.Wake{ID: "w-1", Session: "s-1", Kind: wake.Timer, At: old, Generation: 1, Created: old}),
		store.NewOutbox(store.Outbox{ID: "o-1", Created: old, Bells: []store.Bell{{Ring: store.RingTurn, Session: "s-1"}}}))...); err != nil {
		t.Fatal(err)
	}
	if err := r.Queue.Send(ctx, doorbell.Message{Queue: doorbell.Turns, Body: `{"ring":"turn"}`}); err != nil {
		t.Fatal(err)
	}
	unread(t, r, old)
	kill(t, r)
	out, _, code := postern(t, "", "status", "--dir", r.dir)
	if code != 3 {
		t.Fatalf("code %d\n%s", code, out)
	}
	for _, want := range []string{"1 messages are dead letters", "1 rings were not moved", "1 wakes are past due", "1 sessions have mail",
		"1 answers were not read", "1 cards do not show"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if out := works(t, "wake", "--due", "--dir", r.dir); out != "1 fired.\n" {
		t.Fatal(out)
	}
	if out := works(t, "wake", "--due", "--dir", r.dir); out != "0 fired.\n" {
		t.Fatal("fired twice:", out) // W2
	}
	if w, err := r.Store.Wake(ctx, "s-1", "w-1"); err != nil || w.State != wake.Fired {
		t.Fatalf("%+v %v", w, err)
	}
}

// unread makes a session that is parked on an item which was answered long ago,
// and a place that still shows it unanswered.
func unread(t *testing.T, r *running, old time.Time) {
	t.Helper()
	at := trigger.Place{Surface: "slack", Account: "T", Channel: "C"}
	x := inbox.Item{ID: "i-1", Session: "s-2", Run: "run", Kind: inbox.Approval, Created: old, Expires: old.Add(time.Hour), Places: []trigger.Place{at}}
	answered := x
	answered.State, answered.Resolved, answered.Version = inbox.Denied, old, 1
	lease, take := store.TakeLease(session.Lease{Session: "s-2", Version: 1}, "turn", "run", old)
	shown := store.Shown{Item: "i-1", Place: at, State: store.Visible, Message: "1.1", Have: 1, Version: 1}
	for i, actions := range [][]table.Action{
		append(append(store.NewSession(session.Session{ID: "s-2", Generation: 1, Created: old}, 0), store.NewItem(x, inbox.Body{})...), store.NewShown("i-1", at, true, old)),
		{take, store.SaveShown(shown)},
		{store.GiveBackLease(lease, session.Parked, "i-1", old), store.ResolveItem(answered, old)},
	} {
		if lost, err := r.Store.Do(t.Context(), fmt.Sprint("unread", i), actions...); err != nil || lost != nil {
			t.Fatal(i, lost, err)
		}
	}
}

// kill makes the one message of the turns queue a dead letter, by a handler
// that fails each time it is tried.
func kill(t *testing.T, r *running) {
	t.Helper()
	ctx := context.Background()
	fail := map[string]queue.Handler{doorbell.Turns: func(context.Context, queue.Received) error { return errors.New("no") }}
	for range 10 {
		if _, err := r.Queue.Step(ctx, fail); err != nil {
			t.Fatal(err)
		}
		if err := r.Queue.Release(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNothingThere(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	if out := works(t, "sessions", "--dir", r.dir); out != "There are no sessions.\n" {
		t.Fatal(out)
	}
	if out := works(t, "sessions", "--json", "--dir", r.dir); out != "[]\n" {
		t.Fatal(out)
	}
	fails(t, 2, "--limit", "sessions", "--limit", "0", "--dir", r.dir)
	for _, args := range [][]string{{"sessions"}, {"status"}, {"keys", "list"}, {"policy", "show"}, {"wake", "--due"}, {"pause", "all"}} {
		fails(t, 1, "postern dev", append(args, "--dir", t.TempDir())...)
		fails(t, 2, "none of the others can be", append(args, "--dir", r.dir, "--table", "t")...)
	}
}
