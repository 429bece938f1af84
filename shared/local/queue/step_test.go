package queue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/local/queue"
)

// note gives a handler that notes the body it was given.
func note(into *string) queue.Handler {
	return func(_ context.Context, r queue.Received) error {
		*into = r.Body
		return nil
	}
}

func TestStepDeliversOne(t *testing.T) {
	t.Parallel()
	w := open(t, queue.Memory, queue.Options{Pick: func(n int) int { return n - 1 }})
	var got []string
	failures := 1
	handlers := map[string]queue.Handler{
		doorbell.Triggers: func(_ context.Context, r queue.Received) error {
			got = append(got, r.Body)
			return nil
		},
		doorbell.Turns: func(_ context.Context, r queue.Received) error {
			got = append(got, fmt.Sprint(r.Body, r.Receives))
			if failures--; failures == 0 {
				return errors.New("not now")
			}
			if failures == -1 {
				panic("never again")
			}
			return nil
		},
	}
	w.fifo("g", "a")
	w.fifo("g", "b")
	w.send(doorbell.Message{Queue: doorbell.Turns, Body: "t"})
	w.send(doorbell.Message{Queue: doorbell.Wakes, Body: "nobody listens"})
	for range 3 {
		for {
			did, err := w.Step(ctx, handlers)
			if err != nil {
				t.Fatal(err)
			}
			if !did {
				break
			}
		}
		w.clock.Advance(5 * time.Second) // Retry
	}
	if fmt.Sprint(got) != "[t1 a b t2 t3]" {
		t.Fatal(got)
	}
	w.gets(doorbell.Wakes, "nobody listens")
}

// A seed replays exactly, and loses nothing whatever is lost on the way.
func TestStepBySeed(t *testing.T) {
	t.Parallel()
	run := func(seed uint64) string {
		dice := rand.New(rand.NewPCG(seed, 0))
		w := open(t, queue.Memory, queue.Options{
			Pick:       dice.IntN,
			LoseDelete: func(queue.Received) bool { return dice.IntN(4) == 0 },
			Settings:   map[string]queue.Setting{doorbell.Triggers: {Visibility: time.Minute, MaxReceives: 1000}},
		})
		var log []string
		seen := map[string]bool{}
		handlers := map[string]queue.Handler{doorbell.Triggers: func(_ context.Context, r queue.Received) error {
			log = append(log, r.Body)
			if dice.IntN(5) == 0 {
				return errors.New("fails")
			}
			seen[r.Body] = true
			return nil
		}}
		for i := range 40 {
			w.fifo(fmt.Sprint("g", i%4), fmt.Sprint(i))
		}
		for {
			did, err := w.Step(ctx, handlers)
			if err != nil {
				t.Fatal(err)
			}
			if did {
				continue
			}
			at, ok, err := w.NextDue(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			w.clock.Set(at)
		}
		if len(seen) != 40 {
			t.Fatalf("%d of 40 were handled", len(seen))
		}
		return strings.Join(log, " ")
	}
	one, same, other := run(1), run(1), run(2)
	if one != same {
		t.Fatalf("a seed did not replay\n%s\n%s", one, same)
	}
	if one == other {
		t.Fatal("two seeds did the same")
	}
}

// A message that only dies counts as a step, and its handler does not run.
func TestStepBuries(t *testing.T) {
	t.Parallel()
	w := open(t, queue.Memory, queue.Options{Settings: map[string]queue.Setting{doorbell.Turns: {Visibility: time.Minute, MaxReceives: 1}}})
	runs := 0
	handlers := map[string]queue.Handler{doorbell.Turns: func(context.Context, queue.Received) error {
		runs++
		return errors.New("fails")
	}}
	w.send(doorbell.Message{Queue: doorbell.Turns, Body: "poison"})
	for i, want := range []bool{true, true, false} {
		if did, err := w.Step(ctx, handlers); did != want || err != nil {
			t.Fatal(i, did, err)
		}
	}
	if dead, err := w.Dead(ctx, doorbell.Turns, 10); len(dead) != 1 || runs != 1 || err != nil {
		t.Fatal(dead, runs, err)
	}
}
