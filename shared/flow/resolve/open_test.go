package resolve

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/store"
)

func (h *house) open(a inbox.Answer) Outcome {
	h.t.Helper()
	out, err := h.Open(h.t.Context(), a)
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// opens are the rings for a link, and what stands in the audit of it.
func (h *house) opens() (bells []store.Bell, audit []store.Audit) {
	h.t.Helper()
	for _, b := range h.rung() {
		if b.Ring == store.RingOpen {
			bells = append(bells, b)
		}
	}
	rows, err := h.Store.AuditBetween(h.t.Context(), h.x.Created, h.now, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, r := range rows {
		if r.What == "opened" {
			audit = append(audit, r)
		}
	}
	return bells, audit
}

// I22: Open resolves nothing. It is audited, and asks for a link for whoever
// clicked, approver or not, once by one click, whatever became of its reply.
func TestI22_Open(t *testing.T) {
	t.Parallel()
	eve := actor.Actor{Provider: "slack", Workspace: "T9", ID: "U9", Kind: actor.Human}
	for name, who := range map[string]actor.Actor{"an approver": ada, "a stranger": eve} {
		for again, prepare := range map[string]func(h *house, a inbox.Answer){
			"once":               func(*house, inbox.Answer) {},
			"again":              func(h *house, a inbox.Answer) { h.open(a) },
			"after a lost reply": func(h *house, a inbox.Answer) { h.fail = true; _, _ = h.Open(h.t.Context(), a) },
			"at once":            func(h *house, a inbox.Answer) { h.before = func() { h.open(a) } },
		} {
			t.Run(name+" "+again, func(t *testing.T) {
				t.Parallel()
				h := newHouse(t)
				a := h.click(inbox.Open, "a1")
				a.Actor = who
				prepare(h, a)
				out := h.open(a)
				if out.Result != inbox.Opened || out.Words == "" || out.Item.State != inbox.Pending {
					t.Fatalf("%+v", out)
				}
				bells, audit := h.opens()
				if len(bells) != 1 || bells[0].User != who.Ref() || bells[0].Item != h.x.ID || bells[0].Place != queue || bells[0].Key == "" || bells[0].Text != "" {
					t.Errorf("%+v", bells)
				}
				if len(audit) != 1 || audit[0].Actor.Ref() != who.Ref() || audit[0].Item != h.x.ID || audit[0].Delivery != a.Delivery || audit[0].Chain != "session#s1" {
					t.Errorf("%+v", audit)
				}
				if k := h.kept(); k.state != inbox.Pending || k.resolved != 0 || k.refused != 0 || k.turns != 0 || k.shows != 1 {
					t.Errorf("%+v", k)
				}
			})
		}
	}
}

// C4: no key is in a row before deliver makes it.
func TestC4_OpenMakesNoKey(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.open(h.click(inbox.Open, "a1"))
	changes, _, err := h.db.Changes(t.Context(), h.raised, 1000)
	if err != nil || len(changes) != 4 {
		t.Fatalf("%d rows, %v", len(changes), err)
	}
	for _, c := range changes {
		row, err := json.Marshal(c.New)
		if err != nil || strings.Contains(string(row), "login") {
			t.Errorf("%s %v", row, err)
		}
	}
}

// I22, I23: what no link is made for: nobody's click, an unknown item, an old
// card's. The last says nothing of the outcome, since anybody may click.
func TestI22_OpenRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(h *house, a *inbox.Answer)
		want    inbox.Result
	}{
		"a key":      {func(_ *house, a *inbox.Answer) { a.Actor.Kind = actor.Key }, inbox.Refused},
		"nobody":     {func(_ *house, a *inbox.Answer) { a.Actor.ID = "" }, inbox.Refused},
		"no item":    {func(_ *house, a *inbox.Answer) { a.Item = "nosuch" }, inbox.NoItem},
		"an old one": {func(h *house, _ *inbox.Answer) { h.resolve(h.form(inbox.Deny, "b1")) }, inbox.Late},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			a := h.click(inbox.Open, "a1")
			c.prepare(h, &a)
			out := h.open(a)
			if bells, audit := h.opens(); out.Result != c.want || len(bells)+len(audit) != 0 || strings.Contains(out.Words, "Bob") {
				t.Errorf("%+v %+v %+v", out, bells, audit)
			}
			if k := h.kept(); k.refused != 1 || len(k.told) != 1 {
				t.Errorf("%+v", k)
			}
		})
	}
}

// Open is no answer where answers are taken: the panel and the API.
func TestI9_OpenAnswersNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	if out := h.resolve(h.form(inbox.Open, "a1")); out.Result != inbox.Invalid {
		t.Errorf("%+v", out)
	}
}

// A click that leaves its message out is told on its own surface.
func TestI22_OpenWithoutItsMessage(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.click(inbox.Open, "a1")
	a.Shown, h.now = inbox.Reference{}, h.now.Add(time.Minute)
	h.open(a)
	if bells, _ := h.opens(); len(bells) != 1 || bells[0].Place.Surface != "slack" {
		t.Errorf("%+v", bells)
	}
}
