package resolve

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
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
	h.do(append(store.NewSession(s, 0), r.Actions...)...)
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
	mails    int
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
	mail, err := h.Store.Mail(h.t.Context(), "s1")
	if err != nil {
		h.t.Fatal(err)
	}
	k.mails = len(mail)
	rows, _, err := h.Store.AuditTail(h.t.Context(), "", 100)
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
	outbox, err := h.Store.StuckOutbox(h.t.Context(), h.now.Add(time.Hour), 100)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, o := range outbox {
		for _, b := range o.Bells {
			switch b.Ring {
			case store.RingTurn:
				k.turns++
			case store.RingShow:
				k.shows++
			case store.RingTell:
				k.told = append(k.told, b.User+": "+b.Text)
			}
		}
	}
	return k
}

// I6: resolution, audit, mail, shown place and doorbells are one commit.
func TestI6_Won(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	out := h.resolve(h.click(inbox.Allow, "a1"))
	if out.Result != inbox.Won || out.Item.State != inbox.Approved || out.Words != inbox.Told(*out.Item) {
		t.Fatalf("%+v", out)
	}
	if k := h.kept(); k.state != inbox.Approved || k.by != ada.Ref() || k.mails != 1 || k.resolved != 1 || k.refused != 0 || k.turns != 1 || k.shows != 1 || len(k.told) != 0 {
		t.Errorf("%+v", k)
	}
	row, err := h.Store.Shown(t.Context(), h.x.ID, queue)
	if err != nil || row.State != store.Due || row.Also != "1.1" {
		t.Errorf("the clicked message is not to be settled: %+v %v", row, err)
	}
}

// I5: the loser is told who won, what, when and where, with the row that beat
// him; in Slack privately (O1).
func TestI5_Late(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(h *house){
		"read too late":      func(h *house) { h.resolve(h.form(inbox.Deny, "b1")) },
		"committed too late": func(h *house) { h.before = func() { h.resolve(h.form(inbox.Deny, "b1")) } },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			prepare(h)
			out := h.resolve(h.click(inbox.Allow, "a1"))
			want := "denied by Bob at 1 Mar 09:00 UTC (panel)"
			if out.Result != inbox.Late || out.Words != want || out.Item.State != inbox.Denied {
				t.Fatalf("%+v", out)
			}
			k := h.kept()
			if k.state != inbox.Denied || k.mails != 1 || k.resolved != 1 || k.refused != 1 || k.turns != 1 || len(k.told) != 1 || k.told[0] != ada.Ref()+": "+want {
				t.Errorf("%+v", k)
			}
		})
	}
}

// I5: the same attempt again is the same win, whatever became of the first's
// reply, also where both run at once. Found by the simulation.
func TestI5_SameAttempt(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(h *house){
		"after a win":        func(h *house) { h.resolve(h.click(inbox.Allow, "a1")) },
		"after a lost reply": func(h *house) { h.fail = true; _, _ = h.Resolve(h.t.Context(), h.click(inbox.Allow, "a1")) },
		"at once":            func(h *house) { h.before = func() { h.resolve(h.click(inbox.Allow, "a1")) } },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			prepare(h)
			if out := h.resolve(h.click(inbox.Allow, "a1")); out.Result != inbox.Won || out.Item.By.Ref() != ada.Ref() {
				t.Fatalf("%+v", out)
			}
			if k := h.kept(); k.mails != 1 || k.resolved != 1 || k.refused != 0 {
				t.Errorf("%+v", k)
			}
		})
	}
}

// I10: lateness lets nothing through: an overdue click writes the expiry.
func TestI10_Overdue(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.now = h.x.Expires
	out := h.resolve(h.click(inbox.Allow, "a1"))
	if out.Result != inbox.Overdue || out.Item.State != inbox.Expired {
		t.Fatalf("%+v", out)
	}
	if k := h.kept(); k.state != inbox.Expired || k.mails != 1 || k.turns != 1 || len(k.told) != 1 {
		t.Errorf("%+v", k)
	}
	if out := h.resolve(h.form(inbox.Allow, "b1")); out.Result != inbox.Overdue || !strings.Contains(out.Words, "expired at") {
		t.Errorf("after it: %+v", out)
	}
	h = newHouse(t) // two overdue at once: one expiry
	h.now = h.x.Expires
	h.before = func() { h.resolve(h.form(inbox.Allow, "b1")) }
	if out := h.resolve(h.click(inbox.Allow, "a1")); out.Result != inbox.Overdue || h.kept().mails != 1 {
		t.Errorf("%+v %+v", out, h.kept())
	}
}

// I9, I12, I13, U10: refusals change nothing, are different from each other,
// stand in the audit with their reason, and are told privately in Slack.
func TestI14_Refusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*inbox.Answer)
		want   inbox.Result
		item   bool // he is told of the item
	}{
		"I12 not listed":  {func(a *inbox.Answer) { a.Actor.ID = "U9" }, inbox.Refused, false},
		"I13 a key":       {func(a *inbox.Answer) { a.Actor.Kind = actor.Key }, inbox.Refused, false},
		"I8 other digest": {func(a *inbox.Answer) { a.Digest = "e" }, inbox.Invalid, true},
		"I9 other choice": {func(a *inbox.Answer) { a.Choice = "perhaps" }, inbox.Invalid, true},
		"unknown":         {func(a *inbox.Answer) { a.Item = "nosuch" }, inbox.NoItem, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			a := h.click(inbox.Allow, "a1")
			c.change(&a)
			out := h.resolve(a)
			if out.Result != c.want || (out.Item != nil) != c.item || out.Words == "" {
				t.Fatalf("%+v", out)
			}
			k := h.kept()
			if k.state != inbox.Pending || k.mails != 0 || k.resolved != 0 || k.refused != 1 || len(k.told) != 1 || !strings.HasSuffix(k.told[0], out.Words) {
				t.Errorf("%+v", k)
			}
		})
	}
}

// I4: who may answer is judged from a strong read just before: taken off the
// list, he is refused from then on.
func TestI4_TakenOffTheList(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p, err := h.Store.Policy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.Queues[0].Approvers = &[]string{bob.Ref()}
	h.savePolicy(p)
	if out := h.resolve(h.click(inbox.Allow, "a1")); out.Result != inbox.Refused {
		t.Errorf("%+v", out)
	}
	if out := h.resolve(h.form(inbox.Allow, "b1")); out.Result != inbox.Won || out.Item.Policy != 2 {
		t.Errorf("%+v", out)
	}
}

// I4, I23: what elsewhere waits gets no mail; what was cancelled rings nobody;
// every place is told.
func TestSettlement(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	elsewhere := h.x
	elsewhere.Elsewhere = true
	for name, c := range map[string]struct {
		s     *Settlement
		mails int
		bells int
	}{
		"a session of ours":  {h.Settle(h.x, inbox.Withdraw(h.x, bob, "panel", h.now), h.now), 1, 2},
		"an agent elsewhere": {h.Settle(elsewhere, inbox.Withdraw(elsewhere, bob, "panel", h.now), h.now), 0, 1},
		"cancelled":          {h.Settle(h.x, inbox.Cancel(h.x, bob, "panel", h.now), h.now), 0, 1},
	} {
		mails := 0
		for _, a := range c.s.Actions() {
			if strings.HasPrefix(a.Key.SK, "mail#") {
				mails++
			}
		}
		if mails != c.mails || len(c.s.bells) != c.bells {
			t.Errorf("%s: %d mails, bells %+v", name, mails, c.s.bells)
		}
	}
}
