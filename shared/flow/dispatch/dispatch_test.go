package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/sqlite"
)

var now = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// edges are the queues and the schedules, in one list in the order of use.
type edges struct {
	did  []string
	msgs []doorbell.Message
	fail int // which call fails, counted from 1
	n    int
	then func() // looked at with each call
}

func (e *edges) call(what string) error {
	e.n++
	if e.then != nil {
		e.then()
	}
	if e.n == e.fail {
		return errors.New("not reached")
	}
	e.did = append(e.did, what)
	return nil
}

func (e *edges) Send(_ context.Context, m doorbell.Message) error {
	err := e.call("send " + m.Queue)
	if err == nil {
		e.msgs = append(e.msgs, m)
	}
	return err
}

func (e *edges) Set(_ context.Context, name string, at time.Time, _ string) error {
	if len(name) > 64 {
		return errors.New("the name is longer than a schedule's may be (D6)")
	}
	return e.call("set " + at.Sub(now).String())
}

func (e *edges) Cancel(context.Context, string) error { return e.call("cancel") }

func newHouse(t *testing.T) (*Dispatcher, *edges) {
	t.Helper()
	db, err := sqlite.Open(sqlite.Memory)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	e, ids := &edges{}, 0
	return &Dispatcher{Store: store.New(db), Queue: e, Timer: e, Now: func() time.Time { return now },
		NewID: func() string { ids++; return fmt.Sprint("id", ids) }, Log: slog.New(slog.DiscardHandler)}, e
}

func row(t *testing.T, d *Dispatcher, bells ...store.Bell) store.Rung {
	t.Helper()
	o := store.Outbox{ID: "o1", Bells: bells, Created: now, Correlation: "c"}
	if lost, err := d.Store.Do(t.Context(), "o1", store.NewOutbox(o)); err != nil || lost != nil {
		t.Fatal(lost, err)
	}
	return o.Rung()
}

func open(t *testing.T, d *Dispatcher) int {
	t.Helper()
	rows, err := d.Store.StuckOutbox(t.Context(), now.Add(time.Hour), 10)
	if err != nil {
		t.Fatal(err)
	}
	return len(rows)
}

// O1, W3: each doorbell where it belongs; below 90 seconds by a delayed
// message, above by a schedule.
func TestRings(t *testing.T) {
	t.Parallel()
	at := trigger.Place{Surface: "slack", Account: "T1", Channel: "C1"}
	for name, c := range map[string]struct {
		bell  store.Bell
		did   string
		delay time.Duration
	}{
		"a turn":              {store.Bell{Ring: store.RingTurn, Session: "s"}, "send turns", 0},
		"a card":              {store.Bell{Ring: store.RingShow, Item: "i", Place: at}, "send outbound", 0},
		"words":               {store.Bell{Ring: store.RingSay, Place: at, Key: "k"}, "send outbound", 0},
		"private words":       {store.Bell{Ring: store.RingTell, Place: at, Key: "k"}, "send outbound", 0},
		"a wake now":          {store.Bell{Ring: store.RingWake, At: now}, "send wakes", 0},
		"a wake in the past":  {store.Bell{Ring: store.RingWake, At: now.Add(-time.Hour)}, "send wakes", 0},
		"a wake in 1.2 s":     {store.Bell{Ring: store.RingWake, At: now.Add(1200 * time.Millisecond)}, "send wakes", 2 * time.Second},
		"a wake in 89 s":      {store.Bell{Ring: store.RingWake, At: now.Add(89 * time.Second)}, "send wakes", 89 * time.Second},
		"a wake in 90 s":      {store.Bell{Ring: store.RingWake, At: now.Add(90 * time.Second)}, "set 1m30s", 0},
		"a wake tomorrow":     {store.Bell{Ring: store.RingWake, At: now.Add(24 * time.Hour)}, "set 24h0m0s", 0},
		"not needed any more": {store.Bell{Ring: store.RingCancel}, "cancel", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, e := newHouse(t)
			d.Move(t.Context(), row(t, d, c.bell))
			if len(e.did) != 1 || e.did[0] != c.did || open(t, d) != 0 {
				t.Fatalf("%v, %d rows open", e.did, open(t, d))
			}
			if len(e.msgs) == 1 {
				m := e.msgs[0]
				b, err := store.DecodeBell(m.Body)
				if m.Delay != c.delay || err != nil || b.Correlation != "c" || doorbell.Fifo(m.Queue) == (m.Dedup == "") {
					t.Errorf("%+v %v", m, err)
				}
			}
		})
	}
}

