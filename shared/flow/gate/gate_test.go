package gate

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store"
)

// G14, G49: a listed person who names the agent: one ticket, one executor, the
// message in its mailbox, a receipt and a ring, all born together.
func TestG14_Explicit(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	d := h.judge(message(nil))
	if d.Outcome != "accepted" || d.Strength != policy.Explicit || d.Policy != 1 {
		t.Fatalf("%+v", d)
	}
	tk := h.tickets()[0]
	m := tk.Mandate
	if tk.ID != d.Ticket || tk.State != ticket.Open || m.Basis != policy.Explicit || m.Policy != 1 || m.Initiator.Ref() != "slack:T1/U1" || m.Trigger != "m1" || m.Source != "slack" {
		t.Errorf("ticket: %+v", tk)
	}
	o, err := h.Store.Open(t.Context(), tk.Session)
	if err != nil {
		t.Fatal(err)
	}
	s := o.Session
	if s.Mode != "plan" || s.Queue != "ops" || s.PersonaVersion != "3" || !s.Unattended || s.Ticket != tk.ID || s.Title != "first line" || s.Correlation != "slack:Ev1" || s.Origin.Thread != "1.1" {
		t.Errorf("session: %+v", s)
	}
	if o.Lease.State != session.Idle || o.Head.Seq != 1 || !slices.Equal(h.mails(s.ID), []string{"m1"}) {
		t.Errorf("lease %+v, head %+v, mail %v", o.Lease, o.Head, h.mails(s.ID))
	}
	bells := h.bells()
	says := ringing(bells, store.RingSay)
	if len(ringing(bells, store.RingTurn)) != 1 || len(says) != 1 || !strings.Contains(says[0].Text, tk.ID) || says[0].Place != message(nil).Thread {
		t.Errorf("bells: %+v", bells)
	}
	h.audited("accepted", "slack:T1/U1 is listed by slack")
}

func (h *house) audited(what, evidence string) {
	h.t.Helper()
	rows, err := h.Store.AuditOf(h.t.Context(), "thread#"+message(nil).Thread.Key(), h.now.Add(-time.Hour), h.now)
	if err != nil || len(rows) != 1 || rows[0].What != what || rows[0].Evidence != evidence || rows[0].Policy != 1 || rows[0].Delivery != "Ev1" {
		h.t.Errorf("audit: %+v %v", rows, err)
	}
}

// Who starts nothing, and what is kept of it (G14, G18, G19, G20, G22, G30).
func TestNotAdmitted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*trigger.Trigger)
		reason string
	}{
		{"G18 not listed", func(t *trigger.Trigger) { t.Sender.ID = "U9" }, "unlisted_named is ignore"},
		{"G18 the same id of another workspace", func(t *trigger.Trigger) { t.Sender.Workspace = "T9" }, "ignore"},
		{"G14 listed, naming nobody", func(t *trigger.Trigger) { t.Named = trigger.NotAt }, "not evaluated yet"},
		{"G19 not received", func(t *trigger.Trigger) { t.Thread.Channel, t.Named = "C2", trigger.NotAt }, "does not name"},
		{"G20 another channel", func(t *trigger.Trigger) { t.Thread.Channel = "C9" }, "no Source"},
		{"G20 another workspace", func(t *trigger.Trigger) { t.Account = "T9" }, "no Source"},
		{"G22 a bot", func(t *trigger.Trigger) { t.Sender.Kind = actor.Bot }, "bot list"},
		{"G18 no sender", func(t *trigger.Trigger) { t.Sender = actor.Actor{Kind: actor.None} }, "not a person"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			m := message(c.change)
			d := h.judge(m)
			if d.Outcome != "not_admitted" || !strings.Contains(d.Reason, c.reason) {
				t.Fatalf("%+v", d)
			}
			j, err := h.Store.Judged(t.Context(), "m1")
			if err != nil || j == nil || j.Session != "" || j.Reason != d.Reason {
				t.Errorf("judged: %+v %v", j, err)
			}
			list, _, err := h.Store.Decisions(t.Context(), "", 10)
			if err != nil || len(list) != 1 || list[0].ID != d.ID {
				t.Errorf("decisions: %+v %v", list, err)
			}
			if len(h.tickets()) != 0 || len(h.bells()) != 0 {
				t.Errorf("something came of it: %v %v", h.tickets(), h.bells())
			}
		})
	}
}

