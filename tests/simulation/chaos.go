package simulation

import (
	"context"
	"errors"

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
	r, err := c.t.Commit(ctx, tx)
	if err == nil && r.Won() && c.w.fault(1) {
		if c.w.chance(50) { // the engine sends it again by itself
			again, err := c.t.Commit(ctx, tx)
			c.w.counts["resent"]++
			return again, err
		}
		c.w.counts["lost_replies"]++
		return table.Result{}, errNoReply
	}
	pause(ctx) // an invocation may die right after its commit
	return r, err
}