// D5: a row is closed after its doorbells are rung, not before; one that
// cannot be moved stays open for the reconciler and fails nothing.
func TestD5_ClosedAfterRinging(t *testing.T) {
	t.Parallel()
	bells := []store.Bell{{Ring: store.RingTurn, Session: "a"}, {Ring: store.RingTurn, Session: "b"}, {Ring: store.RingTurn, Session: "c"}}
	d, e := newHouse(t)
	o := row(t, d, bells...)
	e.then = func() {
		if open(t, d) != 1 {
			t.Error("the row was closed before its doorbells were rung")
		}
	}
	d.Move(t.Context(), o)
	if len(e.did) != 3 || open(t, d) != 0 {
		t.Errorf("%v, %d open", e.did, open(t, d))
	}
	e.then = nil
	d.Move(t.Context(), o) // a batch replayed: rung again, and no loss
	if len(e.did) != 3+3 {
		t.Errorf("%v", e.did)
	}
	d, e = newHouse(t)
	e.fail = 2
	d.Move(t.Context(), row(t, d, bells...))
	if len(e.did) != 1 || open(t, d) != 1 {
		t.Errorf("%v, %d open", e.did, open(t, d))
	}
	d, _ = newHouse(t)
	d.Move(t.Context(), row(t, d, store.Bell{Ring: "hum"}))
	if open(t, d) != 1 {
		t.Error("an unknown doorbell was closed unrung")
	}
}

// D5: a repeat of one row is the same ring; the reconciler's swap is another,
// so that it rings. O1: what goes to one place stays in order.
func TestD5_Dedup(t *testing.T) {
	t.Parallel()
	at := trigger.Place{Surface: "slack", Account: "T1", Channel: "C1"}
	other := at
	other.Channel = "C2"
	d, e := newHouse(t)
	o := row(t, d, store.Bell{Ring: store.RingSay, Place: at, Key: "a"}, store.Bell{Ring: store.RingSay, Place: at, Key: "b"}, store.Bell{Ring: store.RingSay, Place: other, Key: "c"})
	d.Move(t.Context(), o)
	d.Move(t.Context(), o)
	o.ID = store.Outbox{ID: "o1", Attempt: 1}.Rung().ID
	d.Move(t.Context(), o)
	m := e.msgs
	if m[0].Dedup == m[1].Dedup || m[0].Dedup != m[3].Dedup || m[0].Dedup == m[6].Dedup {
		t.Errorf("dedup ids: %q %q %q %q", m[0].Dedup, m[1].Dedup, m[3].Dedup, m[6].Dedup)
	}
	if m[0].Group != m[1].Group || m[0].Group == m[2].Group {
		t.Errorf("groups: %q %q %q", m[0].Group, m[1].Group, m[2].Group)
	}
}

// D6: a schedule is named after its wake and its generation.
func TestD6_TimerName(t *testing.T) {
	t.Parallel()
	a := timerName(store.Bell{Session: "s", Wake: "w", Generation: 1})
	for _, b := range []store.Bell{{Session: "t", Wake: "w", Generation: 1}, {Session: "s", Wake: "v", Generation: 1}, {Session: "s", Wake: "w", Generation: 2}} {
		if timerName(b) == a {
			t.Errorf("%+v has the same name", b)
		}
	}
	if a != timerName(store.Bell{Session: "s", Wake: "w", Generation: 1, At: now}) || len(a) > 64 {
		t.Errorf("%q", a)
	}
}
