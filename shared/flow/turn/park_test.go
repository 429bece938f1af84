package turn

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// S9: parking holds only while the item is pending; an answer that comes first
// is not slept through (I7).
func TestS9_AnsweredWhileParking(t *testing.T) {
	t.Parallel()
	h := newHouse(t, says(comment(1), comment(2)))
	h.turn()
	items := h.pending()
	h.answer(items[0], inbox.Allow, "")
	came := false
	h.table.refuse = func(tx table.Tx) bool { // the first has run; the turn is about to park on the second
		if !came && slices.ContainsFunc(tx.Actions, func(a table.Action) bool { return a.Verb == table.Check && a.Key.SK == "item" }) {
			came = true
			h.answer(items[1], inbox.Allow, "")
		}
		return false
	}
	h.turn()
	if h.rests(session.Idle); !came || len(h.ran) != 2 {
		t.Errorf("%t %q", came, h.steps())
	}
}

// S9: going idle holds only if nothing came since the mailbox was read.
func TestS9_MailWhileResting(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	came := false
	h.table.refuse = func(tx table.Tx) bool {
		if !came && slices.ContainsFunc(tx.Actions, func(a table.Action) bool { return a.Verb == table.Check && a.Key.SK == "mailbox" }) {
			came = true
			h.do(store.NewMail(session.Mail{Session: "s1", ID: store.MailID(h.now, "9"), Kind: session.Message, From: ada, Listed: true, Text: "and this", At: h.now})...)
		}
		return false
	}
	h.turn()
	h.rests(session.Idle)
	if got := h.steps(); !came || len(got) != 4 || got[2] != "user: [message from Ada]\nand this" {
		t.Errorf("%q", got)
	}
}

// S9: messages to a parked session wait until its call is settled; a person
// may withdraw the call, and the turn goes on.
func TestS9_WaitAndWithdraw(t *testing.T) {
	t.Parallel()
	h := newHouse(t, says(comment(1)))
	h.turn()
	h.do(store.NewMail(session.Mail{Session: "s1", ID: store.MailID(h.now, "9"), Kind: session.Message, Text: "wait", From: actor.Actor{ID: "U9", Provider: "slack"}, At: h.now})...)
	h.later(time.Second)
	h.turn()
	if h.rests(session.Parked); len(h.steps()) != 2 {
		t.Fatalf("a message was read while a call waits: %q", h.steps())
	}
	x := h.pending()[0]
	h.do(h.resolver.Settle(x, inbox.Withdraw(x, ada, "panel", h.now), h.now).Actions()...)
	h.turn()
	h.rests(session.Idle)
	got := h.steps()
	if len(h.ran) != 0 || !strings.Contains(got[2], "withdrew this call") || got[3] != "user: [message from slack:U9, who is not listed]\nwait" {
		t.Errorf("%q", got)
	}
}
