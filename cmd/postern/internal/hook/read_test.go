package hook_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/postern-dev/postern/cmd/postern/internal/hook"
)

func TestRead(t *testing.T) {
	t.Parallel()
	in, err := hook.Read(strings.NewReader(`{"session_id":"s","transcript_path":"/x","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"toolu_1"}`))
	if err != nil || in.Session != "s" || in.Tool != "Bash" || string(in.Args) != `{"command":"ls"}` || in.Use != "toolu_1" || in.Dir != "/w" {
		t.Fatalf("%+v %v", in, err)
	}
	if in, err = hook.Read(strings.NewReader(`{"session_id":"s","tool_name":"LS"}`)); err != nil || string(in.Args) != "{}" {
		t.Fatalf("%+v %v", in, err)
	}
	for _, bad := range []string{"", "x", "[]", "{}", `{"session_id":"s"}`, `{"tool_name":"Bash"}`, `{"session_id":7,"tool_name":"Bash"}`,
		`{"session_id":"s","tool_name":"Bash","tool_input":"` + strings.Repeat("x", 1<<20) + `"}`} {
		if _, err := hook.Read(strings.NewReader(bad)); err == nil {
			t.Errorf("took %.40q", bad)
		}
	}
}

func TestOutput(t *testing.T) {
	t.Parallel()
	var out struct {
		H struct {
			Event      string `json:"hookEventName"`
			Permission string `json:"permissionDecision"`
			Reason     string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	b := hook.Decision{Permission: hook.Deny, Reason: "why \"not\"\n"}.Output()
	if err := json.Unmarshal(b, &out); err != nil || out.H.Event != "PreToolUse" || out.H.Permission != "deny" || out.H.Reason != "why \"not\"\n" {
		t.Fatalf("%s %v", b, err)
	}
}

// TestCheck: the key leaves this machine over TLS only.
func TestCheck(t *testing.T) {
	t.Parallel()
	for url, good := range map[string]bool{
		"http://127.0.0.1:7171": true, "http://localhost:1": true, "http://[::1]:7171": true, "https://x.example.com/base": true,
		"": false, "x": false, "http://x.example.com": false, "http://127.0.0.1.example.com": false, "ftp://127.0.0.1": false, "//127.0.0.1": false,
	} {
		if err := (hook.API{URL: url, Key: "k"}).Check(); (err == nil) != good {
			t.Errorf("%q: %v", url, err)
		}
	}
	if err := (hook.API{URL: "https://x.example.com"}).Check(); err == nil || !strings.Contains(err.Error(), "POSTERN_KEY") {
		t.Error(err)
	}
}
