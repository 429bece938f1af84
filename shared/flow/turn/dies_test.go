package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store"
)

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
