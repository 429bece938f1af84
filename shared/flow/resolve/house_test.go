package resolve

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/flow/raise"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/sqlite"
	"github.com/postern-dev/postern/shared/store/table"
)

// house is one item that waits, on an empty table.
type house struct {
	*Resolver
	t      *testing.T
	db     *sqlite.DB
	raised string // the change feed's place once the item is raised
	now    time.Time
	ids    int
	x      inbox.Item
	before func() // once, just before the next commit
	fail   bool   // the next commit is written and its reply lost
}

var (
	ada   = actor.Actor{Provider: "slack", Workspace: "T1", ID: "U1", Name: "Ada", Kind: actor.Human}
	bob   = actor.Actor{Provider: "panel", ID: "bob", Name: "Bob", Kind: actor.Human}
	queue = trigger.Place{Surface: "slack", Account: "T1", Channel: "CQ"}
)

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	db, err := sqlite.Open(sqlite.Memory, sqlite.WithClock(func() time.Time { return h.now }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	h.Resolver = &Resolver{Store: store.New(&between{Table: db, h: h}), Now: func() time.Time { return h.now },
		NewID: func() string { h.ids++; return fmt.Sprintf("%06d", h.ids) }}
	p := policy.Policy{Owners: []string{"panel:bob"}, Queues: []policy.Queue{{Name: "default", Approvers: &[]string{ada.Ref(), bob.Ref()}, Expiry: "1h",
		Bindings: []policy.Binding{{Surface: "slack", Account: "T1", Channel: "CQ", Private: true}}}}}
	h.savePolicy(p)
	s := session.Session{ID: "s1", Queue: "default", Generation: 1, Created: h.now, Correlation: "c"}
	r := raise.New(s, raise.Ask{ID: inbox.ItemID("s1", 2, 0, "d"), Kind: inbox.Approval, Title: "deploy", Tool: "deploy", Digest: "d", Step: 2,
		Body: inbox.Body{Arguments: json.RawMessage(`{}`)}}, p, "audit", h.now)
	h.x = r.Item
	h.do(append(store.NewSession(s, 0), r.All()...)...)
	h.db = db
	_, h.raised, err = db.Changes(t.Context(), "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *house) savePolicy(p policy.Policy) {
	h.t.Helper()
	actions, err := store.SavePolicy(p.Version, p, "", "", h.now)
	if err != nil {
		h.t.Fatal(err)
	}
	h.do(actions...)
}

func (h *house) do(actions ...table.Action) {
	h.t.Helper()
	if lost, err := h.Store.Do(context.Background(), h.NewID(), actions...); err != nil || lost != nil {
		h.t.Fatal(lost, err)
	}
}

type between struct {
	table.Table
	h *house
}

func (b *between) Commit(ctx context.Context, tx table.Tx) (table.Result, error) {
	if f := b.h.before; f != nil {
		b.h.before = nil
		f()
	}
	r, err := b.Table.Commit(ctx, tx)
	if b.h.fail {
		b.h.fail = false
		return table.Result{}, context.DeadlineExceeded
	}
	return r, err
}

// click is Ada's tap on the card in Slack.
func (h *house) click(choice, id string) inbox.Answer {
	return inbox.Answer{Item: h.x.ID, Digest: "d", Choice: choice, Actor: ada, Via: "slack", Delivery: "dl-" + id, ID: id,
		Shown: inbox.Reference{Place: queue, Message: "1.1"}}
}

// form is Bob's answer in the panel.
func (h *house) form(choice, id string) inbox.Answer {
	return inbox.Answer{Item: h.x.ID, Digest: "d", Choice: choice, Actor: bob, Via: "panel", Delivery: "dl-" + id, ID: id}
}

func (h *house) resolve(a inbox.Answer) Outcome {
	h.t.Helper()
	out, err := h.Resolve(h.t.Context(), a)
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// kept is what stands in the table after an answer.
type kept struct {
	state    inbox.State
	by       string
	owed     bool // it waits for its agent and its places
	resolved int
	refused  int
	turns    int
	shows    int
	told     []string
}

func (h *house) kept() kept {
	h.t.Helper()
	var k kept
	x, err := h.Store.Item(h.t.Context(), h.x.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	k.state, k.by = x.State, x.By.Ref()
	owed, err := h.Store.Overdue(h.t.Context(), "settled", h.now.Add(time.Hour), 0)
	if err != nil {
		h.t.Fatal(err)
	}
	k.owed = len(owed) == 1
	rows, err := h.Store.AuditBetween(h.t.Context(), h.x.Created, h.now, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, r := range rows {
		switch r.What {
		case "resolved":
			k.resolved++
		case "refused":
			k.refused++
		}
	}
	for _, b := range h.rung() {
		switch b.Ring {
		case store.RingTurn:
			k.turns++
		case store.RingShow:
			k.shows++
		case store.RingTell:
			k.told = append(k.told, b.User+": "+b.Text)
		}
	}
	return k
}

// rung are the doorbells of all that was written since the item was raised.
func (h *house) rung() (bells []store.Bell) {
	h.t.Helper()
	changes, _, err := h.db.Changes(h.t.Context(), h.raised, 1000)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, c := range changes {
		r, err := store.Rings(c.Old, c.New)
		if err != nil {
			h.t.Fatal(err)
		}
		if r != nil {
			bells = append(bells, r.Bells...)
		}
	}
	return bells
}
