package main

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

type madeKey struct{ Name, ID, Key string }

// ask runs postern hook as a coding agent does.
func (r *running) ask(t *testing.T, key, use, command string, flags ...string) (permission, reason string) {
	t.Helper()
	in, _ := json.Marshal(map[string]any{"session_id": "s1", "tool_name": "Bash", "tool_use_id": use, "cwd": "/w", "tool_input": map[string]string{"command": command}})
	out, errs, code := postern(t, string(in), append([]string{"hook", "--url", r.url, "--key-file", writeFile(t, key)}, flags...)...)
	if code != 0 {
		t.Fatalf("code %d: %s", code, errs)
	}
	var d struct {
		H struct {
			P string `json:"permissionDecision"`
			R string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatal(err, out)
	}
	return d.H.P, d.H.R
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	name := t.TempDir() + "/file"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestTenMinutePath: key, hook, item, answer by a person, hook again (S14,
// S15), by the program's own commands.
func TestTenMinutePath(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	k := read[madeKey](t, "keys", "create", "laptop", "--dir", r.dir)
	if p, why := r.ask(t, k.Key, "u1", "make deploy", "--wait", "0s"); p != "deny" || !strings.Contains(why, "Still waiting") {
		t.Fatal(p, why)
	}
	fails(t, 1, "postern login --here", "inbox", "list", "--session", r.session)
	works(t, "login", "--here", "--dir", r.dir, "--url", r.url, "--session", r.session)
	if info, err := os.Stat(r.session); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the sign-in's file: %v %v", info, err)
	}
	items := read[[]item](t, "inbox", "list", "--session", r.session)
	if len(items) != 1 || items[0].Tool != "Bash" || items[0].Digest == "" {
		t.Fatalf("%+v", items)
	}
	id := items[0].ID
	if out := works(t, "inbox", "list", "--session", r.session); !strings.Contains(out, id) || !strings.Contains(out, items[0].Digest[:12]) {
		t.Fatal(out)
	}
	fails(t, 1, "another digest", "inbox", "answer", id, "allow", "--digest", "00000000", "--session", r.session)
	fails(t, 2, "at least 8", "inbox", "answer", id, "allow", "--digest", "0", "--session", r.session)
	fails(t, 2, "a choice", "inbox", "answer", id, "--session", r.session)
	fails(t, 1, "no answer to an approval", "inbox", "answer", id, "maybe", "--session", r.session)
	fails(t, 1, "unknown", "inbox", "answer", "nothing", "allow", "--session", r.session)
	if out := works(t, "inbox", "answer", id, "allow", "--digest", items[0].Digest[:8], "--session", r.session); !strings.Contains(out, "allowed by owner") {
		t.Fatal(out)
	}
	fails(t, 3, "allowed by owner", "inbox", "answer", id, "deny", "--session", r.session)
	if p, why := r.ask(t, k.Key, "u2", "make deploy"); p != "allow" || !strings.Contains(why, id) {
		t.Fatal(p, why)
	}
	if s := read[[]shownSession](t, "sessions", "--dir", r.dir); len(s) != 1 || s[0].State != "idle" || s[0].Owner != "key:laptop" {
		t.Fatalf("%+v", s)
	}
	if out := works(t, "inbox", "list", "--all", "--session", r.session); !strings.Contains(out, "allowed by owner") {
		t.Fatal(out)
	}
}

// TestI13NotAnApprover: who is signed in and may not answer is told so.
func TestI13NotAnApprover(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	k := read[madeKey](t, "keys", "create", "laptop", "--dir", r.dir)
	r.ask(t, k.Key, "u1", "ls", "--wait", "0s")
	works(t, "login", "--here", "--as", "panel:mallory", "--role", "approver", "--dir", r.dir, "--url", r.url, "--session", r.session)
	items, _, err := r.Store.PendingItems(context.Background(), "", 1)
	if err != nil || len(items) != 1 {
		t.Fatal(err)
	}
	_, errs, code := postern(t, "", "inbox", "answer", items[0].ID, "allow", "--digest", items[0].Digest, "--session", r.session)
	if code != 4 {
		t.Fatalf("code %d: %s", code, errs)
	}
	if x, err := r.Store.Item(context.Background(), items[0].ID); err != nil || x.State != "pending" {
		t.Fatalf("%+v %v", x, err)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	if out := works(t, "keys", "list", "--dir", r.dir); !strings.Contains(out, "There are no keys") {
		t.Fatal(out)
	}
	first := read[madeKey](t, "keys", "create", "ci", "--dir", r.dir, "--mode", "plan")
	second := read[madeKey](t, "keys", "create", "ci", "--dir", r.dir, "--days", "0")
	if out := works(t, "keys", "create", "laptop", "--dir", r.dir); !strings.Contains(out, "export POSTERN_KEY=pk_") {
		t.Fatal(out)
	}
	list := works(t, "keys", "list", "--dir", r.dir)
	if strings.Count(list, " active ") != 3 || !strings.Contains(list, "never") || strings.Contains(list, first.Key) {
		t.Fatal(list)
	}
	if p, _ := r.ask(t, first.Key, "u1", "ls"); p != "deny" {
		t.Fatal("mode plan let a command pass")
	}
	works(t, "keys", "revoke", first.ID, "--dir", r.dir)
	if p, why := r.ask(t, first.Key, "u2", "ls"); p != "deny" || !strings.Contains(why, "revoked") {
		t.Fatal(p, why)
	}
	if p, why := r.ask(t, second.Key, "u3", "ls", "--wait", "0s"); !strings.Contains(why, "plan mode") && !strings.Contains(why, "Still waiting") {
		t.Fatal(p, why)
	}
	if out := works(t, "keys", "revoke", "ci", "--dir", r.dir); !strings.HasPrefix(out, "1 revoked") {
		t.Fatal(out)
	}
	fails(t, 1, `no key "nobody"`, "keys", "revoke", "nobody", "--dir", r.dir)
	for _, bad := range [][]string{{"CI"}, {"a#b"}, {"x", "--mode", "yolo"}, {"x", "--queue", "nowhere"}, {"x", "--persona", "nobody"}, {"x", "--days", "-1"}} {
		fails(t, 2, "", append([]string{"keys", "create", "--dir", r.dir}, bad...)...)
	}
	rows, err := r.Store.AuditOf(context.Background(), "people", time.Now().Add(-time.Hour), time.Now())
	if err != nil || len(rows) != 5 || rows[0].What != "key" || rows[0].Actor.Provider != "cli" {
		t.Fatalf("%d audit rows of keys: %v", len(rows), err)
	}
}

func TestU8Login(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	out := works(t, "login", "--dir", r.dir, "--url", r.url+"/")
	if !strings.Contains(out, "\n"+r.url+"/login?key=") {
		t.Fatal(out)
	}
	key := strings.TrimSpace(out[strings.Index(out, "key=")+4:])
	if err := signIn(context.Background(), r.url, key, r.session); err != nil {
		t.Fatal(err)
	}
	if err := signIn(context.Background(), r.url, key, r.session); err == nil {
		t.Fatal("a link worked twice")
	}
	fails(t, 2, "--as", "login", "--dir", r.dir, "--as", "ada")
	fails(t, 2, "--role", "login", "--dir", r.dir, "--role", "root")
	fails(t, 2, "--url", "login", "--table", "t", "--url", "")
	fails(t, 1, "there is no Postern in", "login", "--dir", t.TempDir())
}

func TestHookCommand(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	const in = `{"session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"}}`
	key := writeFile(t, "pk_x\n")
	for say, args := range map[string][]string{
		"never allow": {"--unreachable", "allow", "--url", r.url, "--key-file", key},
		"POSTERN_URL": {"--url", "", "--key-file", key},
		"https":       {"--url", "http://example.com", "--key-file", key},
		"POSTERN_KEY": {"--url", r.url},
	} {
		if out, errs, code := postern(t, in, append([]string{"hook"}, args...)...); code != 2 || out != "" || !strings.Contains(errs, say) {
			t.Errorf("%v: code %d, %q, %q", args, code, out, errs)
		}
	}
	if out, errs, code := postern(t, "{", "hook", "--url", r.url, "--key-file", key); code != 2 || out != "" || !strings.Contains(errs, "not the JSON object") {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
	if p, why := r.ask(t, "pk_unknown", "u", "ls"); p != "deny" || !strings.Contains(why, "postern keys create") {
		t.Error(p, why)
	}
}
