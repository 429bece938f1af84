package turn

import (
	"context"
	"fmt"
	"time"

	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// begin takes the lease and reads the transcript. It returns nil where there
// is no turn to run: the session is gone, another turn runs, or it is parked
// on an item that still waits (its mail waits with it, S9).
func (e *Engine) begin(ctx context.Context, sid string) (*turn, error) {
	s, l, err := e.Store.Leased(ctx, sid)
	if err != nil || s == nil || l == nil || s.Deleted || l.Deleted {
		return nil, err
	}
	now := e.Now()
	if !l.Until.Before(now) {
		return nil, nil
	}
	t := &turn{Engine: e, s: *s, log: e.Log.With("session", sid, "correlation", s.Correlation)}
	switch l.State {
	case session.Parked:
		x, err := e.Store.Whole(ctx, l.Item)
		if err != nil || (x.Item != nil && !x.Item.State.Terminal()) {
			return nil, err
		}
		t.known = x
	case session.Idle, session.Sleeping:
		if t.mail, err = e.Store.Mail(ctx, sid); err != nil || len(t.mail) == 0 {
			return nil, err
		}
	}
	id := e.NewID()
	lease, take := store.TakeLease(*l, id, "r-"+id, now)
	lost, err := e.Store.Do(ctx, id, take)
	if err != nil || lost != nil {
		return nil, err // lost: another turn took it, and reads the same mail
	}
	t.lease = lease
	if t.steps, err = e.Store.Transcript(ctx, sid); err != nil {
		t.release(ctx)
	}
	return t, err
}

// release gives the lease back after a failure, if it can: the doorbell comes
// again within seconds (D4), and would find it held by nobody who runs.
func (t *turn) release(ctx context.Context) {
	if t.done {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if _, err := t.Store.Do(ctx, t.NewID(), store.ReleaseLease(t.lease, t.Now())); err != nil {
		t.log.Warn("lease not given back; it runs out", "error", err)
	}
}

// commit writes a step's actions under the lease: action 0 renews it when half
// of it is gone, else checks it (S3). It reports whether the commit won; when
// the lease was lost the turn is over. Other losses are the caller's to read.
func (t *turn) commit(ctx context.Context, actions ...table.Action) (*store.Lost, error) {
	now := t.Now()
	hold := store.HoldLease(t.lease)
	renewed := t.lease
	if t.lease.Until.Sub(now) < session.LeaseTime/2 {
		hold = store.RenewLease(&renewed, now)
		renewed.Version++
	}
	lost, err := t.do(ctx, t.NewID(), append([]table.Action{hold}, actions...)...)
	if err != nil {
		return nil, err
	}
	if lost.By(0) {
		t.leave("the lease was lost")
		return lost, nil
	}
	if lost == nil {
		t.lease = renewed
	}
	return lost, nil
}

// do commits actions of which the first writes or checks the lease, and with
// them what the model said last, if that is not written yet (S7). A turn that
// dies before it asks the model again.
func (t *turn) do(ctx context.Context, token string, actions ...table.Action) (*store.Lost, error) {
	if t.said != nil {
		actions = append(actions, store.AppendStep(*t.said))
	}
	lost, err := t.Store.Do(ctx, token, actions...)
	if err != nil || t.said == nil {
		return lost, err
	}
	switch {
	case lost == nil:
		t.said = nil
	case lost.By(len(actions)-1) && !lost.By(0):
		return lost, fmt.Errorf("step %d was written by somebody else while the lease was held", t.said.N)
	}
	return lost, nil
}

// leave ends the turn without writing: somebody else goes on with it.
func (t *turn) leave(why string) {
	t.done = true
	t.log.Info("turn left", "why", why)
}

// policy reads the deployment's policy, once in a turn.
func (t *turn) policy(ctx context.Context) (policy.Policy, error) {
	if t.rules == nil {
		p, err := t.Store.Policy(ctx)
		if err != nil {
			return p, err
		}
		t.rules = &p
	}
	return *t.rules, nil
}

// appendSteps keeps what was committed in mind.
func (t *turn) appended(steps ...session.Step) { t.steps = append(t.steps, steps...) }

// reload reads the mailbox, or again; the head first, so that what comes
// between the two reads is read again rather than missed.
func (t *turn) reload(ctx context.Context) error {
	h, err := t.Store.Head(ctx, t.s.ID)
	if err != nil {
		return err
	}
	if h == nil || h.Deleted {
		t.leave("the session was deleted")
		return nil
	}
	if t.head != nil && h.Seq == t.head.Seq {
		return nil
	}
	t.head, t.mail = h, nil
	if h.Seq == t.lease.Read {
		return nil
	}
	if t.mail, err = t.Store.Mail(ctx, t.s.ID); err != nil {
		return err
	}
	t.allRead()
	return nil
}

// allRead notes how much of the mailbox was read, if there is nothing more in
// it. The next commit that writes the lease keeps it.
func (t *turn) allRead() {
	if t.head != nil && len(t.mail) == 0 {
		t.lease.Read = t.head.Seq
	}
}
