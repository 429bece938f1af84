package turn

import (
	"context"
	"fmt"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/domain/wake"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// rest ends the turn: the session sleeps while a wake is pending, else it is
// idle. It holds only if nothing came meanwhile (S9). What the agent said last
// is said where the work came from, and an executor that has nothing more to
// wait for ends its ticket.
func (t *turn) rest(ctx context.Context, w session.Standing) error {
	state, err := t.resting(ctx)
	if err != nil {
		return err
	}
	return t.end(ctx, w, state, ticket.Done, "")
}

func (t *turn) resting(ctx context.Context) (session.Liveness, error) {
	wakes, err := t.Store.Wakes(ctx, t.s.ID)
	if err != nil {
		return "", err
	}
	for _, x := range wakes {
		if x.State == wake.Pending {
			return session.Sleeping, nil
		}
	}
	return session.Idle, nil
}

// fail ends a run that cannot go on, and says so where the work came from. The
// session stays: a message starts a new run, and so does a wake that is still
// to come, for which its ticket stays open.
func (t *turn) fail(ctx context.Context, w session.Standing, why string) error {
	state, err := t.resting(ctx)
	if err != nil {
		return err
	}
	t.Count("runs_failed", "")
	return t.end(ctx, w, state, ticket.Failed, why)
}

func (t *turn) end(ctx context.Context, w session.Standing, state session.Liveness, ending ticket.Ending, failure string) error {
	if t.head == nil { // the mailbox was not read yet
		if err := t.reload(ctx); err != nil || t.done || len(t.mail) > 0 {
			return err
		}
	}
	now, id := t.Now(), t.NewID()
	lease := t.lease
	var closing []table.Action
	if t.s.Ticket != "" && state == session.Idle {
		var err error
		if closing, err = t.endTicket(ctx, ending, id); err != nil {
			return err
		}
		lease.Closed = true
	}
	actions := append([]table.Action{store.GiveBackLease(lease, state, "", now), store.QuietMailbox(*t.head)}, closing...)
	text, key := "", ""
	switch {
	case failure != "":
		step := session.Step{Session: t.s.ID, N: w.Next, Role: session.Assistant, Text: "The run failed: " + failure + ".", Model: "postern", At: now}
		actions = append(actions, store.AppendStep(step))
		text, key = step.Text, fmt.Sprintf("say-%s-%d", t.s.ID, step.N)
	case w.Said != nil:
		text, key = w.Said.Text, fmt.Sprintf("say-%s-%d", t.s.ID, w.Said.N)
	}
	if text != "" && t.s.Origin != nil {
		actions = append(actions, store.NewOutbox(store.Outbox{ID: id, Created: now, Correlation: t.s.Correlation,
			Bells: []store.Bell{{Ring: store.RingSay, Place: *t.s.Origin, Text: text, Key: key}}}))
	}
	lost, err := t.do(ctx, id, actions...)
	if err != nil {
		return err
	}
	switch {
	case lost == nil:
		t.done = true
		t.log.Info("turn ended", "state", state, "steps", len(t.steps))
	case lost.By(0):
		t.leave("the lease was lost")
	case lost.By(1):
		return t.reload(ctx) // something came: go on
	}
	return nil // the ticket changed meanwhile: read it again in the next round
}

// endTicket closes the ticket of an executor that is done (G10).
func (t *turn) endTicket(ctx context.Context, ending ticket.Ending, id string) ([]table.Action, error) {
	tk, err := t.Store.Ticket(ctx, t.s.Ticket)
	if err != nil || tk == nil || tk.State == ticket.Ended {
		return nil, err
	}
	now := t.Now()
	x := *tk
	x.State, x.Ending, x.Closed = ticket.Ended, ending, now
	return []table.Action{store.SaveTicket(x), store.NewAudit(store.Audit{
		ID: id, Chain: "thread#" + tk.Thread.Key(), What: "ended", Actor: actor.System("executor " + t.s.ID),
		Was: string(ticket.Open), Is: string(ending), Reason: "ticket " + tk.ID, At: now})}, nil
}
