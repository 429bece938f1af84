package store

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store/table"
)

// rung is what the commits since the last look ring for: the bells' names, and
// the ids of the changed rows.
func (h *house) rung() (bells, ids []string) {
	h.t.Helper()
	changes, next, err := h.db.Changes(h.t.Context(), h.cursor, 100)
	if err != nil {
		h.t.Fatal(err)
	}
	h.cursor = next
	for _, c := range changes {
		r, err := Rings(c.Old, c.New)
		if err != nil {
			h.t.Fatal(err)
		}
		if r == nil {
			continue
		}
		ids = append(ids, r.ID)
		if r.Correlation != "c" {
			h.t.Errorf("%s carries correlation %q (D8)", r.ID, r.Correlation)
		}
		for _, b := range r.Bells {
			bells = append(bells, strings.TrimSuffix(string(b.Ring)+" "+b.Place.Channel, " "))
		}
	}
	slices.Sort(bells)
	return bells, ids
}

// O1, D5, I6: which changes ring, and for what; each change of a row has an id
// of its own. What rings for nothing here must not pass the stream's filter
// often: it costs an invocation.
func TestO1_Rings(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	x := anItem("i1")
	x.Places = append(x.Places, trigger.Place{Surface: "slack", Account: "T", Channel: "D"})
	x.Correlation = "c"
	a := session.Attempt{Session: "s1", Item: "i1", Tool: "t", Writer: "w", Places: x.Places, Correlation: "c"}
	begun := a
	begun.Version, begun.State = 1, session.Ran
	is := func() inbox.Item { return must2(h.Item(t.Context(), "i1"))(t) }
	seen := map[string]bool{}
	for _, c := range []struct {
		what    string
		actions func() []table.Action
		want    string
	}{
		{"an outbox row", func() []table.Action {
			return []table.Action{NewOutbox(Outbox{ID: "o1", Correlation: "c", Created: now, Bells: []Bell{{Ring: RingTurn}}})}
		}, "turn"},
		{"the same swapped", func() []table.Action {
			return ReopenOutbox(Outbox{ID: "o1", Correlation: "c", Created: now, Bells: []Bell{{Ring: RingTurn}}})
		}, "turn"},
		{"an item", func() []table.Action { return NewItem(x, inbox.Body{}) }, "show C,show D"},
		{"its places", func() []table.Action { return []table.Action{NewShown("i1", x.Places[0], true, now)} }, ""},
		{"its resolution", func() []table.Action { return []table.Action{ResolveItem(resolved(is(), inbox.Approved, "a"), now)} }, "show C,show D,turn"},
		{"the call begins", func() []table.Action { return []table.Action{NewAttempt(a)} }, ""},
		{"the call ends", func() []table.Action { return []table.Action{EndAttempt(begun)} }, "show C,show D"},
		{"the agent reads it", func() []table.Action { return []table.Action{TellItem(is())} }, ""},
		{"it is closed", func() []table.Action { return []table.Action{CloseItem(is())} }, ""},
		{"an audit row", func() []table.Action { return []table.Action{NewAudit(Audit{ID: "a", Chain: "c", At: now})} }, ""},
	} {
		h.wins(c.actions()...)
		bells, ids := h.rung()
		if got := strings.Join(bells, ","); got != c.want {
			t.Errorf("%s rings for %q, not %q", c.what, got, c.want)
		}
		for _, id := range ids {
			if seen[id] {
				t.Errorf("%s: id %s was used before", c.what, id)
			}
			seen[id] = true
		}
	}
}

// An agent elsewhere asks itself; a call without an item has no card.
func TestO1_RingsNobody(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	x := anItem("i1")
	x.Elsewhere, x.Places = true, nil
	h.wins(NewItem(x, inbox.Body{})...)
	h.wins(ResolveItem(resolved(x, inbox.Approved, "a"), now))
	h.wins(NewAttempt(session.Attempt{Session: "s1", Step: 2, Writer: "w"}))
	h.wins(EndAttempt(session.Attempt{Session: "s1", Step: 2, Writer: "w", State: session.Ran, Version: 1}))
	if bells, _ := h.rung(); len(bells) != 0 {
		t.Errorf("%v", bells)
	}
	if left, err := h.Overdue(t.Context(), "settled", now.Add(time.Second), 0); err != nil || len(left) != 0 {
		t.Errorf("it waits for somebody: %v %v", left, err)
	}
}

// W8, I7: a settled item is open until its agent has read it, once, and its
// places show it.
func TestItem_Owed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	x := anItem("i1")
	h.wins(append(NewItem(x, inbox.Body{Item: "i1"}), NewShown("i1", x.Places[0], true, now))...)
	whole := func() Whole {
		w, err := h.Whole(t.Context(), "i1")
		if err != nil || w.Item == nil || w.Body == nil || len(w.Shown) != 1 || w.At(x.Places[0]) == nil || w.At(trigger.Place{Channel: "other"}) != nil {
			t.Fatalf("%+v %v", w, err)
		}
		return w
	}
	h.wins(ResolveItem(resolved(x, inbox.Denied, "a"), now))
	w := whole()
	if !w.Owed() || len(w.Behind()) != 1 || w.Ran() != "" {
		t.Errorf("%+v", w)
	}
	row := w.Shown[0]
	row.State, row.Message, row.Have = Visible, "m", w.Item.Version
	h.wins(SaveShown(row))
	if w = whole(); !w.Owed() || len(w.Behind()) != 0 {
		t.Errorf("the agent has not read it: %+v", w)
	}
	h.loses(0, TellItem(x)) // as pending
	h.wins(TellItem(*w.Item))
	h.loses(0, TellItem(*w.Item))
	if w = whole(); w.Owed() || !w.Item.Told {
		t.Errorf("%+v", w)
	}
	waits := func() int {
		left, err := h.Overdue(t.Context(), "settled", now.Add(time.Second), 0)
		if err != nil {
			t.Fatal(err)
		}
		return len(left)
	}
	old := *w.Item
	old.Version--
	h.loses(0, CloseItem(old))
	if waits() != 1 {
		t.Error("closed too early")
	}
	h.wins(CloseItem(*w.Item))
	h.loses(0, CloseItem(*w.Item))
	if waits() != 0 {
		t.Error("open for ever")
	}
}
