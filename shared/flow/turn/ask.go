package turn

import (
	"context"

	"github.com/postern-dev/postern/shared/domain/inbox"
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
	var actions []table.Action
	var bells []store.Bell
	asks := map[string]*earlier{}
	now, did, parks := t.Now(), false, js[0].fate == ask
	for i := range js {
		j := &js[i]
		if j.fate != ask {
			continue
		}
		a, err := t.asked(ctx, asks, j)
		if err != nil {
			return false, err
		}
		if a.refused != "" {
			j.fate, j.denied, j.text = answer, true, a.refused
			continue
		}
		r := raise.New(t.s, j.ask, t.policy, t.NewID(), now)
		if len(actions)+len(r.Actions)+len(asks)+4 > roomPerCommit {
			parks = false // not before the rest is raised, in the next round
			break
		}
		a.asks.Entries = append(a.asks.Entries, store.Ask{Step: j.ask.Step, Pos: j.ask.Pos, Item: j.ask.ID})
		a.more = true
		actions, bells, did = append(actions, r.Actions...), append(bells, r.Bells...), true
		j.item = &r.Item
	}
	if !did {
		return false, nil
	}
	for _, a := range asks {
		if a.more {
			actions = append(actions, store.SaveAsks(a.asks))
		}
	}
	return true, t.commitRaised(ctx, parks, js[0], actions, bells)
}

func (t *turn) commitRaised(ctx context.Context, parks bool, first judged, actions []table.Action, bells []store.Bell) error {
	id, now := t.NewID(), t.Now()
	if len(bells) > 0 {
		actions = append(actions, store.NewOutbox(store.Outbox{ID: id, Bells: bells, Correlation: t.s.Correlation, Created: now}))
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

// earlier is what was asked for a digest in this run.
type earlier struct {
	asks    store.Asks
	refused string // why it may not be asked again
	more    bool   // this commit asks again
}

// asked reads what was asked for a call's digest in this run, once per commit
// however many identical calls there are, and says why it may not be asked
// again, if so (I3, P27, R23).
func (t *turn) asked(ctx context.Context, asks map[string]*earlier, j *judged) (*earlier, error) {
	if why := raise.Nobody(t.policy, t.s.Queue); why != "" {
		return &earlier{refused: "The call was not run: " + why + "."}, nil
	}
	if a := asks[j.ask.Digest]; a != nil {
		return a, nil
	}
	row, err := t.Store.Asks(ctx, t.s.ID, j.ask.Run, j.ask.Digest)
	if err != nil {
		return nil, err
	}
	a := &earlier{asks: row}
	// All that the last message asked: one of several identical calls may have
	// been denied. An earlier message had no denial, or the last had not asked.
	last := len(row.Entries) - 1
	for i := last; i >= 0 && row.Entries[i].Step == row.Entries[last].Step && row.Entries[i].Step != j.ask.Step; i-- {
		x, err := t.Store.Item(ctx, row.Entries[i].Item)
		if err != nil {
			return nil, err
		}
		if x != nil && x.State == inbox.Denied {
			a.refused = "A person denied this very call before in this run; it is not asked again."
			break
		}
	}
	asks[j.ask.Digest] = a
	return a, nil
}

// park gives the lease back while a call waits: only while its item is still
// pending, so that a resolution that came first is not slept through (I7, S9).
func (t *turn) park(ctx context.Context, item string) error {
	lost, err := t.do(ctx, t.NewID(),
		store.GiveBackLease(t.lease, session.Parked, item, t.Now()), store.PendingItem(item))
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
