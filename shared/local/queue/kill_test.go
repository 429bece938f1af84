package queue_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/local/queue"
)

const killEnv = "POSTERN_QUEUE_KILL_TEST"

func TestMain(m *testing.M) {
	if path := os.Getenv(killEnv); path != "" {
		victim(path)
	}
	os.Exit(m.Run())
}

// victim sends to groups of a FIFO queue, side by side, says on its output what
// was accepted, and handles some of it, until it is killed.
func victim(path string) {
	e, err := queue.Open(path, clock.Real{}, queue.Options{})
	if err != nil {
		panic(err)
	}
	var mu sync.Mutex
	say := func(what, body string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(what, body)
	}
	for g := range 8 {
		go func() {
			for i := 0; ; i++ {
				body := fmt.Sprintf("%d-%08d", g, i)
				err := e.Send(ctx, doorbell.Message{Queue: doorbell.Triggers, Group: fmt.Sprint(g), Dedup: fmt.Sprint(os.Getpid(), body), Body: fmt.Sprint(os.Getpid(), " ", body)})
				if err != nil {
					panic(err)
				}
				say("sent", fmt.Sprint(os.Getpid(), " ", body))
				if i%10 == 0 {
					if err := e.Set(ctx, "s-"+fmt.Sprint(os.Getpid(), "-", body), muchLater(), fmt.Sprint(os.Getpid(), " ", body)); err != nil {
						panic(err)
					}
					say("set", fmt.Sprint(os.Getpid(), " ", body))
				}
			}
		}()
	}
	panic(e.Run(ctx, map[string]queue.Handler{doorbell.Triggers: func(_ context.Context, r queue.Received) error {
		if len(r.Body)%2 == 0 || rand.IntN(3) == 0 {
			return fmt.Errorf("not this one")
		}
		say("done", r.Body) // before the delete, which may be lost
		return nil
	}}, map[string]int{doorbell.Triggers: 3}))
}

// muchLater is when the victim's schedules ring: long after it is dead.
func muchLater() time.Time { return time.Now().Add(time.Hour) }

// TestKilledLosesNothingAccepted kills a process that sends, schedules and
// handles, several times over one file; whatever it said was accepted is there
// or was handled, in the order of its group.
func TestKilledLosesNothingAccepted(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "q.db")
	accepted, scheduled, handled := map[string]bool{}, 0, map[string]bool{}
	for range 5 {
		scheduled += kill(t, path, accepted, handled)
	}
	// An hour later all is due: messages, what was in flight, and schedules.
	e, err := queue.Open(path, clock.NewFake(time.Now().Add(2*time.Hour)), queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	last := map[string]string{}
	rang := 0
	handlers := map[string]queue.Handler{
		doorbell.Triggers: func(_ context.Context, r queue.Received) error {
			handled[r.Body] = true
			process, body, _ := strings.Cut(r.Body, " ")
			if before := last[process+r.Group]; before >= body {
				t.Errorf("group %s of %s: %s after %s", r.Group, process, body, before)
			}
			last[process+r.Group] = body
			return nil
		},
		doorbell.Wakes: func(context.Context, queue.Received) error {
			rang++
			return nil
		},
	}
	for did := true; did; {
		if did, err = e.Step(ctx, handlers); err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range []string{doorbell.Triggers, doorbell.Wakes} { // dead is not lost
		dead, err := e.Dead(ctx, q, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range dead {
			handled[d.Body] = true
		}
	}
	for body := range accepted {
		if !handled[body] {
			t.Errorf("lost %s", body)
		}
	}
	if len(accepted) < 50 || scheduled == 0 || rang < scheduled {
		t.Errorf("accepted %d, scheduled %d, rang %d", len(accepted), scheduled, rang)
	}
}

// kill runs a victim until it said enough, kills it, and takes note of what it
// said.
func kill(t *testing.T, path string, accepted, handled map[string]bool) (scheduled int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killEnv+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines, enough := 0, 20+rand.IntN(300)
	for scan := bufio.NewScanner(out); scan.Scan(); {
		if lines++; lines == enough {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		what, body, _ := strings.Cut(scan.Text(), " ")
		switch what {
		case "sent":
			accepted[body] = true
		case "set":
			scheduled++
		case "done":
			handled[body] = true
		}
	}
	if err := cmd.Wait(); err == nil || lines < enough {
		t.Fatalf("the process ended by itself after %d lines: %v", lines, err)
	}
	return scheduled
}
