package turn

import (
	"context"

	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/flow/raise"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// roomPerCommit is how many actions of raised items go into one commit, so
// that lease, outbox and parking fit beside them (O6: 100 at most).
const roomPerCommit = 80

// raise raises the items that open calls need, in order, before any of the
// calls runs (S6). Where the first open call is among them, and they are all,
// the turn parks in the same commit. It reports whether it did anything: the
// calls are then judged again.
func (t *turn) raise(ctx context.Context, js []judged) (bool, error) {
	var actions, bodies []table.Action
	now, did, parks := t.Now(), false, js[0].fate == ask
	for i := range js {
		j := &js[i]
		if j.fate != ask {
			continue
		}
		rules, err := t.policy(ctx)
		if err != nil {
			return false, err
		}
		if why := t.refused(rules, j); why != "" {
			j.fate, j.denied, j.text = answer, session.ByRule, why
			continue
		}
		r := raise.New(t.s, j.ask, rules, t.NewID(), now)
		if len(actions)+len(r.Actions) > roomPerCommit {
			parks = false // not before the rest is raised, in the next round
			break
		}
		actions, bodies, did = append(actions, r.Actions...), append(bodies, r.Body), true
		j.item = &r.Item
	}
	if !did {
		return false, nil
	}
	for _, b := range bodies { // before the commit that names them (S7); one that is there was written by a turn that died
		if _, err := t.Store.Do(ctx, t.NewID(), b); err != nil {
			return false, err
		}
	}
	return true, t.commitRaised(ctx, parks, js[0], actions)
}

func (t *turn) commitRaised(ctx context.Context, parks bool, first judged, actions []table.Action) error {
	id, now := t.NewID(), t.Now()
	if first.begun != nil { // what became of it is asked: nobody may have said so meanwhile
		actions = append(actions, store.SameAttempt(*first.begun))
	}
	t.fresh = 0 // what was raised has to be looked at from now on
	if parks && first.item != nil {
		actions = append([]table.Action{store.GiveBackLease(t.lease, session.Parked, first.item.ID, now)}, actions...)
		lost, err := t.do(ctx, id, actions...)
		if err != nil {
			return err
		}
		if lost == nil {
			t.done = true
			t.Count("parked", "")
			t.log.Info("parked", "item", first.item.ID, "tool", first.item.Tool)
		} else if lost.By(0) {
			t.leave("the lease was lost")
		}
		return nil // any other loss: raised before; judge again
	}
	_, err := t.commit(ctx, actions...)
	return err
}

// refused says why a call may not be asked, or not again, if so (P27, R23).
func (t *turn) refused(rules policy.Policy, j *judged) string {
	if why := raise.Nobody(rules, t.s.Queue); why != "" {
		return "The call was not run: " + why + "."
	}
	if session.Refused(t.steps, j.ask.Run, j.ask.Step, j.raw.Tool, j.raw.Digest) {
		return "A person denied this very call before in this run; it is not asked again."
	}
	return ""
}

// park gives the lease back while a call waits: only while its item is still
// pending, so that a resolution that came first is not slept through (I7, S9).
// still are further conditions of the caller.
func (t *turn) park(ctx context.Context, item string, still ...table.Action) error {
	lost, err := t.do(ctx, t.NewID(),
		append([]table.Action{store.GiveBackLease(t.lease, session.Parked, item, t.Now()), store.PendingItem(item)}, still...)...)
	if err != nil {
		return err
	}
	switch {
	case lost == nil:
		t.done = true
		t.log.Info("parked", "item", item)
	case lost.By(0):
		t.leave("the lease was lost")
	}
	return nil // resolved meanwhile: judge again
}
