package turn

import (
	"context"
	"fmt"

	"github.com/postern-dev/postern/shared/domain/catalog"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/permission"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/flow/raise"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// what a call has come to, before it is dealt with.
type fate int

const (
	answer fate = iota // its result is known without running anything
	read               // a cleared read: may run beside others
	act                // consequential and cleared: runs alone, intent first
	own                // a tool of the engine itself
	ask                // an item has to be raised
	wait               // its item is raised
)

// judged is one open call with its fate.
type judged struct {
	pos      int
	call     permission.Call
	raw      session.Call
	tool     catalog.Tool
	decision permission.Decision
	fate     fate
	text     string      // answer: the result
	denied   string      // answer: who refused it, if so (P27)
	item     *inbox.Item // wait, or answer and act after a resolution
	body     *inbox.Body
	begun    *session.Attempt // act: of a grant that was spent before
	ask      raise.Ask        // ask
}

// calls deals with the open calls of the last message, in order (S6): first
// all are authorised and what needs a person is raised, then the cleared ones
// run up to the first that waits, where the turn parks (S9).
func (t *turn) calls(ctx context.Context, w session.Standing) error {
	js, err := t.authorise(ctx, w)
	if err != nil || t.done {
		return err
	}
	if raised, err := t.raise(ctx, js); err != nil || raised {
		return err
	}
	first := &js[0]
	switch first.fate {
	case wait:
		return t.park(ctx, first.item.ID)
	case answer:
		return t.answer(ctx, w, first)
	case read:
		return t.reads(ctx, w, js)
	case own:
		return t.runOwn(ctx, w, first)
	case act:
		return t.attempt(ctx, w, first)
	}
	return fmt.Errorf("call %d of step %d: no fate", first.pos, w.Asked.N)
}

// authorise judges every open call by today's state (P13, P25).
func (t *turn) authorise(ctx context.Context, w session.Standing) ([]judged, error) {
	var js []judged
	for _, pos := range w.Open {
		j := judged{pos: pos, raw: w.Asked.Calls[pos]}
		if err := t.judge(ctx, w, &j); err != nil || t.done {
			return nil, err
		}
		js = append(js, j)
	}
	return js, nil
}

func (t *turn) judge(ctx context.Context, w session.Standing, j *judged) error {
	if j.raw.Bad != "" {
		j.fate, j.text = answer, "The call was not run: "+j.raw.Bad+"."
		return nil
	}
	call, err := permission.NewCall("", j.raw.Tool, j.raw.Arguments)
	if err != nil {
		j.fate, j.text = answer, "The call was not run: "+err.Error()+"."
		return nil
	}
	j.call = call
	j.tool, _ = catalog.Lookup(j.raw.Tool)
	if t.own(j.raw.Tool) {
		return t.judgeOwn(ctx, w, j)
	}
	if _, runs := t.Tools[j.raw.Tool]; !runs {
		j.fate, j.text = answer, fmt.Sprintf("There is no tool %q in this session.", j.raw.Tool)
		return nil
	}
	j.decision = permission.Evaluate(call, t.state())
	switch {
	case j.decision.Outcome == permission.Deny:
		j.fate, j.denied, j.text = answer, session.ByRule, "Denied: "+j.decision.Reason+"."
	case j.decision.Outcome == permission.Allow && !j.decision.Consequential():
		j.fate = read
	case j.decision.Outcome == permission.Allow:
		j.fate = act
	default:
		return t.judgeAsked(ctx, w, j, inbox.ItemID(t.s.ID, w.Asked.N, j.pos, call.Digest))
	}
	return nil
}

// state is what the permission function sees of this session.
func (t *turn) state() permission.State {
	return permission.State{Session: t.s.ID, Mode: permission.Mode(t.s.Mode), Unattended: t.s.Unattended, Now: t.Now()}
}

// judgeAsked finds what became of the item of a call that needs a person.
func (t *turn) judgeAsked(ctx context.Context, w session.Standing, j *judged, id string) error {
	if t.fresh != w.Asked.N {
		x, err := t.item(ctx, id)
		if err != nil {
			return err
		}
		if x.Item != nil && x.Body != nil {
			j.item, j.body, j.begun = x.Item, x.Body, x.Attempt
			t.judgeItem(j)
			return nil
		}
	}
	j.ask = raise.Ask{ID: id, Kind: inbox.Approval, Title: title(j), Tool: j.raw.Tool, Risk: string(j.decision.Effective),
		Digest: j.call.Digest, Run: t.lease.Run, Step: w.Asked.N, Pos: j.pos, Rule: j.decision.By.String(),
		Body: inbox.Body{Text: does(j), Arguments: j.call.Arguments, Why: j.decision.Reason}}
	j.fate = ask
	return nil
}

// item reads an item; the one that the turn began with is read already.
func (t *turn) item(ctx context.Context, id string) (store.Whole, error) {
	if x := t.known; x.Item != nil && x.Item.ID == id {
		t.known = store.Whole{}
		return x, nil
	}
	return t.Store.Whole(ctx, id)
}

// judgeItem turns an item's present state into the call's fate.
func (t *turn) judgeItem(j *judged) {
	switch {
	case !j.item.State.Terminal():
		j.fate = wait
	case j.item.State == inbox.Approved && j.item.Kind == inbox.Approval:
		j.fate = act
	default:
		j.fate, j.text = answer, inbox.ForAgent(*j.item, *j.body)
		if j.item.State == inbox.Denied {
			j.denied = session.ByPerson
		}
	}
}

// answer appends a result that is known, and with it consumes the resolution
// it came from, if any (I7).
func (t *turn) answer(ctx context.Context, w session.Standing, j *judged) error {
	said := j.item != nil && j.denied == "" && (j.item.State == inbox.Answered || j.item.State == inbox.Approved)
	step := t.result(w, j.pos, j.text, said)
	step.Denied = j.denied
	actions := []table.Action{store.AppendStep(step)}
	if j.denied != "" && j.item == nil && j.decision.Consequential() {
		row, err := t.audit(ctx, "denied", j)
		if err != nil {
			return err
		}
		actions = append(actions, row)
	}
	return t.settled(ctx, j, actions, step)
}

// settled commits a call's last step, and with it that the agent has read its
// item's resolution (I7).
func (t *turn) settled(ctx context.Context, j *judged, actions []table.Action, steps ...session.Step) error {
	if j.item != nil {
		actions = append(actions, store.TellItem(*j.item))
	}
	lost, err := t.commit(ctx, actions...)
	if err != nil || t.done {
		return err
	}
	if lost != nil {
		return fmt.Errorf("the result of a call was written by somebody else while the lease was held")
	}
	t.woken(j)
	t.appended(steps...)
	return nil
}

// result makes the result step of one call.
func (t *turn) result(w session.Standing, pos int, text string, ok bool) session.Step {
	return session.Step{Session: t.s.ID, N: w.Next, Role: session.Result, Of: w.Asked.N, Pos: pos,
		From: w.Asked.Calls[pos].Tool, Text: cut(text), OK: ok, At: t.Now()}
}

// audit makes the row of a decision that no item tells of.
func (t *turn) audit(ctx context.Context, what string, j *judged) (table.Action, error) {
	p, err := t.policy(ctx)
	return store.NewAudit(store.Audit{ID: t.NewID(), Chain: "session#" + t.s.ID, What: what, Actor: auditor(t.s), Tool: j.raw.Tool,
		Digest: j.call.Digest, Rule: j.decision.By.String(), Policy: p.Version, Reason: j.decision.Reason,
		Arguments: raise.Redact(j.call.Arguments), At: t.Now()}), err
}

// woken measures how long it took from a person's decision to its agent (D8).
func (t *turn) woken(j *judged) {
	if t.Took != nil && j.item != nil {
		t.Took("decided_to_woken", t.Now().Sub(j.item.Resolved))
	}
}
