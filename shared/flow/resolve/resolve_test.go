package resolve

import (
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// I6: resolution and audit are one commit, and the item rings for its turn and
// its place and waits for both.
func TestI6_Won(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	out := h.resolve(h.click(inbox.Allow, "a1"))
	if out.Result != inbox.Won || out.Item.State != inbox.Approved || out.Words != inbox.Told(*out.Item) {
		t.Fatalf("%+v", out)
	}
	if k := h.kept(); k.state != inbox.Approved || k.by != ada.Ref() || !k.owed || k.resolved != 1 || k.refused != 0 || k.turns != 1 || k.shows != 1 || len(k.told) != 0 {
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
			if k.state != inbox.Denied || !k.owed || k.resolved != 1 || k.refused != 1 || k.turns != 1 || len(k.told) != 1 || k.told[0] != ada.Ref()+": "+want {
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
			if k := h.kept(); !k.owed || k.resolved != 1 || k.refused != 0 {
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
	if k := h.kept(); k.state != inbox.Expired || !k.owed || k.turns != 1 || len(k.told) != 1 {
		t.Errorf("%+v", k)
	}
	if out := h.resolve(h.form(inbox.Allow, "b1")); out.Result != inbox.Overdue || !strings.Contains(out.Words, "expired at") {
		t.Errorf("after it: %+v", out)
	}
	h = newHouse(t) // two overdue at once: one expiry
	h.now = h.x.Expires
	h.before = func() { h.resolve(h.form(inbox.Allow, "b1")) }
	if out := h.resolve(h.click(inbox.Allow, "a1")); out.Result != inbox.Overdue || !h.kept().owed {
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
			if k.state != inbox.Pending || k.owed || k.resolved != 0 || k.refused != 1 || len(k.told) != 1 || !strings.HasSuffix(k.told[0], out.Words) {
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

// I23: a click on the message that is on record needs no row of the place; one
// on another message settles that too.
func TestI23_Clicked(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	row, err := h.Store.Shown(t.Context(), h.x.ID, queue)
	if err != nil {
		t.Fatal(err)
	}
	row.State, row.Message, row.Have = store.Visible, "1.1", 1
	h.do(store.SaveShown(*row))
	h.resolve(h.click(inbox.Allow, "a1"))
	if is, err := h.Store.Shown(t.Context(), h.x.ID, queue); err != nil || is.Version != row.Version+1 || h.kept().shows != 1 {
		t.Errorf("%+v %v %+v", is, err, h.kept())
	}
	h = newHouse(t)
	a := h.click(inbox.Allow, "a1")
	a.Shown.Place.Channel = "CELSEWHERE"
	a.Shown.Place.Account = "T2"
	h.resolve(a)
	if is, err := h.Store.Shown(t.Context(), h.x.ID, a.Shown.Place); err != nil || is == nil || is.Also != "1.1" || h.kept().shows != 2 {
		t.Errorf("%+v %v %+v", is, err, h.kept())
	}
}

// S2: what a deleted session asked is not answered any more.
func TestS2_Deleted(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.do(table.Action{Verb: table.Update, Key: table.Key{PK: "session#s1", SK: "mailbox"}, Set: table.Item{"deleted": table.Bool(true)}})
	if out := h.resolve(h.click(inbox.Allow, "a1")); out.Result != inbox.Refused || !strings.Contains(out.Words, "deleted") || h.kept().state != inbox.Pending {
		t.Errorf("%+v %+v", out, h.kept())
	}
}

// I4, I23: an agent elsewhere is rung by nobody, nor one whose item was
// cancelled; every place is.
func TestSettlement(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settle func(h *house) inbox.Item
		turns  int
	}{
		"a session of ours":  {func(h *house) inbox.Item { return inbox.Withdraw(h.x, bob, "panel", h.now) }, 1},
		"an agent elsewhere": {func(h *house) inbox.Item { h.x.Elsewhere = true; return inbox.Withdraw(h.x, bob, "panel", h.now) }, 0},
		"cancelled":          {func(h *house) inbox.Item { return inbox.Cancel(h.x, bob, "panel", h.now) }, 0},
	} {
		h := newHouse(t)
		is := c.settle(h)
		h.do(h.Settle(h.x, is, h.now).Actions()...)
		if k := h.kept(); k.turns != c.turns || k.shows != 1 || !k.owed {
			t.Errorf("%s: %+v", name, k)
		}
	}
}
