package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/postern-dev/postern/cmd/postern/internal/replay"
)

const sample = "../../events/slack-app_mention.json"

// TestU13Command: one line per file, in order, by the file's name as given; a
// refused delivery is an answer, a file that is none is a failure.
func TestU13Command(t *testing.T) {
	t.Parallel()
	fresh := writeFile(t, works(t, "sign", sample))
	out, errs, code := postern(t, "", "replay", "--json", fresh, sample, fresh)
	var lines []replay.Line
	for _, l := range strings.Split(strings.TrimSpace(out), "\n") {
		var x replay.Line
		if err := json.Unmarshal([]byte(l), &x); err != nil {
			t.Fatal(err, l)
		}
		lines = append(lines, x)
	}
	if code != 0 || len(lines) != 3 || lines[0].File != fresh || lines[0].Status != 200 || lines[0].Admission.Strength != "explicit" ||
		lines[1].Status != 401 || lines[1].Error.Code != "stale" || lines[2].Error.Code != "duplicate" {
		t.Fatalf("code %d %s\n%s", code, errs, out)
	}
	keys := map[string]bool{}
	for _, k := range []string{"file", "status", "event", "trigger", "resolution", "admission", "error"} {
		keys[k] = true
	}
	var raw map[string]any
	if err := json.Unmarshal([]byte(strings.Split(out, "\n")[0]), &raw); err != nil || len(raw) != len(keys) {
		t.Fatal(err, raw)
	}
	for k := range raw {
		if !keys[k] {
			t.Errorf("the form has a member %s", k)
		}
	}
	if out := works(t, "replay", fresh); !strings.Contains(out, "gate      explicit: a listed person") {
		t.Fatal(out)
	}
	if out := works(t, "replay", "--captured", sample); !strings.Contains(out, "accepted as ticket") {
		t.Fatal(out)
	}
	fails(t, 1, "not_an_event", "replay", writeFile(t, "{}"))
	fails(t, 1, "policy.yaml:1: accept", "replay", "--policy", policyFile(t, "accept: maybe\n"), fresh)
	fails(t, 1, "secrets file", "replay", "--secrets", writeFile(t, "x"), fresh)
	other := writeFile(t, `{"slack":{"signing_secret":"another"}}`)
	if out := works(t, "replay", "--secrets", other, fresh); !strings.Contains(out, "bad_signature") {
		t.Fatal(out)
	}
	if out := works(t, "replay", "--secrets", other, writeFile(t, works(t, "sign", "--secrets", other, sample))); !strings.Contains(out, "gate      explicit") {
		t.Fatal(out)
	}
}

func policyFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestSignCommand(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	name := writeFile(t, string(raw))
	if out := works(t, "sign", "--write", name); out != "" {
		t.Fatal(out)
	}
	now, err := os.ReadFile(name)
	if err != nil || bytes.Equal(now, raw) {
		t.Fatal("nothing was written", err)
	}
	if out := works(t, "replay", name); !strings.Contains(out, "200 app_mention") {
		t.Fatal(out)
	}
	if out := works(t, "sign", "--curl", name); !strings.HasPrefix(out, "curl -sS -i -X POST 'http://127.0.0.1:7171/hooks/slack'") {
		t.Fatal(out)
	}
	fails(t, 1, "not an event file", "sign", writeFile(t, "{}"))
	fails(t, 2, "none of the others can be", "sign", "--curl", "--write", name)
}
