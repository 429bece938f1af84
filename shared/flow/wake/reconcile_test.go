package wake

import (
	"fmt"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/wake"
	"github.com/postern-dev/postern/shared/store"
)

func (h *house) reconcile() Finds {
	h.t.Helper()
	f, err := h.Reconcile(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	return f
}

// W8: in a healthy system nothing is found, whatever sleeps, waits, works or
// is paused.
func TestW8_Healthy(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(h *house){
		"nothing":  func(h *house) {},
		"sleeping": func(h *house) { h.session("s1"); h.wake("s1", h.now.Add(24*time.Hour)) },
		"just due": func(h *house) { h.session("s1"); h.wake("s1", h.now.Add(19*time.Minute)) },
		"works, mail waits": func(h *house) {
			h.session("s1")
			h.write("s1")
			h.now = h.now.Add(19 * time.Minute)
			h.hold("s1")
			h.now = h.now.Add(-19 * time.Minute)
		},
		"parked, mail waits": func(h *house) { h.parked("s1"); h.write("s1") },
		"answered just now": func(h *house) {
			x := h.parked("s1")
			h.write("s1")
			h.now = h.now.Add(20*time.Minute - time.Second)
			h.answer(x)
			h.now = h.now.Add(time.Second - 20*time.Minute)
		},
		"paused until a moment ago": func(h *house) {
			h.session("s1")
			l := h.hold("s1")
			h.do(store.DeferLease(l, h.now.Add(20*time.Minute-time.Second), h.now))
		},
		"written just now": func(h *house) {
			h.session("s1")
			h.now = h.now.Add(19 * time.Minute)
			h.write("s1")
			h.now = h.now.Add(-19 * time.Minute)
		},
		"a card just due": func(h *house) {
			s := h.session("s1")
			h.now = h.now.Add(19 * time.Minute)
			h.item(s)
			h.now = h.now.Add(-19 * time.Minute)
		},
		"a card shown": func(h *house) { x := h.item(h.session("s1")); h.shown(x) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			prepare(h)
			h.closeAll()
			h.now = h.now.Add(20 * time.Minute)
			if f := h.reconcile(); f != (Finds{}) {
				t.Errorf("%+v", f)
			}
		})
	}
}

// parked parks a session on an item that waits.
func (h *house) parked(sid string) inbox.Item {
	h.t.Helper()
	s := h.session(sid)
	x := h.item(s)
	h.shown(x)
	l := h.hold(sid)
	h.do(store.GiveBackLease(l, session.Parked, x.ID, h.now))
	return x
}

func (h *house) shown(x inbox.Item) {
	h.t.Helper()
	row, err := h.Store.Shown(h.t.Context(), x.ID, place)
	if err != nil || row == nil {
		h.t.Fatal(row, err)
	}
	is, err := h.Store.Item(h.t.Context(), x.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	row.State, row.Message, row.Have = store.Visible, "m", is.Version
	h.do(store.SaveShown(*row))
}

// answer settles an item, and its card is brought up to date at once.
func (h *house) answer(x inbox.Item) {
	h.t.Helper()
	h.do(h.Resolver.Settle(x, inbox.Withdraw(x, bob, "panel", h.now), h.now).Actions()...)
	h.shown(x)
}

// closeAll moves every outbox row, as dispatch does.
func (h *house) closeAll() {
	h.t.Helper()
	rows, err := h.Store.StuckOutbox(h.t.Context(), h.now.Add(time.Hour), 1000)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, o := range rows {
		h.do(store.CloseOutbox(o))
	}
}

// W8: each thing that should have happened and did not is found, driven again
// by the same path, and counted.
func TestW8_Finds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(h *house)
		want    Finds
		turns   int // rings
		shows   int
	}{
		"a wake that was not rung":   {func(h *house) { h.session("s1"); h.wake("s1", h.now) }, Finds{Wakes: 1}, 1, 0},
		"mail that nobody reads":     {func(h *house) { h.session("s1"); h.write("s1"); h.write("s1") }, Finds{Mail: 1}, 1, 0},
		"mail of a turn that died":   {func(h *house) { h.session("s1"); h.write("s1"); h.hold("s1") }, Finds{Mail: 1, Leases: 1}, 2, 0},
		"a turn that died":           {func(h *house) { h.session("s1"); h.hold("s1") }, Finds{Leases: 1}, 1, 0},
		"an answer that woke nobody": {func(h *house) { h.answer(h.parked("s1")) }, Finds{Settled: 1}, 1, 0},
		"an answer that nobody saw": {func(h *house) {
			x := h.parked("s1")
			h.do(h.Resolver.Settle(x, inbox.Withdraw(x, bob, "panel", h.now), h.now).Actions()...)
		}, Finds{Settled: 1, Cards: 1}, 1, 1},
		"a card that does not show it": {func(h *house) { h.item(h.session("s1")) }, Finds{Cards: 1}, 0, 1},
		"a post that died": {func(h *house) {
			x := h.item(h.session("s1"))
			row, _ := h.Store.Shown(h.t.Context(), x.ID, place)
			row.State, row.Lease = store.Sending, h.now.Add(25*time.Second)
			h.do(store.SaveShown(*row))
		}, Finds{Cards: 1}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			c.prepare(h)
			h.closeAll()
			h.now = h.now.Add(20 * time.Minute)
			if f := h.reconcile(); f != c.want {
				t.Errorf("found %+v", f)
			}
			if h.rings(store.RingTurn) != c.turns || h.rings(store.RingShow) != c.shows {
				t.Errorf("%d turns, %d shows rung", h.rings(store.RingTurn), h.rings(store.RingShow))
			}
		})
	}
}

