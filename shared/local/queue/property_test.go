package queue_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/local/queue"
)

// TestPropertyGuarantees drives a FIFO and a standard queue at random, over
// restarts, and holds each delivery against what was accepted: nothing is lost,
// nothing comes while somebody holds it, and no group is out of order.
func TestPropertyGuarantees(t *testing.T) {
	t.Parallel()
	dir, run := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		m := &model{t: t, path: queue.Memory, clock: clock.NewFake(start), live: map[string]*sent{}}
		if rapid.IntRange(0, 24).Draw(t, "on a file") == 24 { // few, since the disk is slow
			m.path = filepath.Join(dir, fmt.Sprint(run))
		}
		m.open()
		defer func() { m.e.Close() }()
		t.Repeat(map[string]func(*rapid.T){
			"send":    m.send,
			"receive": m.receive,
			"settle":  m.settle,
			"wait":    m.wait,
			"restart": m.restart,
		})
		for m.drain() {
		}
		if len(m.live) != 0 {
			t.Fatalf("lost: %v", m.live)
		}
	})
}

type model struct {
	t     *rapid.T
	path  string
	clock *clock.Fake
	e     *queue.Engine
	n     int
	live  map[string]*sent // by body, until deleted or dead
	got   []queue.Received // every delivery, whose receipts are tried again later
}

type sent struct {
	n     int
	queue string
	group string
	free  time.Time // when it may come again
	held  string    // the latest receipt
	times int
}

const receives = 4

func (m *model) open() {
	s := map[string]queue.Setting{}
	for _, q := range []string{doorbell.Triggers, doorbell.Turns} {
		s[q] = queue.Setting{Visibility: 10 * time.Second, MaxReceives: receives}
	}
	e, err := queue.Open(m.path, m.clock, queue.Options{Settings: s})
	if err != nil {
		m.t.Fatal(err)
	}
	m.e = e
}

func (m *model) restart(t *rapid.T) {
	if m.path == queue.Memory {
		t.Skip("memory ends with its process")
	}
	if err := m.e.Close(); err != nil {
		t.Fatal(err)
	}
	m.open()
}

func (m *model) send(t *rapid.T) {
	m.n++
	b := doorbell.Message{Queue: doorbell.Turns, Body: fmt.Sprint("m", m.n)}
	s := &sent{n: m.n, queue: b.Queue, free: m.clock.Now()}
	if rapid.Bool().Draw(t, "fifo") {
		b.Queue, b.Dedup, b.Group = doorbell.Triggers, b.Body, rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "group")
		s.queue, s.group = b.Queue, b.Group
	} else {
		b.Delay = time.Duration(rapid.IntRange(0, 20).Draw(t, "delay")) * time.Second
		s.free = s.free.Add(b.Delay)
	}
	if err := m.e.Send(ctx, b); err != nil {
		t.Fatal(err)
	}
	m.live[b.Body] = s
}

func (m *model) receive(t *rapid.T) {
	q := rapid.SampledFrom([]string{doorbell.Triggers, doorbell.Turns}).Draw(t, "queue")
	got, err := m.e.Receive(ctx, q, rapid.IntRange(1, 5).Draw(t, "max"))
	if err != nil {
		t.Fatal(err)
	}
	m.bury(t)
	for _, r := range got {
		m.delivered(t, r)
	}
}

// bury takes the dead out of what is live: each was received often enough.
func (m *model) bury(t *rapid.T) {
	for _, q := range []string{doorbell.Triggers, doorbell.Turns} {
		dead, err := m.e.Dead(ctx, q, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range dead {
			if s := m.live[d.Body]; s != nil && s.times != receives {
				t.Fatalf("%s died after %d receives", d.Body, s.times)
			}
			delete(m.live, d.Body)
		}
	}
}

func (m *model) delivered(t *rapid.T, r queue.Received) {
	now, s := m.clock.Now(), m.live[r.Body]
	if s == nil {
		t.Fatalf("%s came after it was deleted", r.Body)
	}
	if s.times++; r.Receives != s.times || s.queue != r.Queue || s.group != r.Group {
		t.Fatalf("%+v, want %+v", r, *s)
	}
	if s.free.After(now.Add(time.Microsecond)) {
		t.Fatalf("%s came %s early", r.Body, s.free.Sub(now))
	}
	for body, o := range m.live {
		if s.group != "" && o.group == s.group && o.n < s.n {
			t.Fatalf("%s came before %s of its group", r.Body, body)
		}
	}
	s.free, s.held = now.Add(10*time.Second), r.Receipt
	m.got = append(m.got, r)
}

func (m *model) settle(t *rapid.T) {
	if len(m.got) == 0 {
		t.Skip("nothing received yet")
	}
	r := m.got[rapid.IntRange(0, len(m.got)-1).Draw(t, "which")]
	s := m.live[r.Body]
	current := s != nil && s.held == r.Receipt
	flying := current && s.free.After(m.clock.Now().Add(time.Microsecond))
	if rapid.Bool().Draw(t, "delete") {
		done, err := m.e.Delete(ctx, r.Receipt)
		if want := flying || current && s.group == ""; err != nil || done != want {
			t.Fatalf("delete %+v: %v %v, want %v", r, done, err, want)
		}
		if done {
			delete(m.live, r.Body)
		}
		return
	}
	d := time.Duration(rapid.IntRange(0, 30).Draw(t, "hide")) * time.Second
	done, err := m.e.ChangeVisibility(ctx, r.Receipt, d)
	if err != nil || done != flying {
		t.Fatalf("hide %+v: %v %v, want %v", r, done, err, flying)
	}
	if done {
		s.free = m.clock.Now().Add(d)
	}
}

func (m *model) wait(t *rapid.T) {
	m.clock.Advance(time.Duration(rapid.IntRange(1, 15).Draw(t, "seconds")) * time.Second)
}

// drain receives and deletes all that is deliverable, and moves to the next
// time that something is; false when there is none.
func (m *model) drain() bool {
	for _, q := range []string{doorbell.Triggers, doorbell.Turns} {
		got, err := m.e.Receive(ctx, q, 100)
		if err != nil {
			m.t.Fatal(err)
		}
		m.bury(m.t)
		for _, r := range got {
			m.delivered(m.t, r)
			if done, err := m.e.Delete(ctx, r.Receipt); !done || err != nil {
				m.t.Fatal(done, err)
			}
			delete(m.live, r.Body)
		}
	}
	at, ok, err := m.e.NextDue(ctx)
	if err != nil {
		m.t.Fatal(err)
	}
	if ok {
		m.clock.Set(at)
	}
	return ok
}
