package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

var ada = actor.Actor{Provider: "panel", ID: "ada", Name: "Ada", Kind: actor.Human}

func anItem(id string) inbox.Item {
	return inbox.Item{ID: id, Session: "s1", Persona: "cowork", Kind: inbox.Approval, Queue: "ops", Digest: "d", Created: now, Expires: now.Add(time.Hour),
		Places: []trigger.Place{{Surface: "slack", Account: "T", Channel: "C"}}}
}

func resolved(x inbox.Item, s inbox.State, by string) inbox.Item {
	x.State, x.By, x.Resolution, x.Resolved, x.Version = s, ada, by, now, 1
	return x
}

// I2, I3: an item is a head and a body, made once; raising it again loses
// against the one that is there.
func TestItem(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.wins(NewItem(anItem("i1"), inbox.Body{Item: "i1", Text: "what"})...)
	lost := h.commit(NewItem(anItem("i1"), inbox.Body{})...)
	if x, err := DecodeItem(lost.Row(0)); err != nil || x.ID != "i1" || x.State != inbox.Pending {
		t.Errorf("the loser is not told of the item there is: %+v %v", x, err)
	}
	x, b, err := h.ItemAndBody(t.Context(), "i1")
	if err != nil || x.Version != 1 || x.Places[0].Channel != "C" || b.Text != "what" {
		t.Errorf("%+v %+v %v", x, b, err)
	}
	if x, b, err := h.ItemAndBody(t.Context(), "nosuch"); x != nil || b != nil || err != nil {
		t.Errorf("%v %v %v", x, b, err)
	}
}

// I4, I10: resolved once; an answer only before its expiry, an expiry or a
// withdrawal at any time; the loser sees who won (I5).
func TestResolveItem(t *testing.T) {
	t.Parallel()
	end := now.Add(time.Hour)
	for _, c := range []struct {
		state inbox.State
		at    time.Time
		wins  bool
	}{
		{inbox.Approved, end.Add(-time.Millisecond), true}, {inbox.Approved, end, false}, {inbox.Denied, end, false}, {inbox.Answered, end, false},
		{inbox.Expired, end, true}, {inbox.Superseded, end.Add(time.Hour), true}, {inbox.Cancelled, end.Add(time.Hour), true},
	} {
		h := newHouse(t)
		h.wins(NewItem(anItem("i1"), inbox.Body{})...)
		lost := h.commit(ResolveItem(resolved(anItem("i1"), c.state, "a"), c.at))
		if (lost == nil) != c.wins {
			t.Errorf("%s at %s: %+v", c.state, c.at, lost)
		}
		if !c.wins {
			continue
		}
		again := h.loses(0, ResolveItem(resolved(anItem("i1"), inbox.Denied, "b"), now))
		if x, err := DecodeItem(again.Row(0)); err != nil || x.State != c.state || x.Resolution != "a" || x.By != ada {
			t.Errorf("%+v %v", x, err)
		}
		h.loses(0, PendingItem("i1"))
	}
	h := newHouse(t)
	h.wins(NewItem(anItem("i1"), inbox.Body{})...)
	h.wins(PendingItem("i1"))
	h.loses(0, PendingItem("nosuch"))
}

// I19: what waits is listed soonest to expire first, and counted in total, per
// session and per persona, by one query; what is settled leaves the list.
func TestPendingItems(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for i := range 12 {
		x := anItem(fmt.Sprintf("i%02d", i))
		x.Expires, x.Session, x.Persona = now.Add(time.Duration(12-i)*time.Hour), fmt.Sprint("s", i%2), fmt.Sprint("p", i%3)
		x.Created = now.Add(int64ms(i))
		h.wins(NewItem(x, inbox.Body{})...)
	}
	h.wins(ResolveItem(resolved(must2(h.Item(t.Context(), "i11"))(t), inbox.Approved, "a"), now))
	first, next, err := h.PendingItems(t.Context(), "", 4)
	if err != nil || len(first) != 4 || first[0].ID != "i10" || first[3].ID != "i07" || next == "" {
		t.Fatalf("%+v %q %v", first, next, err)
	}
	second, _, err := h.PendingItems(t.Context(), next, 100)
	if err != nil || len(second) != 7 || second[6].ID != "i00" {
		t.Errorf("%d %v", len(second), err)
	}
	a, err := h.Attention(t.Context())
	if err != nil || a.Total != 11 || a.BySession["s0"] != 6 || a.BySession["s1"] != 5 || a.ByPersona["p0"] != 4 || a.ByPersona["p2"] != 3 {
		t.Errorf("%+v %v", a, err)
	}
	mine, err := h.PendingOf(t.Context(), "s1")
	if err != nil || len(mine) != 5 {
		t.Errorf("%v %v", mine, err)
	}
	all, _, err := h.Items(t.Context(), "", 50)
	if err != nil || len(all) != 12 || all[0].ID != "i11" {
		t.Errorf("%d %v", len(all), err)
	}
	if over, err := h.Overdue(t.Context(), "pending", now.Add(3*time.Hour), 100); err != nil || len(over) != 1 { // the second is settled; exactly then is not past
		t.Errorf("%d %v", len(over), err)
	}
}

// I19: past 1,000 the view says 1000+, and counts no further.
func TestAttentionLimit(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for i := range AttentionLimit + 50 {
		h.wins(NewItem(anItem(fmt.Sprintf("i%04d", i)), inbox.Body{})...)
	}
	if a, err := h.Attention(t.Context()); err != nil || a.Total != AttentionLimit+1 {
		t.Errorf("%d %v", a.Total, err)
	}
}
