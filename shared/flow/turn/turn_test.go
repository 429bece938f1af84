package turn

import (
	"slices"
	"testing"
	"time"

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
