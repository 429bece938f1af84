package queue_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/local/queue"
)

// running starts Run and gives how to end it.
func running(t testing.TB, e *queue.Engine, handlers map[string]queue.Handler, concurrency map[string]int) (stop func()) {
	t.Helper()
	within, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- e.Run(within, handlers, concurrency) }()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// Groups run side by side, each in order, and no more at a time than allowed.
func TestRunOrderAndConcurrency(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"memory": queue.Memory, "file": filepath.Join(t.TempDir(), "q.db")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const groups, each, most = 5, 20, 3
			w := open(t, path, queue.Options{})
			var mu sync.Mutex
			got := map[string][]string{}
			var now, peak atomic.Int32
			done := make(chan struct{}, groups*each)
			full := make(chan struct{}) // closed once as many run as may
			stop := running(t, w.Engine, map[string]queue.Handler{doorbell.Triggers: func(_ context.Context, r queue.Received) error {
				if n := now.Add(1); n > peak.Load() {
					if peak.Store(n); n == most {
						close(full)
					}
				}
				<-full
				mu.Lock()
				got[r.Group] = append(got[r.Group], r.Body)
				mu.Unlock()
				now.Add(-1)
				done <- struct{}{}
				return nil
			}}, map[string]int{doorbell.Triggers: most})
			for i := range groups * each {
				w.fifo(fmt.Sprint("g", i%groups), fmt.Sprintf("%04d", i))
			}
			for range groups * each {
				<-done
			}
			stop()
			if peak.Load() > most {
				t.Fatalf("%d at a time", peak.Load())
			}
			for g, bodies := range got {
				for i := 1; i < len(bodies); i++ {
					if bodies[i-1] >= bodies[i] {
						t.Fatalf("group %s: %v", g, bodies)
					}
				}
			}
			if len(got) != groups {
				t.Fatal(len(got))
			}
			w.due(time.Time{})
		})
	}
}

// Run wakes by the clock for delays, time-outs and schedules.
func TestRunWakesByTheClock(t *testing.T) {
	t.Parallel()
	w := open(t, queue.Memory, queue.Options{})
	got := make(chan string, 10)
	failed := false
	stop := running(t, w.Engine, map[string]queue.Handler{doorbell.Wakes: func(_ context.Context, r queue.Received) error {
		got <- r.Body
		if r.Body == "delayed" && !failed {
			failed = true
			return errors.New("once more")
		}
		return nil
	}}, nil)
	defer stop()
	w.send(doorbell.Message{Queue: doorbell.Wakes, Body: "delayed", Delay: 30 * time.Second})
	if err := w.Set(ctx, "s", start.Add(time.Hour), "timer"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		body string
		at   time.Duration // the clock's time from the start
	}{{"delayed", 30 * time.Second}, {"delayed", 35 * time.Second}, {"timer", time.Hour}} {
		// The handler before is done when nothing else is due earlier.
		for due := time.Duration(0); due < want.at || due > want.at+time.Second; {
			at, _, err := w.NextDue(ctx)
			if err != nil {
				t.Fatal(err)
			}
			due = at.Sub(start.Truncate(time.Second))
			runtime.Gosched()
		}
		w.clock.Set(start.Add(want.at - time.Millisecond))
		select {
		case body := <-got:
			t.Fatalf("%s came early", body)
		default:
		}
		w.clock.Set(start.Add(want.at + time.Millisecond).Truncate(time.Second).Add(time.Second))
		if body := <-got; body != want.body {
			t.Fatalf("%s, want %s", body, want.body)
		}
	}
}

// A handler that takes too long is told so, and its message comes again; one
// that runs when Run ends is waited for.
func TestRunTimeoutAndStop(t *testing.T) {
	t.Parallel()
	e, err := queue.Open(queue.Memory, clock.Real{}, queue.Options{Settings: map[string]queue.Setting{
		doorbell.Turns: {Visibility: time.Hour, MaxReceives: 3, Timeout: time.Millisecond},
		doorbell.Wakes: {Visibility: time.Hour, MaxReceives: 3},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	again, begun, told, let := make(chan int, 1), make(chan struct{}), make(chan struct{}), make(chan struct{})
	within, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	handlers := map[string]queue.Handler{
		doorbell.Turns: func(within context.Context, r queue.Received) error {
			if r.Receives == 1 {
				<-within.Done()
				return within.Err()
			}
			again <- r.Receives
			return nil
		},
		doorbell.Wakes: func(within context.Context, r queue.Received) error {
			close(begun)
			<-within.Done() // only when Run is to end
			close(told)
			<-let
			return nil
		},
	}
	go func() { ended <- e.Run(within, handlers, nil) }()
	for _, q := range []string{doorbell.Turns, doorbell.Wakes} {
		if err := e.Send(ctx, doorbell.Message{Queue: q, Body: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := <-again; n != 2 {
		t.Fatal(n)
	}
	<-begun
	if err := e.Run(ctx, nil, nil); err == nil {
		t.Fatal("two run at a time")
	}
	cancel()
	<-told
	for range 1000 {
		select {
		case err := <-ended:
			t.Fatal("Run did not wait for a handler", err)
		default:
			runtime.Gosched()
		}
	}
	close(let)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if _, ok, err := e.NextDue(ctx); ok || err != nil {
		t.Fatal("what was handled at the end was not deleted", err)
	}
	if err := e.Run(ctx, map[string]queue.Handler{"mail": nil}, nil); err == nil {
		t.Fatal("a handler for a queue that is none")
	}
}

// What another process sends or redrives is delivered with the next thing that
// happens here, though nobody rang.
func TestRunSeesAnotherProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "q.db")
	w := open(t, path, queue.Options{})
	got := make(chan string, 10)
	hear := func(_ context.Context, r queue.Received) error { got <- r.Body; return nil }
	defer running(t, w.Engine, map[string]queue.Handler{doorbell.Turns: hear, doorbell.Wakes: hear}, nil)()
	w.send(doorbell.Message{Queue: doorbell.Turns, Body: "own"})
	if body := <-got; body != "own" {
		t.Fatal(body)
	}
	other, err := queue.Open(path, w.clock, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := other.Send(ctx, doorbell.Message{Queue: doorbell.Wakes, Body: "other"}); err != nil {
		t.Fatal(err)
	}
	w.send(doorbell.Message{Queue: doorbell.Turns, Body: "next"})
	seen := map[string]bool{<-got: true, <-got: true}
	if !seen["other"] || !seen["next"] {
		t.Fatal(seen)
	}
}

// A change that fails takes nothing along: what was delivered in its
// transaction is delivered by another.
func TestRunAfterAFailedChange(t *testing.T) {
	t.Parallel()
	w := open(t, queue.Memory, queue.Options{})
	got := make(chan string, 10)
	stop := running(t, w.Engine, map[string]queue.Handler{doorbell.Turns: func(_ context.Context, r queue.Received) error {
		got <- r.Body
		return nil
	}}, nil)
	for i := range 20 {
		if err := w.Fail(ctx, doorbell.Message{Queue: doorbell.Turns, Body: fmt.Sprint("undone ", i)}); err == nil {
			t.Fatal("a change that fails has not failed")
		}
		w.send(doorbell.Message{Queue: doorbell.Turns, Body: fmt.Sprint(i)})
		if body := <-got; body != fmt.Sprint(i) {
			t.Fatal(body)
		}
	}
	stop()
	w.due(time.Time{})
}