// G24: who named the agent and was not admitted is told only if the Source
// says so, and only he.
func TestG24_TellRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.save(func(p *policy.Policy) { p.Sources[0].TellRefused = true })
	h.judge(message(func(t *trigger.Trigger) { t.Sender.ID = "U9" }))
	h.judge(message(func(t *trigger.Trigger) { t.ID, t.Sender.ID, t.Named = "m2", "U9", trigger.NotAt }))
	h.judge(message(func(t *trigger.Trigger) { t.ID, t.Sender.Kind = "m3", actor.Bot }))
	b := h.bells()
	if len(b) != 1 || b[0].Ring != store.RingTell || b[0].User != "slack:T1/U9" {
		t.Errorf("%+v", b)
	}
}

// G47: one message makes one Trigger, however often and under whatever
// delivery it comes.
func TestG47_Duplicates(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	first := h.judge(message(nil))
	for _, delivery := range []string{"Ev1", "Ev2"} {
		d := h.judge(message(func(t *trigger.Trigger) { t.Delivery = delivery }))
		if d.Outcome != "duplicate" || d.Ticket != first.Ticket {
			t.Errorf("%+v", d)
		}
	}
	if n := len(h.tickets()); n != 1 {
		t.Errorf("%d tickets", n)
	}
}

// B05: a mention and the message that holds it arrive as two events, in any
// order, and where the bot is not known the message names nobody.
func TestB05_MentionAndMessage(t *testing.T) {
	t.Parallel()
	bare := message(func(t *trigger.Trigger) { t.Named = trigger.NotAt })
	for name, order := range map[string][]trigger.Trigger{
		"message, mention":          {bare, message(nil)},
		"mention, message":          {message(nil), bare},
		"message, mention, message": {bare, message(nil), bare},
		"message twice, mention":    {bare, bare, message(nil), message(nil)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			for _, m := range order {
				h.judge(m)
			}
			tk := h.tickets()
			if len(tk) != 1 || len(h.mails(tk[0].Session)) != 1 {
				t.Fatalf("%d tickets", len(tk))
			}
			j, err := h.Store.Judged(t.Context(), "m1")
			if err != nil || j.Session != tk[0].Session || j.Named != string(trigger.Mention) {
				t.Errorf("%+v %v", j, err)
			}
		})
	}
	t.Run("a stranger's mention changes nothing", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		for _, m := range []trigger.Trigger{bare, message(nil)} {
			m.Sender.ID = "U9"
			h.judge(m)
		}
		if len(h.tickets()) != 0 {
			t.Error("a stranger started work")
		}
	})
}

// G51: a paused Source starts nothing and loses nothing: the message is judged
// when it goes on, however often it was tried meanwhile (D4).
func TestG51_Paused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.save(func(p *policy.Policy) { p.Paused = []string{"slack"} })
	for range 10 {
		if err := h.Hear(t.Context(), body(message(nil))); err == nil {
			t.Fatal("a message of a paused Source was taken")
		}
	}
	if j, err := h.Store.Judged(t.Context(), "m1"); err != nil || j != nil || len(h.tickets()) != 0 {
		t.Fatalf("%+v %v", j, err)
	}
	h.save(func(p *policy.Policy) { p.Paused = nil })
	if err := h.Hear(t.Context(), body(message(nil))); err != nil || len(h.tickets()) != 1 {
		t.Errorf("%v, %d tickets", err, len(h.tickets()))
	}
}

// D4: a message that breaks its judge becomes a stored state after three
// tries, and the next one of its Thread is judged.
func TestD4_PoisonMessage(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	works := h.Persona
	h.Persona = func(string) (Persona, error) { return Persona{}, errDown }
	for range mostTries {
		if err := h.Hear(t.Context(), body(message(nil))); err == nil {
			t.Fatal("the failure was swallowed")
		}
	}
	if err := h.Hear(t.Context(), body(message(nil))); err != nil {
		t.Fatal(err)
	}
	list, _, err := h.Store.Decisions(t.Context(), "", 10)
	if err != nil || len(list) != 1 || list[0].Outcome != "unavailable" || !strings.Contains(list[0].Reason, errDown.Error()) {
		t.Fatalf("%+v %v", list, err)
	}
	h.Persona = works
	if err := h.Hear(t.Context(), body(message(id("m2")))); err != nil || len(h.tickets()) != 1 {
		t.Errorf("the thread is silent: %v", err)
	}
	if err := h.Hear(t.Context(), "{"); err != nil {
		t.Errorf("what cannot be read is not tried for ever: %v", err)
	}
}
