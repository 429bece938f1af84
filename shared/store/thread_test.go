package store

import (
	"fmt"
	"testing"

	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

var place = trigger.Place{Surface: "slack", Account: "T", Channel: "C", Thread: "1.1"}

// G48: a Thread's subscriptions change by one writer at a time, and a commit
// can hold to those it read.
func TestThread(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	th, err := h.Thread(t.Context(), place)
	if err != nil || th.Version != 0 || th.Key != place.Key() {
		t.Fatalf("%+v %v", th, err)
	}
	h.wins(SameThread(th))
	th.Subscribers = []ticket.Subscribed{{Ticket: "t1", Session: "s1", Own: true}}
	h.wins(SaveThread(th))
	h.loses(0, SaveThread(th))
	h.loses(0, SameThread(th))
	th, err = h.Thread(t.Context(), place)
	if err != nil || th.Version != 1 || th.Subscribers[0].Session != "s1" || th.Place != place {
		t.Fatalf("%+v %v", th, err)
	}
	h.wins(SameThread(th))
	h.wins(SaveThread(th))
	h.loses(0, SaveThread(th))
}

// G47: a Trigger is claimed once; a stronger judgment of the same message
// replaces the weaker one it read (B05).
func TestJudged(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	was := Judged{ID: "m1", Strength: "not_admitted", Named: "none", At: now}
	h.wins(NewJudged(was))
	h.loses(0, NewJudged(was))
	was = must2(h.Judged(t.Context(), "m1"))(t)
	h.wins(UpgradeJudged(was, Judged{ID: "m1", Strength: "explicit", Named: "mention", Session: "s1", At: now}))
	h.loses(0, UpgradeJudged(was, Judged{ID: "m1", Strength: "explicit", At: now}))
	if got := must2(h.Judged(t.Context(), "m1"))(t); got.Session != "s1" || got.Version != 2 {
		t.Errorf("%+v", got)
	}
	if h.raw(triggerKey("m1"))["ttl"].Type == 0 {
		t.Error("a judgment is kept for ever")
	}
}

// D4: tries are counted before judging, with what the last failed with.
func TestTries(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for range 3 {
		h.wins(CountTry("m1", now))
	}
	h.wins(FailedTry("m1", "broken"))
	h.wins(UncountTry("m1"))
	j, tries, err := h.JudgedBefore(t.Context(), "m1")
	if err != nil || j != nil || tries.Tries != 2 || tries.Error != "broken" || tries.ID != "m1" {
		t.Errorf("%+v %+v %v", j, tries, err)
	}
	h.wins(NewJudged(Judged{ID: "m2", At: now}))
	if j, tries, err := h.JudgedBefore(t.Context(), "m2"); err != nil || j == nil || tries.Tries != 0 {
		t.Errorf("%+v %+v %v", j, tries, err)
	}
}

// G37, P25: a ticket is born open, changed by one at a time, and a commit can
// hold to its being open as it was read.
func TestTicket(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.wins(NewTicket(ticket.Ticket{ID: "t1", Thread: place, Created: now, Mandate: ticket.Mandate{Basis: "explicit", Policy: 3}}))
	h.loses(0, NewTicket(ticket.Ticket{ID: "t1"}))
	tk := must2(h.Ticket(t.Context(), "t1"))(t)
	if tk.State != ticket.Open || tk.Mandate.Policy != 3 {
		t.Errorf("%+v", tk)
	}
	h.wins(OpenTicket(tk))
	ended := tk
	ended.State, ended.Ending = ticket.Ended, ticket.Done
	h.wins(SaveTicket(ended))
	h.loses(0, SaveTicket(ended))
	h.loses(0, OpenTicket(tk))
	again := must2(h.Ticket(t.Context(), "t1"))(t)
	h.loses(0, OpenTicket(again))
	again.State = ticket.Open
	h.wins(SaveTicket(again))
	h.loses(0, OpenTicket(tk)) // open, but not as it was read
}

// Decisions and tickets are listed newest first; a decision is never rewritten.
func TestDecisions(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for i := range 3 {
		h.wins(NewDecision(ticket.Decision{ID: fmt.Sprint("d", i), Thread: place.Key(), At: now.Add(int64ms(i)), Sender: ada}),
			NewTicket(ticket.Ticket{ID: fmt.Sprint("t", i), Created: now.Add(int64ms(i))}))
	}
	h.loses(0, NewDecision(ticket.Decision{ID: "d0", Thread: place.Key(), At: now, Reason: "otherwise"}))
	ds, _, err := h.Decisions(t.Context(), "", 10)
	if err != nil || len(ds) != 3 || ds[0].ID != "d2" || ds[0].Sender != ada {
		t.Errorf("%+v %v", ds, err)
	}
	ts, next, err := h.Tickets(t.Context(), "", 2)
	if err != nil || len(ts) != 2 || ts[0].ID != "t2" || next == "" {
		t.Errorf("%+v %v", ts, err)
	}
}
