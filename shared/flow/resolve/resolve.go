// Package resolve takes a person's answer to an item, exactly once (I4 to I9).
// Every surface comes through here: a click received by the slack or feishu
// function, the panel, the API.
//
// Load, judge (domain/inbox), commit. It calls no provider; what a surface
// then shows comes from the outbox.
package resolve

import (
	"context"
	"fmt"
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store"
)

// Resolver resolves items. Safe for concurrent use.
type Resolver struct {
	Store *store.Store
	Now   func() time.Time
	NewID func() string // unique, sorts by time
}

// Outcome is what became of an answer, told to whoever gave it.
type Outcome struct {
	Result inbox.Result
	Words  string      // one line for a person
	Item   *inbox.Item // as it is now; nil if unknown or not for this actor
}

// Resolve takes one answer. A lost race is an Outcome (Late), not an error; an
// error means that nobody knows whether it was recorded: answer again with the
// same ID and it is recognised (I5).
func (r *Resolver) Resolve(ctx context.Context, a inbox.Answer) (Outcome, error) {
	all, err := r.Store.Whole(ctx, a.Item)
	if err != nil {
		return Outcome{}, fmt.Errorf("resolve %s: %w", a.Item, err)
	}
	x, b := all.Item, all.Body
	if x == nil || b == nil {
		return r.tell(ctx, nil, a, Outcome{Result: inbox.NoItem, Words: "there is no such request here"})
	}
	a.Shown.Place = x.PlaceOf(a.Shown)
	p, err := r.Store.Policy(ctx)
	if err != nil {
		return Outcome{}, fmt.Errorf("resolve %s: %w", a.Item, err)
	}
	now := r.Now()
	v := inbox.Judge(*x, b, a, Who(p, x.Queue), now)
	switch {
	case v.Result == inbox.Won && x.State.Terminal(): // the same answer again
		return Outcome{Result: inbox.Won, Words: inbox.Told(*x), Item: x}, nil
	case v.Result == inbox.Won:
		return r.win(ctx, all, v, a, now)
	case v.Result == inbox.Overdue && !x.State.Terminal():
		return r.overdue(ctx, all, v, a, now)
	}
	out := Outcome{Result: v.Result, Words: v.Reason}
	if v.Result != inbox.Refused {
		out.Item = x
	}
	return r.tell(ctx, x, a, out)
}

// Who is who may answer in a queue under a policy (I12).
func Who(p policy.Policy, queue string) inbox.Approvers {
	refs, from := p.Approvers(queue)
	q, _ := p.Queue(queue)
	return inbox.Approvers{Refs: refs, From: from, NoSelf: q.NoSelf, Policy: p.Version}
}

func (r *Resolver) win(ctx context.Context, all store.Whole, v inbox.Verdict, a inbox.Answer, now time.Time) (Outcome, error) {
	was := *all.Item
	if gone, err := r.deleted(ctx, was); err != nil || gone {
		if err != nil {
			return Outcome{}, fmt.Errorf("resolve %s: %w", a.Item, err)
		}
		return r.tell(ctx, &was, a, Outcome{Result: inbox.Refused, Words: "the session this belongs to was deleted; nothing was done"})
	}
	s := r.Settle(was, v.Next, now)
	s.Evidence = v.Evidence
	s.clicked(all, a.Shown)
	// A commit of its own for every request, also for the same attempt twice at
	// once: the second then meets the row and is recognised by its resolution.
	lost, err := r.Store.Do(ctx, s.id, s.Actions()...)
	if err != nil {
		return Outcome{}, fmt.Errorf("resolve %s: %w", a.Item, err)
	}
	if lost == nil {
		next := v.Next
		next.Version++
		return Outcome{Result: inbox.Won, Words: inbox.Told(next), Item: &next}, nil
	}
	return r.beaten(ctx, all, lost, a, now)
}

// deleted reports whether an item's session is gone: what it asked is not
// answered any more, and nothing of it could be spent (S2).
func (r *Resolver) deleted(ctx context.Context, x inbox.Item) (bool, error) {
	if x.Elsewhere {
		return false, nil
	}
	h, err := r.Store.Head(ctx, x.Session)
	return h == nil || h.Deleted, err
}

// beaten tells the loser who won, from the row that beat the commit, without a
// second read (I5).
func (r *Resolver) beaten(ctx context.Context, all store.Whole, lost *store.Lost, a inbox.Answer, now time.Time) (Outcome, error) {
	x, err := store.DecodeItem(lost.Row(itemAction))
	if err != nil || x == nil {
		return Outcome{}, fmt.Errorf("resolve %s: read the row that beat it: %w", a.Item, err)
	}
	switch {
	case x.Resolution == a.ID: // our own commit, whose reply was lost
		return Outcome{Result: inbox.Won, Words: inbox.Told(*x), Item: x}, nil
	case x.State == inbox.Pending: // it ran out between the reading and the writing
		all.Item = x
		return r.overdue(ctx, all, inbox.Verdict{Result: inbox.Overdue, Reason: "it expired before an answer came", Next: inbox.Expire(*x, now)}, a, now)
	case x.State == inbox.Expired:
		return r.tell(ctx, x, a, Outcome{Result: inbox.Overdue, Words: inbox.Told(*x), Item: x})
	}
	return r.tell(ctx, x, a, Outcome{Result: inbox.Late, Words: inbox.Told(*x), Item: x})
}

// overdue writes the expiry itself, so that lateness lets nothing through
// (I10), and tells the late answerer.
func (r *Resolver) overdue(ctx context.Context, all store.Whole, v inbox.Verdict, a inbox.Answer, now time.Time) (Outcome, error) {
	was := *all.Item
	s := r.Settle(was, v.Next, now)
	s.clicked(all, a.Shown)
	if a.Via == trigger.Slack {
		s.bells = append(s.bells, tellBell(a, v.Reason, was.Correlation))
	}
	lost, err := r.Store.Do(ctx, r.NewID(), s.Actions()...)
	if err != nil {
		return Outcome{}, fmt.Errorf("expire %s: %w", a.Item, err)
	}
	if lost != nil && lost.By(itemAction) {
		return r.beaten(ctx, all, lost, a, now)
	}
	next := v.Next
	return Outcome{Result: inbox.Overdue, Words: v.Reason, Item: &next}, nil
}
