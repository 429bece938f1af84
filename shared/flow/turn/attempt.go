package turn

import (
	"context"
	"fmt"
	"time"

	"github.com/postern-dev/postern/shared/domain/permission"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// attempt runs one consequential call: intent, call, outcome (S8). What was
// begun before is looked at first: it is never blindly repeated.
func (t *turn) attempt(ctx context.Context, w session.Standing, j *judged) error {
	if j.item == nil && t.fresh != w.Asked.N {
		var err error
		if j.begun, err = t.Store.Attempt(ctx, t.s.ID, "", w.Asked.N, j.pos); err != nil {
			return err
		}
	}
	if j.begun != nil {
		return t.goOn(ctx, w, j, *j.begun)
	}
	return t.start(ctx, w, j)
}

// start spends the grant and writes the intent, in one transaction (S8, P25),
// then runs the call.
func (t *turn) start(ctx context.Context, w session.Standing, j *judged) error {
	if enough, err := t.enoughFor(ctx, j); err != nil || !enough {
		return err
	}
	if refusal := t.spend(j); refusal != "" {
		j.text, j.denied = "The call was not run: "+refusal.Words()+".", session.ByRule
		return t.answer(ctx, w, j)
	}
	now := t.Now()
	a := session.Attempt{Session: t.s.ID, Step: w.Asked.N, Pos: j.pos, Tool: j.raw.Tool, Digest: j.call.Digest,
		Key: fmt.Sprintf("%s-%d-%d", t.s.ID, w.Asked.N, j.pos), Writer: t.lease.Holder, Deadline: now.Add(timeout(j) + 5*time.Second)}
	if j.item != nil {
		a.Item, a.Places, a.Correlation = j.item.ID, j.item.Places, j.item.Correlation
	}
	actions := []table.Action{store.NewAttempt(a)}
	if j.item == nil { // else the item's own rows say who allowed it
		row, err := t.audit(ctx, "allowed", j)
		if err != nil {
			return err
		}
		actions = append(actions, row)
	}
	t.fresh = 0
	lost, err := t.commit(ctx, actions...)
	if err != nil || t.done || lost != nil {
		return err // lost: something changed meanwhile; the calls are judged again
	}
	t.woken(j)
	a.State, a.Version = session.Intended, 1
	return t.run(ctx, w, j, a)
}

// spend says whether the grant may be spent today (P25). A call that needed no
// person has no grant; for an executor its ticket must be open all the same.
// Whoever ends a ticket closes its executor's lease, so that the commit which
// spends cannot miss it.
func (t *turn) spend(j *judged) permission.Refusal {
	today := permission.Today{Session: t.s.ID, Generation: t.s.Generation, Executor: t.s.Ticket != "",
		TicketOpen: !t.lease.Closed, Mandate: !t.lease.Closed}
	if j.item == nil {
		if today.Executor && !today.TicketOpen {
			return permission.TicketEnded
		}
		return ""
	}
	g := permission.GrantFor(j.item.ID, j.item.Session, j.item.Generation, j.call)
	g.Tool, g.Digest = j.item.Tool, j.item.Digest
	return permission.MaySpend(g, j.call, j.decision, today)
}

// run calls the tool and writes the outcome with the result.
func (t *turn) run(ctx context.Context, w session.Standing, j *judged, a session.Attempt) error {
	call, cancel := context.WithTimeout(ctx, timeout(j))
	text, err := t.safely(call, j, a.Key)
	cancel()
	a.State, a.Result, a.Ended = session.Ran, cut(text), t.Now()
	if err != nil {
		a.State, a.Result = session.Failed, cut("The call failed: "+err.Error())
	}
	if doubtful(err) || err != nil && a.Version > 1 {
		// It may or may not have happened, now or when it was begun before: the
		// intent stays, and is judged after its deadline (S8).
		return t.later(ctx, a)
	}
	t.Count("calls", string(a.State))
	return t.outcome(ctx, w, j, a)
}

// outcome writes a call's outcome and its result, in one transaction that only
// the intent's writer can make, and that needs no lease (S8): until the intent
// is judged nobody else can go on, so the result's place in the transcript is
// free. The call's row then rings for the places that show the item (I23).
func (t *turn) outcome(ctx context.Context, w session.Standing, j *judged, a session.Attempt) error {
	step := t.result(w, j.pos, a.Result, a.State == session.Ran)
	row, err := t.ran(ctx, j, a)
	if err != nil {
		return err
	}
	lost, err := t.Store.Do(ctx, t.NewID(), store.EndAttempt(a), store.AppendStep(step), row)
	if err != nil {
		return err
	}
	if lost != nil {
		t.leave("the call was judged by somebody else")
		return nil
	}
	t.appended(step)
	return nil
}

// ran makes the audit row of an outcome. The policy it names is the one by
// which the call was allowed.
func (t *turn) ran(ctx context.Context, j *judged, a session.Attempt) (table.Action, error) {
	row := store.Audit{ID: t.NewID(), Chain: "session#" + t.s.ID, What: "ran", Actor: auditor(t.s), Tool: a.Tool, Digest: a.Digest,
		Item: a.Item, Rule: j.decision.By.String(), Was: string(session.Intended), Is: string(a.State), At: t.Now()}
	if j.item != nil {
		row.Policy = j.item.Policy
		return store.NewAudit(row), nil
	}
	p, err := t.policy(ctx)
	row.Policy = p.Version
	return store.NewAudit(row), err
}

// safely runs a tool; a panic in it is that call's failure.
func (t *turn) safely(ctx context.Context, j *judged, key string) (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the tool broke: %v", p)
		}
	}()
	return t.Tools[j.raw.Tool](ctx, j.call.Arguments, key)
}

func timeout(j *judged) time.Duration {
	if j.tool.Timeout > 0 {
		return j.tool.Timeout
	}
	return 30 * time.Second
}

// enoughFor makes sure that the lease and the invocation outlast the call (S6).
func (t *turn) enoughFor(ctx context.Context, j *judged) (bool, error) {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < timeout(j)+10*time.Second {
		return false, t.pause(ctx, 0, "too little time left in this invocation")
	}
	return true, nil
}
