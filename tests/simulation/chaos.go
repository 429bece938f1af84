package simulation

import (
	"context"
	"errors"
	"strings"

	"github.com/postern-dev/postern/shared/store/table"
)

// chaos is the table as invocations see it: each call is a place where another
// one may go first, and a commit may throttle, lose its reply, or be the last
// thing an invocation does.
type chaos struct {
	w *World
	t table.Table
}

var (
	errThrottled = errors.New("throttled")
	errNoReply   = errors.New("time-out: nobody knows whether it was written")
)

func (c *chaos) Get(ctx context.Context, k table.Key) (table.Item, error) {
	pause(ctx)
	if c.w.fault(0.2) {
		return nil, errThrottled
	}
	return c.t.Get(ctx, k)
}

func (c *chaos) GetMany(ctx context.Context, ks []table.Key) ([]table.Item, error) {
	pause(ctx)
	if c.w.fault(0.2) {
		return nil, errThrottled
	}
	return c.t.GetMany(ctx, ks)
}

func (c *chaos) Query(ctx context.Context, q table.Query) (table.Page, error) {
	pause(ctx)
	if c.w.fault(0.2) {
		return table.Page{}, errThrottled
	}
	return c.t.Query(ctx, q)
}

func (c *chaos) Commit(ctx context.Context, tx table.Tx) (table.Result, error) {
	pause(ctx)
	if c.w.fault(0.5) {
		return table.Result{}, errThrottled
	}
	c.w.guard.before(tx)
	r, err := c.t.Commit(ctx, tx)
	if errors.Is(err, table.ErrInvalid) {
		c.w.wrong("a commit that no engine takes: %v", err)
	}
	if err != nil {
		return r, err
	}
	c.w.happened(shape(tx, r))
	c.w.tracef("commit by %s: %s", running(ctx).trail(), shape(tx, r))
	if r.Won() {
		c.w.guard.committed(running(ctx), tx)
		if c.w.fault(1) {
			return c.unheard(ctx, tx)
		}
	}
	pause(ctx) // an invocation may die right after its commit
	return r, err
}

// unheard is a commit whose reply was lost: the engine sends it again by
// itself, or gives up.
func (c *chaos) unheard(ctx context.Context, tx table.Tx) (table.Result, error) {
	if c.w.chance(50) {
		pause(ctx)
		c.w.counts["resent"]++
		r, err := c.t.Commit(ctx, tx)
		if err != nil || !r.Won() {
			c.w.wrong("a commit that was sent again lost against itself: %v %v (O6)", r, err)
		}
		return r, err
	}
	c.w.counts["lost_replies"]++
	return table.Result{}, errNoReply
}

// shape names a commit for the digest.
func shape(tx table.Tx, r table.Result) string {
	var b strings.Builder
	b.WriteString(tx.Token)
	for _, a := range tx.Actions {
		if !strings.HasPrefix(a.Key.SK, "ask#") { // several of one commit come in any order
			b.WriteString("|" + a.Key.PK + "/" + a.Key.SK)
		}
	}
	if !r.Won() {
		b.WriteString("|lost")
	}
	return b.String()
}
