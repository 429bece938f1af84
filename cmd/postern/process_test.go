package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/local/scenario"
)

// TestMain lets the tests start this program as a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv("POSTERN_TEST_RUN") == "1" {
		main()
		return
	}
	os.Exit(m.Run())
}

func process(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	c := exec.CommandContext(ctx, self, args...)
	c.Env = append(append(os.Environ(), "POSTERN_TEST_RUN=1"), env...)
	c.Stderr = os.Stderr
	return c
}

// TestSecondThingToTry is the README's ten minutes with real processes: dev,
// a key, a hook that waits, a person in the panel, the hook's answer.
func TestSecondThingToTry(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dev := process(t, nil, "dev", "--addr", "127.0.0.1:0", "--dir", dir, "--json")
	out, err := dev.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := dev.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dev.Process.Kill(); _ = dev.Wait() })
	var up struct{ URL, Login string }
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &up) != nil {
		t.Fatalf("dev said %q: %v", line, err)
	}

	var k madeKey
	raw, err := process(t, nil, "keys", "create", "laptop", "--dir", dir, "--json").Output()
	if err != nil || json.Unmarshal(raw, &k) != nil {
		t.Fatalf("keys: %s %v", raw, err)
	}
	hook := process(t, []string{"POSTERN_URL=" + up.URL, "POSTERN_KEY=" + k.Key}, "hook")
	hook.Stdin = strings.NewReader(`{"session_id":"try","tool_name":"Bash","tool_input":{"command":"make deploy"}}`)
	said, err := hook.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := hook.Start(); err != nil {
		t.Fatal(err)
	}

	link, err := url.Parse(up.Login)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	key := func(context.Context) (string, error) { return link.Query().Get("key"), nil }
	panel, err := scenario.Target{URL: up.URL, Client: &http.Client{}, SignIn: key}.Browser(ctx)
	if err != nil {
		t.Fatal(err)
	}
	item, ok := "", false
	for n := 0; !ok && n < 10000; n++ { // until the hook has asked
		item, ok = panel.Find(ctx, "Bash")
	}
	form, err := panel.Open(ctx, item)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := panel.Answer(ctx, form, "allow"); err != nil || a.Status != 200 {
		t.Fatalf("%+v %v", a, err)
	}
	answer, err := bufio.NewReader(said).ReadString('\n')
	if err != nil || !strings.Contains(answer, `"permissionDecision":"allow"`) || !strings.Contains(answer, item) {
		t.Fatalf("the hook said %q: %v", answer, err)
	}
	if err := hook.Wait(); err != nil {
		t.Fatal(err)
	}
}
