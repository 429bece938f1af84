package queue_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/local/queue"
)

// A delayed message is never early; messages of a standard queue do not wait
// for each other.
func TestStandardDelay(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		w.send(doorbell.Message{Queue: doorbell.Wakes, Body: "late", Delay: 15 * time.Minute})
		w.send(doorbell.Message{Queue: doorbell.Wakes, Body: "soon", Delay: time.Second})
		w.send(doorbell.Message{Queue: doorbell.Wakes, Body: "now"})
		now := w.gets(doorbell.Wakes, "now")[0]
		w.due(start.Add(time.Second))
		w.clock.Advance(time.Second - time.Microsecond)
		w.gets(doorbell.Wakes)
		w.clock.Advance(time.Microsecond)
		w.gets(doorbell.Wakes, "soon")
		w.due(start.Add(6 * time.Minute))
		w.clock.Advance(6 * time.Minute)
		// Its time in flight ended, and nobody has it: a standard queue still
		// deletes by the latest receipt.
		w.deletes(now, true)
		w.clock.Advance(9 * time.Minute)
		w.gets(doorbell.Wakes, "soon", "late")
	})
}

// On a standard queue an old receipt does not delete what somebody else holds.
func TestStandardOldReceipt(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		w.send(doorbell.Message{Queue: doorbell.Turns, Body: "x"})
		old := w.gets(doorbell.Turns, "x")[0]
		w.clock.Advance(610 * time.Second)
		w.hides(old, time.Minute, false) // not in flight
		again := w.gets(doorbell.Turns, "x")[0]
		w.deletes(old, false)
		w.deletes(again, true)
		w.due(time.Time{})
	})
}

func TestReceipts(t *testing.T) {
	t.Parallel()
	w := open(t, queue.Memory, queue.Options{})
	for _, receipt := range []string{"", "1", "x-1", "1-x", "1-2-3"} {
		if _, err := w.Delete(ctx, receipt); err == nil {
			t.Errorf("delete %q", receipt)
		}
		if _, err := w.ChangeVisibility(ctx, receipt, 0); err == nil {
			t.Errorf("hide %q", receipt)
		}
	}
	if _, err := w.ChangeVisibility(ctx, "1-1", -time.Second); err == nil {
		t.Error("hidden into the past")
	}
	if _, err := w.ChangeVisibility(ctx, "1-1", 13*time.Hour); err == nil {
		t.Error("hidden for longer than SQS takes")
	}
	w.deletes(queue.Received{Receipt: "1-1"}, false)
}

// D6, W3: a schedule rings the wakes at its time, rounded up to the second, or
// later, once; its name stays taken a while.
func TestD6Schedules(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		set := func(name string, at time.Time, body string) {
			t.Helper()
			if err := w.Set(ctx, name, at, body); err != nil {
				t.Fatal(err)
			}
		}
		step := func(want string) {
			t.Helper()
			got := ""
			did, err := w.Step(ctx, map[string]queue.Handler{doorbell.Wakes: note(&got)})
			if err != nil || did != (want != "") || got != want {
				t.Fatalf("stepped %v %q %v, want %q", did, got, err, want)
			}
		}
		at := start.Add(time.Hour) // in the middle of a second
		set("w-1-g1", at, "one")
		set("w-1-g1", at.Add(-time.Minute), "again") // done: it stays as it is
		set("w-2-g1", at.Add(time.Hour), "two")
		set("w-3-g1", at.Add(time.Hour), "three")
		if err := w.Cancel(ctx, "w-2-g1"); err != nil {
			t.Fatal(err)
		}
		if err := w.Cancel(ctx, "never"); err != nil {
			t.Fatal(err)
		}
		if n, err := w.Schedules(ctx); n != 2 || err != nil {
			t.Fatal(n, err)
		}
		up := at.Truncate(time.Second).Add(time.Second)
		w.due(up)
		w.clock.Set(up.Add(-time.Microsecond))
		step("")
		w.clock.Set(up)
		step("one")
		step("")
		if err := w.Cancel(ctx, "w-1-g1"); err != nil {
			t.Fatal(err)
		}
		w.clock.Advance(queue.Lingers - time.Second)
		set("w-1-g1", w.clock.Now().Add(2*time.Minute), "taken") // a name that just rang
		w.due(at.Add(time.Hour).Truncate(time.Second).Add(time.Second))
		w.clock.Advance(time.Second)
		set("w-1-g1", w.clock.Now().Add(2*time.Minute), "anew")
		w.clock.Advance(2*time.Minute + time.Second)
		step("anew")
		w.clock.Advance(24 * time.Hour)
		step("three")
		step("")
		w.due(time.Time{})
	})
}

