package simulation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// queues are the four queues, the schedules and the stream, at least once: a
// ring comes twice, late, out of order (standard queues) or never. Only what a
// queue is the sole keeper of is never dropped: triggers.
type queues struct {
	w     *World
	msgs  []*msg
	seen  map[string]time.Time // FIFO deduplication, five minutes
	alarm map[string]*msg      // schedules by name
	dead  []*msg
}

type msg struct {
	doorbell.Message
	visible  time.Time
	receives int
	busy     bool
}

const maxReceives = 30 // of the world: a poison message would be found by its checks

func newQueues(w *World) *queues {
	return &queues{w: w, seen: map[string]time.Time{}, alarm: map[string]*msg{}}
}

// Send implements the queue edge.
func (q *queues) Send(ctx context.Context, m doorbell.Message) error {
	pause(ctx)
	w := q.w
	if w.fault(0.5) {
		return fmt.Errorf("queue %s: not reached", m.Queue)
	}
	if m.Queue != doorbell.Triggers && w.fault(2) {
		w.counts["dropped_"+m.Queue]++
		w.tracef("dropped a ring of %s", m.Queue)
		return nil
	}
	if doorbell.Fifo(m.Queue) {
		if at, ok := q.seen[m.Queue+m.Dedup]; ok && w.now.Sub(at) < 5*time.Minute {
			return nil
		}
		q.seen[m.Queue+m.Dedup] = w.now
	}
	q.put(m)
	if !doorbell.Fifo(m.Queue) && w.fault(3) {
		w.counts["doubled_"+m.Queue]++
		q.put(m)
	}
	return nil
}

func (q *queues) put(m doorbell.Message) {
	visible := q.w.now.Add(m.Delay)
	if q.w.fault(5) {
		visible = visible.Add(time.Duration(q.w.rng.IntN(180)) * time.Second)
	}
	q.msgs = append(q.msgs, &msg{Message: m, visible: visible})
}

// Set implements the timer edge.
func (q *queues) Set(ctx context.Context, name string, at time.Time, body string) error {
	pause(ctx)
	if q.w.fault(2) {
		q.w.counts["dropped_schedules"]++
		return nil // made and lost: the reconciler finds the wake
	}
	if _, ok := q.alarm[name]; !ok {
		q.alarm[name] = &msg{Message: doorbell.Message{Queue: doorbell.Wakes, Body: body}, visible: at}
	}
	return nil
}

// Cancel implements the timer edge.
func (q *queues) Cancel(ctx context.Context, name string) error {
	pause(ctx)
	delete(q.alarm, name)
	return nil
}

// ring moves due schedules to the wakes queue, now and then twice.
func (q *queues) ring() {
	for _, name := range slices.Sorted(maps.Keys(q.alarm)) {
		m := q.alarm[name]
		if m.visible.After(q.w.now) {
			continue
		}
		delete(q.alarm, name)
		q.msgs = append(q.msgs, &msg{Message: m.Message, visible: q.w.now})
		if q.w.fault(10) {
			q.msgs = append(q.msgs, &msg{Message: m.Message, visible: q.w.now.Add(time.Second)})
		}
	}
}

// deliverable are the messages that could be received now: of a FIFO group
// only its first, and none while one is in flight.
func (q *queues) deliverable() []*msg {
	blocked := map[string]bool{}
	var out []*msg
	for _, m := range q.msgs {
		if doorbell.Fifo(m.Queue) {
			g := m.Queue + m.Group
			if blocked[g] {
				continue
			}
			blocked[g] = true
		}
		if !m.busy && !m.visible.After(q.w.now) {
			out = append(out, m)
		}
	}
	return out
}

// next is when the next message or schedule becomes due, if any.
func (q *queues) next() (time.Time, bool) {
	var at time.Time
	for _, m := range q.msgs {
		if !m.busy && (at.IsZero() || m.visible.Before(at)) {
			at = m.visible
		}
	}
	for _, m := range q.alarm {
		if at.IsZero() || m.visible.Before(at) {
			at = m.visible
		}
	}
	return at, !at.IsZero()
}

// receive starts the invocation of a message's function.
func (q *queues) receive(m *msg) {
	w := q.w
	m.busy = true
	m.receives++
	handler := map[string]func(context.Context, string) error{
		doorbell.Triggers: w.gate.Hear, doorbell.Turns: w.turns.Hear,
		doorbell.Outbound: w.deliver.Hear, doorbell.Wakes: w.waker.Hear,
	}[m.Queue]
	w.spawn(m.Queue, func(ctx context.Context) error { return handler(ctx, m.Body) }, func(p *proc) {
		m.busy = false
		if p.err == nil && !p.killed && !w.fault(1) { // 1 in 100 acknowledgements is lost
			q.remove(m)
			return
		}
		m.visible = w.now.Add(time.Duration(5+w.rng.IntN(60)) * time.Second)
		if m.receives >= maxReceives {
			q.remove(m)
			q.dead = append(q.dead, m)
		}
	})
}

func (q *queues) remove(m *msg) {
	for i, x := range q.msgs {
		if x == m {
			q.msgs = append(q.msgs[:i:i], q.msgs[i+1:]...)
			return
		}
	}
}

// stream reads new change records; an inserted outbox row is an invocation of
// dispatch, unless the record is lost. It reports whether there were any.
func (w *World) stream() bool {
	recs, next, err := w.db.Changes(context.Background(), w.feed, 100)
	if err != nil {
		panic(err)
	}
	w.feed = next
	for _, r := range recs {
		w.record(r)
		if w.fault(1) {
			w.record(r) // a batch replayed after a partial failure
		}
	}
	return len(recs) > 0
}

func (w *World) record(r table.Change) {
	if r.Old != nil || r.New == nil {
		return
	}
	o, err := store.DecodeOutbox(r.New)
	if err != nil || o == nil {
		return
	}
	if w.fault(2) {
		w.counts["dropped_stream"]++
		w.tracef("dropped the stream record of %s", o.ID)
		return
	}
	w.spawn("dispatch", func(ctx context.Context) error { w.dispatch.Move(ctx, *o); return nil }, func(*proc) {})
}
