package simulation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/store"
)

// queues are the four queues, the schedules and the stream, at least once: a
// ring comes twice, late, out of order (standard queues) or never. Only what a
// queue is the sole keeper of is never dropped: triggers, and words to be said.
type queues struct {
	w     *World
	msgs  []*msg
	seen  map[string]time.Time // FIFO deduplication, five minutes
	alarm map[string]*msg      // schedules by name
	dead  []*msg
	mixed map[string]bool // groups whose order the weather broke
}

type msg struct {
	doorbell.Message
	visible  time.Time
	receives int
	busy     bool
}

// maxReceives and the time-outs are the template's.
const maxReceives = 5

var visibility = map[string]time.Duration{
	doorbell.Triggers: 180 * time.Second, doorbell.Outbound: 180 * time.Second,
	doorbell.Turns: 630 * time.Second, doorbell.Wakes: 360 * time.Second,
}

func newQueues(w *World) *queues {
	return &queues{w: w, seen: map[string]time.Time{}, alarm: map[string]*msg{}, mixed: map[string]bool{}}
}

// Send implements the queue edge.
func (q *queues) Send(ctx context.Context, m doorbell.Message) error {
	pause(ctx)
	w := q.w
	if w.fault(0.5) {
		return fmt.Errorf("queue %s: not reached", m.Queue)
	}
	if !kept(m) && w.fault(3) {
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
	w.guard.arrive(m)
	q.put(m)
	if !doorbell.Fifo(m.Queue) && w.fault(5) || m.Queue == doorbell.Wakes && w.fault(30) {
		w.counts["doubled_"+m.Queue]++
		q.put(m)
	}
	return nil
}

// kept reports whether a message has nobody to miss it but its queue.
func kept(m doorbell.Message) bool {
	if m.Queue == doorbell.Triggers {
		return true
	}
	return strings.Contains(m.Body, `"ring":"say"`) || strings.Contains(m.Body, `"ring":"tell"`) || strings.Contains(m.Body, `"ring":"open"`)
}

func (q *queues) put(m doorbell.Message) {
	visible := q.w.now.Add(m.Delay)
	if q.w.fault(5) && !doorbell.Fifo(m.Queue) {
		visible = visible.Add(time.Duration(q.w.rng.IntN(180)) * time.Second)
	}
	q.msgs = append(q.msgs, &msg{Message: m, visible: visible})
}

// Set implements the timer edge.
func (q *queues) Set(ctx context.Context, name string, at time.Time, body string) error {
	pause(ctx)
	if q.w.fault(10) {
		q.w.counts["dropped_schedules"]++
		return nil // made and lost: the reconciler finds the wake
	}
	q.w.counts["schedules"]++
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
		if q.w.fault(40) { // and rings twice, at once or nearly
			q.msgs = append(q.msgs, &msg{Message: m.Message, visible: q.w.now.Add(time.Duration(q.w.rng.IntN(2)) * time.Second)})
		}
	}
}

// deliverable are the messages that could be received now: of a FIFO group
// only its first, and none while one is in flight. Now and then the weather
// lets a Thread's next message go beside its first, which no queue should: what
// is judged must not depend on it (G48).
func (q *queues) deliverable() []*msg {
	blocked := map[string]bool{}
	var out []*msg
	for _, m := range q.msgs {
		g := m.Queue + m.Group
		if doorbell.Fifo(m.Queue) {
			if blocked[g] && !(m.Queue == doorbell.Triggers && q.w.fault(4)) {
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

// disorders notes that a message goes beside or before an earlier one of its
// group.
func (q *queues) disorders(m *msg) {
	for _, x := range q.msgs {
		if x == m {
			return
		}
		if doorbell.Fifo(m.Queue) && x.Queue == m.Queue && x.Group == m.Group {
			q.mixed[m.Group] = true
			q.w.counts["disordered"]++
			return
		}
	}
}

// next is when the next message or schedule becomes due, if any: of a FIFO
// group its first.
func (q *queues) next() (time.Time, bool) {
	var at time.Time
	earlier := func(t time.Time) {
		if at.IsZero() || t.Before(at) {
			at = t
		}
	}
	seen := map[string]bool{}
	for _, m := range q.msgs {
		g := m.Queue + m.Group
		if doorbell.Fifo(m.Queue) && seen[g] {
			continue
		}
		seen[g] = true
		if !m.busy {
			earlier(m.visible)
		}
	}
	for _, m := range q.alarm {
		earlier(m.visible)
	}
	return at, !at.IsZero()
}

// receive starts the invocation of a message's function.
func (q *queues) receive(m *msg) {
	w := q.w
	q.disorders(m)
	m.busy = true
	m.receives++
	n := m.receives
	handler := map[string]func(context.Context, string) error{
		doorbell.Triggers: w.gate.Hear, doorbell.Turns: w.turns.Hear,
		doorbell.Outbound: w.deliver.Hear, doorbell.Wakes: w.waker.Hear,
	}[m.Queue]
	p := w.spawn(m.Queue, func(ctx context.Context) error { return handler(ctx, m.Body) }, func(p *proc) {
		if m.receives != n || !slices.Contains(q.msgs, m) {
			return // it was received again meanwhile, or given up: that counts
		}
		m.busy = false
		if p.err == nil && !p.killed && !w.fault(1) { // 1 in 100 acknowledgements is lost
			q.remove(m)
			return
		}
		q.again(m)
	})
	m.visible, p.msg = w.now.Add(visibility[m.Queue]), m
}

// again makes a message visible soon, or dead.
func (q *queues) again(m *msg) {
	m.visible = q.w.now.Add(time.Duration(5+q.w.rng.IntN(60)) * time.Second)
	if m.receives >= maxReceives {
		q.remove(m)
		q.dead = append(q.dead, m)
		q.w.counts["dead_"+m.Queue]++
	}
}

// expire gives messages back whose invocation is still under way after the
// visibility time-out.
func (q *queues) expire() {
	for _, m := range slices.Clone(q.msgs) {
		if m.busy && !m.visible.After(q.w.now) {
			m.busy = false
			q.w.counts["visible_again"]++
			q.again(m)
		}
	}
}

// redrive puts dead letters back, as the reconciler and people do (D4).
func (q *queues) redrive() {
	for _, m := range q.dead {
		q.mixed[m.Group] = true
		m.receives, m.busy, m.visible = 0, false, q.w.now
		q.msgs = append(q.msgs, m)
	}
	q.dead = nil
}

func (q *queues) remove(m *msg) {
	if at := slices.Index(q.msgs, m); at >= 0 {
		q.msgs = slices.Delete(q.msgs, at, at+1)
	}
}

// stream reads new change records; one that rings is an invocation of dispatch,
// unless the record is lost. It reports whether there were any.
func (w *World) stream() bool {
	recs, next, err := w.db.Changes(context.Background(), w.feed, 100)
	if err != nil {
		panic(err)
	}
	w.feed = next
	for _, r := range recs {
		rung, err := store.Rings(r.Old, r.New)
		if err != nil {
			panic(err)
		}
		if rung == nil {
			continue
		}
		w.move(*rung)
		if w.fault(2) {
			w.move(*rung) // a batch replayed after a partial failure
		}
	}
	return len(recs) > 0
}

func (w *World) move(r store.Rung) {
	if w.fault(2) {
		w.counts["dropped_stream"]++
		w.tracef("dropped the stream record of %s", r.ID)
		return
	}
	w.spawn("dispatch", func(ctx context.Context) error { w.dispatch.Move(ctx, r); return nil }, func(*proc) {})
}
