package wake

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/domain/wake"
	"github.com/postern-dev/postern/shared/flow/raise"
	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/sqlite"
	"github.com/postern-dev/postern/shared/store/table"
)

// house is a waker on a table whose rows a test makes itself.
type house struct {
	*Waker
	t      *testing.T
	now    time.Time
	ids    int
	policy policy.Policy
	before func() // once, just before the next commit
	refuse string // partitions of the open index that cannot be read, by prefix
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	clock, id := func() time.Time { return h.now }, func() string { h.ids++; return fmt.Sprintf("%06d", h.ids) }
	db, err := sqlite.Open(sqlite.Memory, sqlite.WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	st := store.New(&between{Table: db, h: h})
	h.Waker = &Waker{Store: st, Resolver: &resolve.Resolver{Store: st, Now: clock, NewID: id}, Now: clock, NewID: id,
		Log: slog.New(slog.DiscardHandler), Count: func(string, string) {}}
	h.policy = policy.Policy{Owners: []string{"panel:ada"}, Queues: []policy.Queue{{Name: "default", Expiry: "1h",
		Bindings: []policy.Binding{{Surface: "slack", Account: "T1", Channel: "CQ"}}}}}
	return h
}

type between struct {
	table.Table
	h *house
}

func (b *between) Query(ctx context.Context, q table.Query) (table.Page, error) {
	if r := b.h.refuse; r != "" && q.Index == table.Open && strings.HasPrefix(q.PK, r) {
		return table.Page{}, errors.New("not to be read")
	}
	return b.Table.Query(ctx, q)
}

func (b *between) Commit(ctx context.Context, tx table.Tx) (table.Result, error) {
	if f := b.h.before; f != nil {
		b.h.before = nil
		f()
	}
	return b.Table.Commit(ctx, tx)
}

func (h *house) do(actions ...table.Action) {
	h.t.Helper()
	if lost, err := h.Store.Do(context.Background(), h.NewID(), actions...); err != nil || lost != nil {
		h.t.Fatal(lost, err)
	}
}

func (h *house) session(id string) session.Session {
	h.t.Helper()
	s := session.Session{ID: id, Queue: "default", Generation: 1, Created: h.now}
	h.do(store.NewSession(s, 0)...)
	return s
}

func (h *house) wake(sid string, at time.Time) wake.Wake {
	h.t.Helper()
	w := wake.Wake{ID: "w1", Session: sid, Kind: wake.Timer, At: at, Note: "look", Generation: 1, Created: h.now}
	h.do(store.NewWake(w))
	return w
}

func (h *house) mail(sid string) []session.Mail {
	h.t.Helper()
	m, err := h.Store.Mail(h.t.Context(), sid)
	if err != nil {
		h.t.Fatal(err)
	}
	return m
}

func (h *house) write(sid string) {
	h.t.Helper()
	h.do(store.NewMail(session.Mail{Session: sid, ID: store.MailID(h.now, h.NewID()), Kind: session.Message, Text: "x", At: h.now})...)
}

// hold takes a session's lease.
func (h *house) hold(sid string) session.Lease {
	h.t.Helper()
	l, err := h.Store.Lease(h.t.Context(), sid)
	if err != nil {
		h.t.Fatal(err)
	}
	held, take := store.TakeLease(*l, "holder", "r", h.now)
	h.do(take)
	return held
}

// item raises an approval for a session.
func (h *house) item(s session.Session) inbox.Item {
	h.t.Helper()
	r := raise.New(s, raise.Ask{ID: inbox.ItemID(s.ID, 2, 0, "d"), Kind: inbox.Approval, Tool: "deploy", Digest: "d", Run: "r", Step: 2}, h.policy, h.NewID(), h.now)
	h.do(r.All()...)
	x, err := h.Store.Item(h.t.Context(), r.Item.ID)
	if err != nil || x == nil {
		h.t.Fatal(x, err)
	}
	return *x
}

// rings counts the doorbells of one sort in all outbox rows.
func (h *house) rings(r store.Ring) int {
	h.t.Helper()
	rows, err := h.Store.StuckOutbox(h.t.Context(), h.now.Add(time.Hour), 1000)
	if err != nil {
		h.t.Fatal(err)
	}
	n := 0
	for _, o := range rows {
		for _, b := range o.Bells {
			if b.Ring == r {
				n++
			}
		}
	}
	return n
}

// W2: firing and the mail are one, once, however often it rings and whatever
// the clock says.
func TestW2_FiresOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.session("s1")
	w := h.wake("s1", h.now.Add(time.Hour)) // rung by a clock that is ahead
	ring := store.Bell{Ring: store.RingWake, Session: "s1", Wake: w.ID}.Encode()
	h.before = func() { // two rings at once
		if err := h.Hear(t.Context(), ring); err != nil {
			t.Error(err)
		}
	}
	for range 3 {
		if err := h.Hear(t.Context(), ring); err != nil {
			t.Fatal(err)
		}
	}
	m := h.mail("s1")
	if len(m) != 1 || m[0].Kind != session.Woke || m[0].Text != "look" || m[0].Wake != w.ID || h.rings(store.RingTurn) != 1 {
		t.Errorf("%+v, %d rings", m, h.rings(store.RingTurn))
	}
	rows, err := h.Store.AuditOf(t.Context(), "session#s1", h.now, h.now)
	if err != nil || len(rows) != 1 || rows[0].What != "woke" {
		t.Errorf("%+v %v", rows, err)
	}
}

// W2, W6, S2: a wake of another generation wakes nobody and stands in the audit.
func TestW6_Unrouted(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.session("s1")
	h.do(store.NewWake(wake.Wake{ID: "w1", Session: "s1", At: h.now, Generation: 7, Created: h.now}))
	fired, err := h.Fire(t.Context(), "s1", "w1")
	x, _ := h.Store.Wake(t.Context(), "s1", "w1")
	rows, _ := h.Store.AuditOf(t.Context(), "session#s1", h.now, h.now)
	if err != nil || fired || len(h.mail("s1")) != 0 || x.State != wake.Cancelled || len(rows) != 1 || rows[0].What != "unrouted" {
		t.Errorf("%t %v %+v %+v", fired, err, x, rows)
	}
	if fired, err := h.Fire(t.Context(), "s1", "nosuch"); fired || err != nil {
		t.Errorf("a ring for no wake: %t %v", fired, err)
	}
}

// A ring without a wake rings the session's turn: a deadline has passed, or a
// pause is over (S8, S11).
func TestRingsTheTurn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	if err := h.Hear(t.Context(), store.Bell{Ring: store.RingWake, Session: "s1"}.Encode()); err != nil || h.rings(store.RingTurn) != 1 {
		t.Errorf("%v, %d rings", err, h.rings(store.RingTurn))
	}
	if err := h.Hear(t.Context(), "{"); err == nil {
		t.Error("an unreadable ring")
	}
}

var bob = actor.Actor{Provider: "panel", ID: "ada", Kind: actor.Human}

// place is where the items of these tests are shown.
var place = trigger.Place{Surface: "slack", Account: "T1", Channel: "CQ"}