// W8: a settled item that is owed nothing any more leaves the index, whoever
// saw it last; that is no find. One whose session is parked on another call
// waits with it (S9).
func TestW8_Settled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(h *house, x inbox.Item)
		stays   bool
	}{
		"the agent was told and the place shows it": {func(h *house, x inbox.Item) {
			h.answer(x)
			is, _ := h.Store.Item(h.t.Context(), x.ID)
			h.do(store.TellItem(*is))
		}, false},
		"the run is over": {func(h *house, x inbox.Item) {
			h.answer(x)
			l, _ := h.Store.Lease(h.t.Context(), "s1")
			h.do(store.GiveBackLease(*l, session.Idle, "", h.now))
		}, false},
		"parked on another call": {func(h *house, x inbox.Item) {
			h.answer(x)
			l, _ := h.Store.Lease(h.t.Context(), "s1")
			h.do(store.GiveBackLease(*l, session.Parked, "another", h.now))
		}, true},
	} {
		h := newHouse(t)
		c.prepare(h, h.parked("s1"))
		h.closeAll()
		h.now = h.now.Add(20 * time.Minute)
		if f := h.reconcile(); f != (Finds{}) {
			t.Errorf("%s: %+v", name, f)
		}
		left, err := h.Store.Overdue(t.Context(), "settled", h.now, 0)
		if err != nil || (len(left) == 1) != c.stays {
			t.Errorf("%s: %d left, %v", name, len(left), err)
		}
	}
}

// W8, D5: an outbox row that nobody moved is swapped for a new one, whose
// insertion the stream brings to dispatch; its key is not used again.
func TestD5_Reopens(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.do(store.NewOutbox(store.Outbox{ID: "o1", Created: h.now, Bells: []store.Bell{{Ring: store.RingTurn, Session: "s1"}}}))
	if f := h.reconcile(); f != (Finds{}) {
		t.Fatalf("too early: %+v", f)
	}
	h.now = h.now.Add(Late + time.Millisecond)
	if f := h.reconcile(); f.Outbox != 1 {
		t.Fatalf("%+v", f)
	}
	rows, err := h.Store.StuckOutbox(t.Context(), h.now, 10)
	if err != nil || len(rows) != 1 || rows[0].Attempt != 1 || rows[0].ID != "o1" || len(rows[0].Bells) != 1 {
		t.Errorf("%+v %v", rows, err)
	}
	h.before = func() { h.do(store.CloseOutbox(rows[0])) } // moved just now
	if f := h.reconcile(); f.Outbox != 0 {
		t.Errorf("a row that was moved is no find: %+v", f)
	}
}

// I10: what is overdue expires by the reconciler; that is no find.
func TestI10_Expires(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	x := h.parked("s1")
	h.now = x.Expires.Add(-time.Millisecond)
	if f := h.reconcile(); f.Expired != 0 {
		t.Fatalf("%+v", f)
	}
	h.now = x.Expires.Add(time.Millisecond)
	f := h.reconcile()
	is, err := h.Store.Item(t.Context(), x.ID)
	if err != nil || f.Expired != 1 || f.Missed() != 0 || is.State != inbox.Expired {
		t.Errorf("%+v %v %+v", f, err, is)
	}
}

// W8: mail that rightly waits for parked sessions does not hide what was
// missed, however much of it there is.
func TestW8_BehindTheParked(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for i := range 3 {
		sid := fmt.Sprintf("parked%d", i)
		h.parked(sid)
		for range 2 * batch {
			h.write(sid)
		}
	}
	h.now = h.now.Add(time.Second)
	for i := range 20 { // over all shards
		sid := fmt.Sprintf("missed%d", i)
		h.session(sid)
		h.write(sid)
	}
	h.closeAll()
	h.now = h.now.Add(10 * time.Minute)
	if f := h.reconcile(); f.Mail != 20 {
		t.Errorf("%+v", f)
	}
}

// W8: one kind's failure does not stop the others.
func TestW8_OneFails(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.session("s1")
	h.wake("s1", h.now)
	h.item(session.Session{ID: "s2", Queue: "default", Generation: 1})
	h.refuse = "settled" // the index cannot be read for one of them
	h.closeAll()
	h.now = h.now.Add(2 * time.Hour)
	f, err := h.Reconcile(t.Context())
	if err == nil || f.Wakes != 1 || f.Expired != 1 {
		t.Errorf("%+v %v", f, err)
	}
	if w, _ := h.Store.Wake(t.Context(), "s1", "w1"); w.State != wake.Fired {
		t.Errorf("%+v", w)
	}
}
