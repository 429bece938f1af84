package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	devpolicy "github.com/postern-dev/postern/infra/policy"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
)

// postern runs one command line as main does.
func postern(t *testing.T, in string, args ...string) (out, errs string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(context.Background(), args, strings.NewReader(in), &o, &e)
	return o.String(), e.String(), code
}

// works runs a command line that must succeed.
func works(t *testing.T, args ...string) string {
	t.Helper()
	out, errs, code := postern(t, "", args...)
	if code != 0 {
		t.Fatalf("postern %s: code %d\n%s%s", strings.Join(args, " "), code, out, errs)
	}
	return out
}

// fails runs a command line that must end with a code, saying something.
func fails(t *testing.T, code int, say string, args ...string) {
	t.Helper()
	out, errs, got := postern(t, "", args...)
	if got != code || !strings.Contains(errs+out, say) {
		t.Fatalf("postern %s: want code %d and %q, got %d\n%s%s", strings.Join(args, " "), code, say, got, out, errs)
	}
}

// read runs a command line with --json and reads what it prints.
func read[T any](t *testing.T, args ...string) (v T) {
	t.Helper()
	out := works(t, append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatalf("postern %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return v
}

// running is a postern dev in a folder of its own: what the commands look into
// while it holds its files open. It runs no turns.
type running struct {
	*local.Runtime
	dir, url, session string
}

func newRunning(t *testing.T) *running {
	t.Helper()
	p, err := policy.Parse("dev.yaml", devpolicy.Dev)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r, err := local.Open(local.Config{Dir: dir, Clock: clock.Real{}, Log: slog.New(slog.DiscardHandler), LinkKey: []byte("test-link-key-00000000"),
		PublicURL: "http://127.0.0.1", Policy: p, Source: string(devpolicy.Dev)})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(r.Handler)
	t.Cleanup(func() { s.Close(); _ = r.Close() })
	return &running{Runtime: r, dir: dir, url: s.URL, session: filepath.Join(dir, "cli", "session.json")}
}
