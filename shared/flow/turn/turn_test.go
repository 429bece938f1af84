package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// S6: all calls of a message are authorised and what needs a person is raised
// before anything runs; results come in call order, whatever the order of the
// answers (S9).
func TestS6_Order(t *testing.T) {
	t.Parallel()
	h := newHouse(t, says(comment(1), fetch(1), comment(2)))
	h.turn()
	h.rests(session.Parked)
	items := h.pending()
	if len(items) != 2 || len(h.ran) != 0 || items[0].Pos != 0 || items[1].Pos != 2 {
		t.Fatalf("%d items, ran %v", len(items), h.ran)
	}
	h.answer(items[1], inbox.Allow, "") // the second first
	h.turn()
	if h.rests(session.Parked); len(h.ran) != 0 {
		t.Fatalf("a later call ran before an earlier one was settled: %v", h.ran)
	}
	h.answer(items[0], inbox.Allow, "")
	h.turn()
	h.rests(session.Idle)
	want := []string{"user: [message from Ada]\ngo", "model: github_comment web_fetch github_comment", "2.0 true: did s1-2-0", "2.1 true: did s1-2-1", "2.2 true: did s1-2-2", "model: done"}
	if got := h.steps(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if !slices.Equal(h.ran, []string{"s1-2-0", "s1-2-1", "s1-2-2"}) {
		t.Errorf("ran %v", h.ran)
	}
}

// S6: cleared reads run side by side.
func TestS6_ReadsTogether(t *testing.T) {
	t.Parallel()
	h := newHouse(t, says(fetch(1), fetch(2), fetch(3)))
	all := make(chan struct{}, 3)
	h.tool = func(_, key string) (string, error) {
		all <- struct{}{}
		for len(all) < 3 { // each waits for the others
			if h.t.Context().Err() != nil {
				break
			}
		}
		return key, nil
	}
	h.turn()
	if got := h.steps(); !slices.Equal(got[2:5], []string{"2.0 true: s1-2-0", "2.1 true: s1-2-1", "2.2 true: s1-2-2"}) {
		t.Errorf("%q", got)
	}
}

// S6: more items than one commit takes are all raised before the turn parks.
// Found by reading, held by the simulation.
func TestS6_ManyItems(t *testing.T) {
	t.Parallel()
	var many []model.Call
	for i := range 45 {
		many = append(many, comment(i))
	}
	h := newHouse(t, many)
	h.turn()
	h.rests(session.Parked)
	if items := h.pending(); len(items) != 45 || h.lease().Item != items[0].ID {
		t.Errorf("%d items wait", len(items))
	}
}

// S6: limits count over the whole run, and a run that is over says so.
func TestS6_Limits(t *testing.T) {
	t.Parallel()
	h := newHouse(t, says(fetch(1)), says(fetch(2)), says(fetch(3)))
	h.Limits = Limits{Iterations: 2, Tokens: 1000}
	h.turn()
	h.rests(session.Idle)
	if !h.has("The run failed: the run reached its limit of 2 model calls") || len(h.ran) != 2 {
		t.Errorf("%q", h.steps())
	}
	tk, err := h.Store.Ticket(t.Context(), "t1")
	if err != nil || tk.Ending != ticket.Failed {
		t.Errorf("%+v %v", tk, err)
	}
}

// S3: a lease that is held is left alone; one that was lost writes nothing.
func TestS3_Lease(t *testing.T) {
	t.Parallel()
	h := newHouse(t, says(fetch(1)))
	_, take := store.TakeLease(h.lease(), "other", "r", h.now)
	h.do(take)
	h.turn()
	if len(h.steps()) != 0 {
		t.Fatalf("a turn ran beside another: %q", h.steps())
	}
	h.later(session.LeaseTime + time.Millisecond)
	stolen := false
	h.tool = func(_, key string) (string, error) { // the lease is taken while the call runs
		h.later(session.LeaseTime + time.Millisecond)
		_, take := store.TakeLease(h.lease(), "thief", "r", h.clock())
		h.do(take)
		stolen = true
		return key, nil
	}
	h.turn()
	if got := h.steps(); !stolen || len(got) != 2 {
		t.Errorf("a turn that lost its lease went on writing: %q", got)
	}
}

// S3: mail is read under the lease where an earlier turn may still be reading.
// Found by the simulation: the new turn failed and held its lease for nothing.
func TestS3_MailReadMeanwhile(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	old, take := store.TakeLease(h.lease(), "stalled", "r", h.now)
	h.do(take)
	mail, err := h.Store.Mail(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	h.later(session.LeaseTime + time.Millisecond)
	h.table.before = func(tx table.Tx) { // the stalled turn wakes and reads, its lease not yet taken
		h.do(store.HoldLease(old), store.ReadMail(mail[0]), store.AppendStep(session.Step{Session: "s1", N: 1, Role: session.User, Text: "go", Mail: mail[0].ID}))
	}
	h.turn()
	if h.rests(session.Idle); !slices.Equal(h.steps(), []string{"user: go", "model: done"}) {
		t.Errorf("%q", h.steps())
	}
}

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

// S7: a turn that dies before or after any of its commits is resumed from what
// was written: the same transcript, each call made once, each item asked once.
func TestS7_DiesAnywhere(t *testing.T) {
	t.Parallel()
	plan := [][]model.Call{says(fetch(1), comment(1)), says(send(1), model.NewCall("c", "sleep_for", `{"seconds":60,"note":"nap"}`)), says(comment(2))}
	whole := newHouse(t, plan...)
	whole.toTheEnd(0)
	want, commits := whole.steps(), whole.table.n
	if len(want) != 11 || commits < 20 {
		t.Fatalf("%d steps in %d commits: %q", len(want), commits, want)
	}
	for k := 1; k <= commits; k++ {
		for _, written := range []bool{false, true} {
			t.Run(fmt.Sprintf("commit %d written=%t", k, written), func(t *testing.T) {
				t.Parallel()
				h := newHouse(t, plan...)
				h.table.written = written
				h.toTheEnd(k)
				got, sends := h.steps(), strings.Count(strings.Join(h.ran, " ")+" ", "s1-5-0 ")
				for i := range min(len(got), len(want)) {
					if !sameStep(got[i], want[i], sends) {
						t.Errorf("step %d: %q, not %q; it was sent %d times", i+1, got[i], want[i], sends)
					}
				}
				if len(got) != len(want) || sends > 1 { // a comment may be made again with its key (S8)
					t.Errorf("%d steps, sent %d times", len(got), sends)
				}
			})
		}
	}
}

// sameStep compares two steps: times differ, and of a call in doubt a person
// says what is so.
func sameStep(got, want string, sends int) bool {
	got, _, _ = strings.Cut(got, "Asleep until")
	want, _, _ = strings.Cut(want, "Asleep until")
	if strings.HasPrefix(want, "5.0 ") && got != want {
		doubt := map[int]string{0: "5.0 false: A person says that this call did not happen.", 1: "5.0 true: A person says that this call did happen."}
		return strings.HasPrefix(got, doubt[sends])
	}
	return got == want
}

// toTheEnd runs turns, answers and wakes until the session is idle; the at-th
// commit from now breaks off.
func (h *house) toTheEnd(at int) {
	h.t.Helper()
	if at > 0 {
		h.table.at = h.table.n + at
	} else {
		h.table.n = 0
	}
	for range 60 {
		_ = h.Turn(h.t.Context(), "s1")
		h.later(2 * time.Minute) // past leases, deadlines and naps
		for _, x := range h.pending() {
			out, err := h.resolver.Resolve(context.Background(), inbox.Answer{Item: x.ID, Digest: x.Digest, Choice: choiceFor(x, h), Actor: ada, Via: "panel", ID: "a" + x.ID})
			_, _ = out, err // one that broke off is given again
		}
		h.wake()
		if l := h.lease(); l.State == session.Idle && len(h.steps()) > 0 && h.steps()[len(h.steps())-1] == "model: done" {
			mail, _ := h.Store.Mail(h.t.Context(), "s1")
			if len(mail) == 0 {
				return
			}
		}
	}
	h.t.Fatalf("it never ends: %+v %q", h.lease(), h.steps())
}

// choiceFor allows; of a doubt it says what is so.
func choiceFor(x inbox.Item, h *house) string {
	if x.Kind != inbox.Question {
		return inbox.Allow
	}
	key := fmt.Sprintf("s1-%d-%d", x.Step, x.Pos)
	if slices.Contains(h.ran, key) {
		return happened
	}
	return skipped
}

// wake fires what is due, as the waker does.
func (h *house) wake() {
	ws, err := h.Store.Wakes(h.t.Context(), "s1")
	if err != nil {
		h.t.Fatal(err)
	}
	for _, w := range ws {
		if w.State != "pending" || w.At.After(h.now) {
			continue
		}
		w.State = "fired"
		actions := append(store.NewMail(session.Mail{Session: "s1", ID: store.MailID(h.now, h.id()), Kind: session.Woke, Wake: w.ID, Text: w.Note, At: h.now}), store.EndWake(w))
		_, _ = h.Store.Do(h.t.Context(), h.id(), actions...)
	}
}
