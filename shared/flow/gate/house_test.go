package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/sqlite"
	"github.com/postern-dev/postern/shared/store/table"
)

// house is a gate on an empty table with a policy.
type house struct {
	*Gate
	t      *testing.T
	now    time.Time
	ids    int
	before func() // runs once, just before the next commit
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return h.now }
	db, err := sqlite.Open(sqlite.Memory, sqlite.WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	h.Gate = &Gate{Store: store.New(&between{Table: db, h: h}), Now: clock, Log: slog.New(slog.DiscardHandler), Count: func(string, string) {}, Model: "scripted:x",
		NewID:   func() string { h.ids++; return fmt.Sprintf("%04d", h.ids) },
		Persona: func(string) (Persona, error) { return Persona{"cowork", "3"}, nil }}
	h.save(func(*policy.Policy) {})
	return h
}

// between lets something happen between a gate's reading and its commit.
type between struct {
	table.Table
	h *house
}

func (b *between) Commit(ctx context.Context, tx table.Tx) (table.Result, error) {
	if f := b.h.before; f != nil && len(tx.Actions) > 1 {
		b.h.before = nil
		f()
	}
	return b.Table.Commit(ctx, tx)
}

// save saves the policy, changed.
func (h *house) save(change func(*policy.Policy)) {
	h.t.Helper()
	p, err := h.Store.Policy(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	if p.Version == 0 {
		p = policy.Policy{Owners: []string{"panel:ada"}, Sources: []policy.Source{{Name: "slack", Platform: "slack", Accounts: []string{"T1"},
			Scopes: []policy.Scope{{Name: "C1", Receive: "all"}, {Name: "C2"}}, Listed: []string{"slack:T1/U1"}, Queue: "ops", Mode: "plan"}}}
	}
	was := p.Version
	change(&p)
	actions, err := store.SavePolicy(was, p, "", "panel:ada", h.now)
	if err != nil {
		h.t.Fatal(err)
	}
	if lost, err := h.Store.Do(h.t.Context(), fmt.Sprint("policy", was), actions...); err != nil || lost != nil {
		h.t.Fatal(lost, err)
	}
}

func message(change func(*trigger.Trigger)) trigger.Trigger {
	t := trigger.Trigger{Platform: "slack", Account: "T1", Kind: "channel", Named: trigger.Mention, Text: "first line\nsecond",
		Thread: trigger.Place{Surface: "slack", Account: "T1", Channel: "C1", Thread: "1.1"},
		Sender: actor.Actor{Provider: "slack", Workspace: "T1", ID: "U1", Name: "Ada", Kind: actor.Human},
		ID:     "m1", Message: "1.1", Delivery: "Ev1", Event: "message"}
	if change != nil {
		change(&t)
	}
	return t
}

func id(id string) func(*trigger.Trigger) { return func(t *trigger.Trigger) { t.ID = id } }

// judge judges a message and returns what stands.
func (h *house) judge(t trigger.Trigger) ticket.Decision {
	h.t.Helper()
	d, err := h.Judge(h.t.Context(), t)
	if err != nil {
		h.t.Fatal(err)
	}
	return d
}

// tickets are all tickets there are.
func (h *house) tickets() []ticket.Ticket {
	h.t.Helper()
	list, _, err := h.Store.Tickets(h.t.Context(), "", 50)
	if err != nil {
		h.t.Fatal(err)
	}
	return list
}

func (h *house) mails(sid string) []string {
	h.t.Helper()
	mail, err := h.Store.Mail(h.t.Context(), sid)
	if err != nil {
		h.t.Fatal(err)
	}
	var out []string
	for _, m := range mail {
		out = append(out, m.Trigger)
	}
	return out
}

// bells are the doorbells of all outbox rows.
func (h *house) bells() []store.Bell {
	h.t.Helper()
	rows, err := h.Store.StuckOutbox(h.t.Context(), h.now.Add(time.Hour), 100)
	if err != nil {
		h.t.Fatal(err)
	}
	var out []store.Bell
	for _, o := range rows {
		out = append(out, o.Bells...)
	}
	return out
}

func ringing(bells []store.Bell, r store.Ring) []store.Bell {
	var out []store.Bell
	for _, b := range bells {
		if b.Ring == r {
			out = append(out, b)
		}
	}
	return out
}

// end ends a ticket in the way its executor, or a person, does.
func (h *house) end(tid string, ending ticket.Ending) {
	h.t.Helper()
	tk, err := h.Store.Ticket(context.Background(), tid)
	if err != nil || tk == nil {
		h.t.Fatal(tid, err)
	}
	x := *tk
	x.State, x.Ending, x.Closed = ticket.Ended, ending, h.now
	actions := []table.Action{store.SaveTicket(x)}
	if ending == ticket.Stopped {
		th, err := h.Store.Thread(context.Background(), tk.Thread)
		if err != nil {
			h.t.Fatal(err)
		}
		for i := range th.Subscribers {
			th.Subscribers[i].Stopped = th.Subscribers[i].Ticket == tid || th.Subscribers[i].Stopped
		}
		actions = append(actions, store.SaveThread(th))
	}
	if lost, err := h.Store.Do(context.Background(), h.NewID(), actions...); err != nil || lost != nil {
		h.t.Fatal(lost, err)
	}
}

func body(t trigger.Trigger) string {
	b, err := json.Marshal(t)
	if err != nil {
		panic(err)
	}
	return string(b)
}

var errDown = errors.New("the persona store is down")
