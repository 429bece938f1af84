// Package logs plays the whole demo, and what goes wrong around it, with every
// log line kept, and looks for what must never stand in one: a body, a token, a
// secret (D8); nor a secret in any row (C4).
package logs

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/postern-dev/postern/infra/policy"
	domain "github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/edge/llm/scripted"
	"github.com/postern-dev/postern/shared/flow/turn"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/local/scenario"
	"github.com/postern-dev/postern/shared/local/standin/feishu"
	"github.com/postern-dev/postern/shared/local/standin/github"
	"github.com/postern-dev/postern/shared/local/standin/slack"
)

// linkKey signs the buttons.
const linkKey = "link-key-that-is-nowhere-0123456789"

// bodies are what people write in the demo and in what goes wrong here.
var bodies = []string{"looking into it", "which browser was it", "may I restart it", "Cart total is wrong", "zebra-crossing"}

// lines is a log that several goroutines write.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestD8_NeverABodyOrAToken(t *testing.T) {
	t.Parallel()
	log := &lines{}
	r, world := start(t, log)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	var logins []string
	err := scenario.Demo(ctx, scenario.Target{URL: r.PublicURL, Client: &http.Client{Timeout: 20 * time.Second},
		Slack: world.Slack, Feishu: world.Feishu, GitHub: world.GitHub, Patience: 60 * time.Second, Nap: 1,
		SignIn: func(ctx context.Context) (string, error) {
			key, err := r.LoginKey(ctx, "panel:owner", "Owner", "owner")
			logins = append(logins, key)
			return key, err
		}}, func(s scenario.Step) {
		if !s.OK {
			t.Errorf("%s: %s", s.Step, s.What)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	wrong(t, r.PublicURL)
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	secrets := append(secrets(t), logins...)
	checkLog(t, log.String(), append(bodies, secrets...))
	checkRows(t, r.Dir, secrets)
}

func start(t *testing.T, log *lines) (*local.Runtime, *local.World) {
	t.Helper()
	world := local.NewWorld(clock.Real{}.Now)
	p, err := domain.Parse("dev.yaml", policy.Dev)
	if err != nil {
		t.Fatal(err)
	}
	front, back := listen(t), listen(t)
	cfg := local.Config{Dir: t.TempDir(), Clock: clock.Real{}, Log: slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		LinkKey: []byte(linkKey), PublicURL: "http://" + front.Addr().String(), ModelName: "scripted:demo", Private: true, Policy: p, Source: string(policy.Dev),
		Model: func(string) (turn.Model, string, error) { return scripted.New(), "demo", nil }}
	world.Connect(&cfg, "http://"+back.Addr().String())
	r, err := local.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	mux := http.NewServeMux()
	world.Routes(mux)
	serve(t, front, r.Handler)
	serve(t, back, mux)
	return r, world
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func serve(t *testing.T, l net.Listener, h http.Handler) {
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
}

// wrong sends what is refused at each entrance, with a text and a token in it:
// refusals are logged, what was refused is not.
func wrong(t *testing.T, url string) {
	t.Helper()
	for _, path := range []string{"/hooks/slack", "/hooks/feishu", "/hooks/github", "/login", "/v1/sessions", "/v1/items/x/answer"} {
		for _, body := range []string{`{"text":"zebra-crossing xoxb-not-ours"}`, `key=zebra-crossing`, "zebra-crossing"} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Authorization", "Bearer zebra-crossing")
			req.Header.Set("X-Slack-Signature", "v0=zebra-crossing")
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			_, _ = b.ReadFrom(resp.Body)
			_ = resp.Body.Close()
			if resp.StatusCode < 400 || strings.Contains(b.String(), "zebra") {
				t.Errorf("%s was answered %d %s", path, resp.StatusCode, b.String())
			}
		}
	}
}

// secrets are all that the connectors and the deployment hold.
func secrets(t *testing.T) []string {
	t.Helper()
	out := []string{linkKey}
	for _, s := range []any{slack.DevSecrets(), feishu.DevSecrets(), github.DevSecrets()} {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		for name, v := range m {
			if s, ok := v.(string); ok && secretName(name) && len(s) > 6 {
				out = append(out, s)
			}
		}
	}
	if len(out) < 6 {
		t.Fatalf("only %d secrets are known to this test", len(out))
	}
	return out
}

func secretName(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "secret") || strings.Contains(name, "token") || strings.Contains(name, "key")
}

// checkLog: no line holds a mark, each is JSON, and one correlation goes from
// the first delivery through every function to the outcome.
func checkLog(t *testing.T, log string, marks []string) {
	t.Helper()
	n, correlated := 0, map[string]map[string]bool{}
	for line := range strings.Lines(log) {
		n++
		for _, m := range marks {
			if strings.Contains(line, m) {
				t.Errorf("%q is in the log: %s", m, line)
			}
		}
		var l map[string]any
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Errorf("not JSON: %s", line)
		}
		if c, ok := l["correlation"].(string); ok {
			if correlated[c] == nil {
				correlated[c] = map[string]bool{}
			}
			f, _ := l["function"].(string)
			correlated[c][f] = true
		}
	}
	if n < 20 || len(correlated) < 3 {
		t.Errorf("%d lines with %d correlations: the test does not see the log", n, len(correlated))
	}
	whole := 0
	for c, functions := range correlated {
		if !functions["gate"] {
			continue // the second event of one message: judged once, by the first's
		}
		whole++
		want := []string{"gate", "dispatch", "turn", "deliver"}
		if entrance, _, _ := strings.Cut(c, ":"); entrance == "slack" { // what slept, too
			want = append(want, "wake", "slack")
		} else {
			want = append(want, entrance)
		}
		for _, f := range want {
			if !functions[f] {
				t.Errorf("%s: no line of %s, only of %v (D8)", c, f, slices.Sorted(maps.Keys(functions)))
			}
		}
	}
	if whole < 3 {
		t.Errorf("%d pieces of work can be followed", whole)
	}
}

// checkRows: no file of the deployment holds a secret, neither in a row nor in
// what is left of older ones.
func checkRows(t *testing.T, dir string, secrets []string) {
	t.Helper()
	seen := false
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen = seen || bytes.Contains(b, []byte("github_comment"))
		for _, s := range secrets {
			if bytes.Contains(b, []byte(s)) {
				t.Errorf("a secret is in %s", filepath.Base(path))
			}
		}
		return nil
	})
	if err != nil || !seen {
		t.Errorf("the test does not see the table: %v", err)
	}
}