func TestScheduleRefuses(t *testing.T) {
	t.Parallel()
	w := open(t, queue.Memory, queue.Options{})
	later := start.Add(time.Hour)
	for name, err := range map[string]error{
		"no name":     w.Set(ctx, "", later, "x"),
		"a long name": w.Set(ctx, string(make([]byte, 65)), later, "x"),
		"a sign":      w.Set(ctx, "w|1", later, "x"),
		"no body":     w.Set(ctx, "w", later, ""),
		"the past":    w.Set(ctx, "w", start.Add(-time.Second), "x"),
	} {
		if err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	// Far ahead is far ahead, whatever a clock can hold.
	if err := w.Set(ctx, "never", time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), "x"); err != nil {
		t.Fatal(err)
	}
	w.due(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC))
}

// What was accepted is there after a restart, deduplication and schedules
// included; what was in flight stays hidden unless it is released.
func TestRestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "q.db")
	w := open(t, path, queue.Options{})
	w.fifo("g", "a")
	w.fifo("g", "b")
	w.send(doorbell.Message{Queue: doorbell.Wakes, Body: "late", Delay: time.Minute})
	if err := w.Set(ctx, "s", start.Add(time.Hour), "timer"); err != nil {
		t.Fatal(err)
	}
	held := w.gets(doorbell.Triggers, "a")[0]
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Send(ctx, doorbell.Message{Queue: doorbell.Turns, Body: "x"}); err == nil {
		t.Fatal("sent to closed queues")
	}
	w.reopen(path, queue.Options{})
	w.gets(doorbell.Triggers)
	w.sent = 0
	w.fifo("g", "a") // its id still counts
	if err := w.Release(ctx); err != nil {
		t.Fatal(err)
	}
	w.gets(doorbell.Wakes) // a delay is not a time in flight
	again := w.gets(doorbell.Triggers, "a")[0]
	if again.ID != held.ID || again.Receives != 2 {
		t.Fatalf("%+v", again)
	}
	w.deletes(again, true)
	w.gets(doorbell.Triggers, "b")
	w.clock.Advance(time.Minute)
	w.gets(doorbell.Wakes, "late")
	w.due(start.Add(2 * time.Minute)) // b
	w.clock.Advance(2 * time.Hour)
	var got []string
	for range 2 {
		body := ""
		if did, err := w.Step(ctx, map[string]queue.Handler{doorbell.Wakes: note(&body)}); !did || err != nil {
			t.Fatal(did, err)
		}
		got = append(got, body)
	}
	if fmt.Sprint(got) != "[late timer]" {
		t.Fatal(got)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]map[string]queue.Setting{
		"a queue that is none": {"mail": {Visibility: time.Second, MaxReceives: 1}},
		"no visibility":        {doorbell.Turns: {MaxReceives: 1}},
		"no receives":          {doorbell.Turns: {Visibility: time.Second}},
	} {
		if _, err := queue.Open(queue.Memory, nil, queue.Options{Settings: s}); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if _, err := queue.Open(filepath.Join(t.TempDir(), "no", "such", "folder"), nil, queue.Options{}); err == nil {
		t.Error("opened a file in no folder")
	}
}
