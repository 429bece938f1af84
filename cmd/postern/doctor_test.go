package main

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/postern-dev/postern/cmd/postern/internal/doctor"
	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/local/queue"
)

// devRunning is a postern dev as its command runs it, with its stand-ins.
func devRunning(t *testing.T) (url, dir string) {
	t.Helper()
	dir = t.TempDir()
	ctx, stop := context.WithCancel(context.Background())
	r, w := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"dev", "--json", "--dir", dir, "--addr", "127.0.0.1:0"}, strings.NewReader(""), w, io.Discard)
		_ = w.Close()
	}()
	t.Cleanup(func() { stop(); go func() { _, _ = io.Copy(io.Discard, r) }(); <-ended })
	var up struct{ URL string }
	if err := json.NewDecoder(r).Decode(&up); err != nil || up.URL == "" {
		t.Fatalf("postern dev said %+v, %v", up, err)
	}
	return up.URL, dir
}

type examined struct {
	URL      string
	Wrong    int
	Findings []doctor.Finding
}

// U4: a postern dev is healthy, and its doctor's exit code says so.
func TestU4_DoctorOfAPosternDev(t *testing.T) {
	t.Parallel()
	url, dir := devRunning(t)
	got := read[examined](t, "doctor", "--dir", dir, "--url", url)
	if got.URL != url || got.Wrong != 0 || len(got.Findings) < 15 {
		t.Errorf("%+v", got)
	}
	fails(t, exitFailed, "Nothing answers at http://127.0.0.1:1", "doctor", "--dir", dir, "--url", "http://127.0.0.1:1")
	if s := works(t, "doctor", "--dir", dir, "--url", url); !strings.HasSuffix(s, "Nothing is wrong.\n") {
		t.Error(s)
	}
}

// U11: doctor, redrive and uninstall refuse a command line that cannot be meant.
func TestU11_DeploymentCommandsRefuse(t *testing.T) {
	t.Parallel()
	fails(t, exitUsage, "--stack", "doctor", "--table", "t")
	fails(t, exitUsage, "--stack", "uninstall")
	fails(t, exitUsage, "--yes", "uninstall", "--stack", "s", "--secrets")
	fails(t, exitUsage, "nonsense", "redrive", "nonsense")
	fails(t, exitUsage, "", "redrive")
	fails(t, exitUsage, "--max", "redrive", "all", "--max", "0")
	fails(t, exitFailed, "there is no Postern in", "redrive", "all", "--dir", t.TempDir())
}

// D4: what died in a postern dev is sent again, once.
func TestD4_RedriveOfAPosternDev(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	die(t, r, "turns", `{"ring":"turn","session":"s"}`)
	list := read[[]redriven](t, "redrive", "turns", "--dir", r.dir)
	if len(list) != 1 || list[0] != (redriven{Queue: "turns", Moved: 1}) {
		t.Fatalf("%+v", list)
	}
	if list = read[[]redriven](t, "redrive", "all", "--dir", r.dir); len(list) != 4 {
		t.Fatalf("%+v", list)
	}
	for _, x := range list {
		if x.Moved != 0 {
			t.Errorf("sent again what was not dead: %+v", x)
		}
	}
	d, err := r.Queue.Depths(context.Background())
	if err != nil || d["turns"].Ready != 1 || d["turns"].Dead != 0 {
		t.Errorf("%+v, %v", d, err)
	}
}

// die puts a message into a queue and receives it until it is dead.
func die(t *testing.T, r *running, name, body string) {
	t.Helper()
	ctx := context.Background()
	if err := r.Queue.Send(ctx, doorbell.Message{Queue: name, Body: body}); err != nil {
		t.Fatal(err)
	}
	for range queue.Defaults()[name].MaxReceives + 1 {
		got, err := r.Queue.Receive(ctx, name, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range got {
			if _, err := r.Queue.ChangeVisibility(ctx, m.Receipt, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	if d, err := r.Queue.Depths(ctx); err != nil || d[name].Dead != 1 {
		t.Fatalf("%+v, %v", d, err)
	}
}
