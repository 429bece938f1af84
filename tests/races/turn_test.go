package races

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/wake"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// worker is a model that comments three times and sleeps, and the tool it
// comments with, which remembers what it did.
type worker struct {
	mu   sync.Mutex
	done map[string]int
}

func (w *worker) Complete(_ context.Context, r model.Request) (model.Reply, error) {
	said := 0
	for _, m := range r.Messages {
		if m.Role == model.Assistant && len(m.Calls) > 0 {
			said++
		}
	}
	if said >= 3 {
		return model.Reply{Text: "done", Stop: model.Ended}, nil
	}
	return model.Reply{Calls: []model.Call{model.NewCall("c", "github_comment", fmt.Sprintf(`{"issue":"a/b#1","body":"%d"}`, said))}, Stop: model.Called}, nil
}

func (w *worker) comment(_ context.Context, _ json.RawMessage, key string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done[key]++
	return "commented", nil
}

// TestS3_ManyTurns: a session is rung many times at once. One turn at a time
// runs; each call is made once and the transcript has each step once.
func TestS3_ManyTurns(t *testing.T) {
	t.Parallel()
	h := open(t)
	for n := range races(t) {
		s := h.session(fmt.Sprintf("s%d", n), func(s *session.Session) { s.Mode = "auto" })
		h.do(fmt.Sprint("mail-", n), store.NewMail(session.Mail{Session: s.ID, ID: store.MailID(h.Clock.Now(), "m"), Kind: session.Message, Text: "go", At: h.Clock.Now()}))
		together(12, func(int) {
			if err := h.Turns.Turn(context.Background(), s.ID); err != nil {
				t.Error(err)
			}
		})
		// Somebody may have looked before the mail was his to read: ring again.
		if err := h.Turns.Turn(t.Context(), s.ID); err != nil {
			t.Error(err)
		}
		h.rested(s, 8)
	}
	for key, n := range h.work.done {
		if n != 1 {
			t.Errorf("call %s was made %d times", key, n)
		}
	}
	if len(h.work.done) != 3*races(t) {
		t.Errorf("%d calls were made, not %d", len(h.work.done), 3*races(t))
	}
}

func (h *house) rested(s session.Session, steps int) {
	h.t.Helper()
	got, err := h.Store.Transcript(h.t.Context(), s.ID)
	if err != nil || len(got) != steps {
		h.t.Fatalf("%d steps, not %d: %v", len(got), steps, err)
	}
	for i, x := range got {
		if x.N != int64(i+1) {
			h.t.Errorf("step %d is numbered %d", i+1, x.N)
		}
	}
	l, err := h.Store.Lease(h.t.Context(), s.ID)
	if err != nil || l.State != session.Idle || l.Holder != "" {
		h.t.Errorf("lease: %+v %v", l, err)
	}
}

// TestW2_ManyWakers: one wake is rung many times at once, by schedules and the
// reconciler; it fires once, with one mail.
func TestW2_ManyWakers(t *testing.T) {
	t.Parallel()
	h := open(t)
	for n := range races(t) {
		s := h.session(fmt.Sprintf("s%d", n), nil)
		at := h.Clock.Now()
		h.do(fmt.Sprint("wake-", n), []table.Action{store.NewWake(wake.Wake{ID: "w", Session: s.ID, Kind: wake.Timer, At: at, Note: "n", Generation: 1, Created: at})})
		var mu sync.Mutex
		fired := 0
		together(20, func(int) {
			did, err := h.Waker.Fire(context.Background(), s.ID, "w")
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			if did {
				fired++
			}
		})
		mail, err := h.Store.Mail(t.Context(), s.ID)
		if fired != 1 || err != nil || len(mail) != 1 || mail[0].Kind != session.Woke {
			t.Fatalf("%d fired it, mail %+v %v", fired, mail, err)
		}
	}
}

// TestS9_AnswerMeetsParking: a call's item is answered while its turn is about
// to park on it. Either the turn sees the answer, or the answer's ring starts
// the next turn: nobody sleeps through it (I7).
func TestS9_AnswerMeetsParking(t *testing.T) {
	t.Parallel()
	h := open(t)
	for n := range races(t) {
		s := h.session(fmt.Sprintf("s%d", n), nil)
		h.do(fmt.Sprint("mail-", n), store.NewMail(session.Mail{Session: s.ID, ID: store.MailID(h.Clock.Now(), "m"), Kind: session.Message, Text: "go", At: h.Clock.Now()}))
		together(2, func(i int) {
			for range 3 { // three calls, three answers
				if i == 0 {
					h.untilParkedOrDone(s)
				} else {
					h.allowNext(s)
				}
			}
		})
		for range 3 {
			h.untilParkedOrDone(s)
		}
		h.rested(s, 8)
	}
	for key, n := range h.work.done {
		if n != 1 {
			t.Errorf("call %s was made %d times", key, n)
		}
	}
}

func (h *house) untilParkedOrDone(s session.Session) {
	if err := h.Turns.Turn(context.Background(), s.ID); err != nil {
		h.t.Error(err)
	}
}

// allowNext waits for an item of the session and allows it.
func (h *house) allowNext(s session.Session) {
	for {
		ids, err := h.Store.PendingOf(context.Background(), s.ID)
		if err != nil {
			h.t.Error(err)
			return
		}
		for _, id := range ids {
			x, err := h.Store.Item(context.Background(), id)
			if err != nil || x == nil || !strings.HasPrefix(x.Tool, "github") {
				h.t.Errorf("item %s: %+v %v", id, x, err)
				return
			}
			out, err := h.Resolver.Resolve(context.Background(), inbox.Answer{Item: id, Digest: x.Digest, Choice: inbox.Allow,
				Actor: who("panel:p0"), Via: "panel", Delivery: id, ID: id})
			if err != nil || out.Result != inbox.Won {
				h.t.Errorf("answer: %+v %v", out, err)
			}
			h.untilParkedOrDone(s)
			return
		}
	}
}
