package turn

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// S11: a model that is busy is tried again after a pause that grows, holding
// nothing; one that refuses fails the run and says so.
func TestS11_ModelFails(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	busy := 2
	h.fails = func() error {
		if busy--; busy >= 0 {
			return &model.Error{Kind: model.Overloaded, Err: errors.New("busy")}
		}
		return nil
	}
	h.turn()
	first := h.lease()
	h.turn() // rung too early: nothing
	if busy != 1 || first.State != session.Working || first.Holder != "" || !first.Until.Equal(h.now.Add(5*time.Second)) {
		t.Fatalf("%d, %+v", busy, first)
	}
	h.later(6 * time.Second)
	h.turn()
	if l := h.lease(); !l.Until.Equal(h.now.Add(10 * time.Second)) {
		t.Errorf("the pause does not grow: %+v", l)
	}
	h.later(11 * time.Second)
	h.turn()
	h.rests(session.Idle)
	if n := len(h.bells(store.RingWake)); n != 2 {
		t.Errorf("%d rings for two pauses", n)
	}
	h.fails = func() error { return &model.Error{Kind: model.Refused, Err: errors.New("no")} }
	h.do(store.NewMail(session.Mail{Session: "s1", ID: store.MailID(h.now, "9"), Kind: session.Message, From: ada, Listed: true, Text: "again", At: h.now})...)
	h.turn()
	h.rests(session.Idle)
	says := h.bells(store.RingSay)
	if !h.has("model: The run failed: the model could not be used: refused.") || !slices.ContainsFunc(says, func(b store.Bell) bool { return strings.Contains(b.Text, "The run failed") }) {
		t.Errorf("%q %+v", h.steps(), says)
	}
}

// A run that fails while a wake is still to come keeps its ticket open for it.
func TestFailedRunKeepsItsWake(t *testing.T) {
	t.Parallel()
	h := newHouse(t, says(model.NewCall("c", "sleep_for", `{"seconds":300}`)))
	h.turn()
	h.fails = func() error { return &model.Error{Kind: model.Refused, Err: errors.New("no")} }
	h.do(store.NewMail(session.Mail{Session: "s1", ID: store.MailID(h.now, "9"), Kind: session.Message, From: ada, Listed: true, Text: "hello", At: h.now})...)
	h.turn()
	h.rests(session.Sleeping)
	if tk, err := h.Store.Ticket(t.Context(), "t1"); err != nil || tk.State != ticket.Open || !h.has("The run failed") {
		t.Errorf("%+v %v %q", tk, err, h.steps())
	}
}

// D4: what failed for a moment is tried again within seconds: the lease is
// given back with the failure.
func TestD4_TransientFailure(t *testing.T) {
	t.Parallel()
	h := newHouse(t, says(fetch(1)))
	failed := false
	h.table.refuse = func(tx table.Tx) bool {
		fail := !failed && writes(tx, "step#00000003")
		failed = failed || fail
		return fail
	}
	if err := h.Turn(t.Context(), "s1"); !errors.Is(err, errBroken) {
		t.Fatal(err)
	}
	h.later(5 * time.Second)
	h.turn()
	if h.rests(session.Idle); !failed || !h.has("model: done") {
		t.Errorf("%q", h.steps())
	}
}
