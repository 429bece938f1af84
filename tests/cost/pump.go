package main

import (
	"context"
	"fmt"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/store"
)

// drain runs what is to be run, one invocation at a time, until nothing is
// left: the stream first, then cards, then turns. Cards go before turns because
// on AWS both begin at once, and the tool that the turn runs takes longer than
// the first step of showing.
func (w *world) drain(ctx context.Context) error {
	for {
		did, err := w.stream(ctx)
		for _, queue := range []string{doorbell.Triggers, doorbell.Outbound, doorbell.Turns, doorbell.Wakes} {
			if err != nil || did {
				break
			}
			did, err = w.deliver(ctx, queue)
		}
		if err != nil || !did {
			return err
		}
	}
}

// stream brings rows that ring to dispatch, each by an invocation of its
// own: at low traffic no two come together.
func (w *world) stream(ctx context.Context) (bool, error) {
	changes, next, err := w.DB.Changes(ctx, w.cursor, 1000)
	if err != nil || len(changes) == 0 {
		return false, err
	}
	w.cursor = next
	for _, c := range changes {
		rung, err := store.Rings(c.Old, c.New)
		if err != nil {
			return false, err
		}
		if rung != nil {
			w.meter.enter(w.stageOf(rung.Bells...), "dispatch")
			w.meter.note(func(u *used) { u.Records++ })
			w.Dispatch.Move(ctx, *rung)
		}
	}
	return true, nil
}

// stageOf is the stretch that some doorbells belong to: words are said beside
// the round trip.
func (w *world) stageOf(bells ...store.Bell) string {
	words := true
	for _, b := range bells {
		words = words && (b.Ring == store.RingSay || b.Ring == store.RingTell || b.Ring == store.RingOpen)
	}
	if words && w.stage != before {
		return beside
	}
	return w.stage
}

// deliver brings one message to its function.
func (w *world) deliver(ctx context.Context, queue string) (bool, error) {
	got, err := w.Queue.Receive(ctx, queue, 1)
	if err != nil || len(got) == 0 {
		return false, err
	}
	function, hear := w.hearer(queue)
	stage := w.stage
	if b, err := store.DecodeBell(got[0].Body); err == nil && queue != doorbell.Triggers {
		stage = w.stageOf(b)
	}
	if stage == answer { // what an answer rings
		stage = map[string]string{doorbell.Outbound: settle, doorbell.Turns: run}[queue]
	}
	w.meter.enter(stage, function)
	w.meter.note(func(u *used) { u.Received++ })
	w.meter.mu.Lock()
	w.meter.queues[[2]string{stage, queue}] += 2 // received and deleted
	w.meter.mu.Unlock()
	if err := hear(ctx, got[0].Body); err != nil {
		return false, fmt.Errorf("%s: %w", function, err)
	}
	_, err = w.Queue.Delete(ctx, got[0].Receipt)
	return true, err
}

func (w *world) hearer(queue string) (string, func(context.Context, string) error) {
	switch queue {
	case doorbell.Triggers:
		return "gate", w.Gate.Hear
	case doorbell.Outbound:
		return "deliver", w.Deliver.Hear
	case doorbell.Turns:
		return "turn", w.Turns.Hear
	}
	return "wake", w.Waker.Hear
}
