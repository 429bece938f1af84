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
	ask      raise.Ask // ask
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
		x, b, err := t.Store.ItemAndBody(ctx, id)
		if err != nil {
			return err
		}
		if x != nil && b != nil {
			j.item, j.body = x, b
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
		actions = append(actions, t.audit("denied", j, j.decision.By.String(), j.decision.Reason))
	}
	return t.settled(ctx, j, actions, step)
}

// settled commits a call's last step together with the reading of its
// resolution's mail.
func (t *turn) settled(ctx context.Context, j *judged, actions []table.Action, steps ...session.Step) error {
	var mail *session.Mail
	if j.item != nil {
		var err error
		if mail, err = t.resolution(ctx, j.item.ID); err != nil || t.done {
			return err
		}
	}
	if mail != nil {
		actions = append(actions, store.ReadMail(*mail))
	}
	lost, err := t.commit(ctx, actions...)
	if err != nil || t.done {
		return err
	}
	if lost != nil {
		return fmt.Errorf("the result of a call was written by somebody else while the lease was held")
	}
	if mail != nil {
		t.consumed(*mail)
	}
	t.appended(steps...)
	return nil
}

// result makes the result step of one call.
func (t *turn) result(w session.Standing, pos int, text string, ok bool) session.Step {
	return session.Step{Session: t.s.ID, N: w.Next, Role: session.Result, Of: w.Asked.N, Pos: pos,
		From: w.Asked.Calls[pos].Tool, Text: cut(text), OK: ok, At: t.Now()}
}

func (t *turn) audit(what string, j *judged, rule, reason string) table.Action {
	a := store.Audit{ID: t.NewID(), Chain: "session#" + t.s.ID, What: what, Actor: auditor(t.s), Tool: j.raw.Tool,
		Digest: j.call.Digest, Rule: rule, Policy: t.policy.Version, Reason: reason,
		Arguments: raise.Redact(j.call.Arguments), At: t.Now()}
	if j.item != nil {
		a.Item = j.item.ID
	}
	return store.NewAudit(a)
}
