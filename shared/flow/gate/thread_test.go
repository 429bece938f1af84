package gate

import (
	"slices"
	"testing"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store"
)

// G3: a person's message on a ticket's own Thread reaches that ticket and
// starts nothing, whoever writes; a bot's does not resume it (G36).
func TestG3_FollowUp(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.judge(message(nil))
	tk := h.tickets()[0]
	for name, c := range map[string]struct {
		change func(*trigger.Trigger)
		want   string
	}{
		"m2": {func(t *trigger.Trigger) { t.Named = trigger.NotAt }, "delivered"},
		"m3": {func(t *trigger.Trigger) { t.Sender.ID, t.Named = "U9", trigger.NotAt }, "delivered"},
		"m4": {func(t *trigger.Trigger) {}, "delivered"},
		"m5": {func(t *trigger.Trigger) { t.Sender.Kind = actor.Bot }, "not_admitted"},
	} {
		d := h.judge(message(func(t *trigger.Trigger) { t.ID = name; c.change(t) }))
		if d.Outcome != c.want {
			t.Errorf("%s: %+v", name, d)
		}
	}
	got := h.mails(tk.Session)
	slices.Sort(got)
	if len(h.tickets()) != 1 || !slices.Equal(got, []string{"m1", "m2", "m3", "m4"}) {
		t.Errorf("%d tickets, mail %v", len(h.tickets()), got)
	}
	mail, err := h.Store.Mail(t.Context(), tk.Session)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mail {
		if listed := m.Trigger != "m3"; m.Listed != listed {
			t.Errorf("%s is marked listed=%t (G2)", m.Trigger, m.Listed)
		}
	}
}

// G36: an ended ticket is resumed by a person's message, with no new decision.
func TestG36_Resumes(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.judge(message(nil))
	tk := h.tickets()[0]
	h.end(tk.ID, ticket.Done)
	if d := h.judge(message(id("m2"))); d.Outcome != "delivered" {
		t.Fatalf("%+v", d)
	}
	if now := h.tickets(); len(now) != 1 || now[0].State != ticket.Open || now[0].Ending != "" || now[0].Mandate.Trigger != "m1" {
		t.Errorf("%+v", now)
	}
	if n := len(ringing(h.bells(), store.RingTurn)); n != 2 {
		t.Errorf("%d rings", n)
	}
}

// G36, G48: a message that meets the end of its ticket resumes it: found by
// the simulation, which saw the agent's calls refused.
func TestG36_MeetsTheEnd(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.judge(message(nil))
	tk := h.tickets()[0]
	h.before = func() { h.end(tk.ID, ticket.Done) }
	if d := h.judge(message(id("m2"))); d.Outcome != "delivered" {
		t.Fatalf("%+v", d)
	}
	if now := h.tickets(); len(now) != 1 || now[0].State != ticket.Open {
		t.Errorf("the message went to a ticket that is %s", now[0].State)
	}
}

// G38: a stopped ticket receives nothing more; work asked for there is a new
// acceptance.
func TestG38_Stopped(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.judge(message(nil))
	first := h.tickets()[0]
	h.before = func() { h.end(first.ID, ticket.Stopped) } // between reading and commit (G48)
	d := h.judge(message(id("m2")))
	if d.Outcome != "accepted" || d.Ticket == first.ID {
		t.Fatalf("%+v", d)
	}
	if got := h.mails(first.Session); !slices.Equal(got, []string{"m1"}) {
		t.Errorf("the stopped ticket received %v", got)
	}
	bare := message(func(t *trigger.Trigger) { t.ID, t.Sender.ID, t.Named = "m3", "U9", trigger.NotAt })
	if d := h.judge(bare); d.Outcome != "delivered" || d.Ticket == first.ID {
		t.Errorf("%+v", d)
	}
}

// G48: a message is judged against the subscriptions that are: of two that
// meet, one makes the ticket and the other reaches it.
func TestG48_TwoMeet(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.before = func() { h.judge(message(nil)) }
	d := h.judge(message(func(t *trigger.Trigger) { t.ID, t.Named = "m2", trigger.NotAt }))
	if d.Outcome != "delivered" || len(h.tickets()) != 1 {
		t.Errorf("%+v, %d tickets", d, len(h.tickets()))
	}
	h = newHouse(t)
	h.before = func() { h.judge(message(nil)) }
	if d := h.judge(message(nil)); d.Outcome != "duplicate" || len(h.tickets()) != 1 {
		t.Errorf("the same message twice: %+v, %d tickets", d, len(h.tickets()))
	}
}

// Feishu answers by a message, so that is where its replies go.
func TestReplyTo(t *testing.T) {
	t.Parallel()
	w := work{t: trigger.Trigger{Message: "om_2", Thread: trigger.Place{Surface: trigger.Feishu, Channel: "oc", Thread: "om_1"}}}
	if got := w.replyTo().Thread; got != "om_2" {
		t.Error(got)
	}
	w.t.Thread.Surface = trigger.Slack
	if got := w.replyTo().Thread; got != "om_1" {
		t.Error(got)
	}
}
