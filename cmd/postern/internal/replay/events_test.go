package replay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/postern-dev/postern/cmd/postern/internal/event"
	"github.com/postern-dev/postern/cmd/postern/internal/replay"
	devpolicy "github.com/postern-dev/postern/infra/policy"
	"github.com/postern-dev/postern/shared/domain/policy"
)

var update = flag.Bool("update", false, "write the golden file anew")

const eventsDir = "../../../../events"

func open(t *testing.T, change func(*replay.Config)) *replay.Replay {
	t.Helper()
	p, err := policy.Parse("dev.yaml", devpolicy.Dev)
	if err != nil {
		t.Fatal(err)
	}
	cfg := replay.Config{Policy: p, Secrets: event.DevSecrets(), Now: func() time.Time { return today }}
	if change != nil {
		change(&cfg)
	}
	r, err := replay.Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

var today = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

func lines(t *testing.T, r *replay.Replay, files ...string) (out []byte) {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, f := range files {
		if err := enc.Encode(r.File(context.Background(), "events/"+filepath.Base(f), sample(t, filepath.Base(f)))); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func sample(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(eventsDir, name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestU13Golden: every file in events/, as one history, verified at its own
// time and not verified at all, reads the same as it did.
func TestU13Golden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(eventsDir + "/*.json")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files in events/: %v", len(files), err)
	}
	got := lines(t, open(t, func(c *replay.Config) { c.Captured = true }), files...)
	if *update {
		if err := os.WriteFile("testdata/events.jsonl", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "verified", got, want)
	compare(t, "not verified", lines(t, open(t, func(c *replay.Config) { c.Unverified = true }), files...), want)
}

func compare(t *testing.T, what string, got, want []byte) {
	t.Helper()
	g, w := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || !bytes.Equal(g[i], w[i]) {
			t.Errorf("%s, line %d\n got %s\nwant %s", what, i+1, at(g, i), at(w, i))
		}
	}
}

func at(lines [][]byte, i int) []byte {
	if i < len(lines) {
		return lines[i]
	}
	return []byte("nothing")
}
