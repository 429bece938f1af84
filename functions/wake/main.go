// Command wake fires wakes, and every five minutes finds what was missed (W2,
// W8).
package main

import (
	"context"
	"errors"
	"time"

	"github.com/postern-dev/postern/functions/wire"
	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/edge/lambda"
	"github.com/postern-dev/postern/shared/edge/queue"
	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/flow/wake"
)

func main() {
	b, err := wire.Start("wake", Calls)
	wire.Must(err)
	queues, err := b.Queues()
	wire.Must(err)
	w := &wake.Waker{Store: b.Store, Resolver: &resolve.Resolver{Store: b.Store, Now: wire.Now, NewID: wire.NewID},
		Now: wire.Now, NewID: wire.NewID, Log: b.Log, Count: b.Count, Gauge: b.Gauge,
		GitHub: func(ctx context.Context) (wake.Redeliverer, error) { return redeliverer(ctx, b) }}
	lambda.Start(lambda.Handler{Log: b.Log, Visibility: queues,
		Queue: func(ctx context.Context, body string, _ lambda.Meta) error { return w.Hear(ctx, body) },
		Tick:  func(ctx context.Context, _ time.Time) error { return tick(ctx, b, w, queues) }})
}

// tick is one pass of the reconciler; the triggers' dead letters are sent
// again once (D4).
func tick(ctx context.Context, b *wire.Base, w *wake.Waker, queues *queue.Queue) error {
	_, err := w.Reconcile(ctx)
	n, again := queues.RedriveOnce(ctx, doorbell.Triggers, 50)
	if n > 0 {
		b.Log.Warn("dead triggers sent again", "count", n)
	}
	return errors.Join(err, again)
}

// redeliverer is GitHub's, nil where there is no App: a plain token has no list
// of deliveries. Its secret is read by the first pass and not at the start, so
// that no timer waits for GitHub's key.
func redeliverer(ctx context.Context, b *wire.Base) (wake.Redeliverer, error) {
	c, err := b.GitHubClient(ctx)
	if err != nil || c == nil {
		return nil, err
	}
	if r, ok := c.Redelivery(); ok {
		return r, nil
	}
	return nil, nil
}
