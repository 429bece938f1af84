// Command slack is Slack's entrance: events become triggers, clicks are
// resolved (O1).
package main

import (
	"context"
	"net/http"

	"github.com/postern-dev/postern/functions/wire"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/edge/lambda"
	"github.com/postern-dev/postern/shared/edge/slack"
	"github.com/postern-dev/postern/shared/flow/ingest"
	"github.com/postern-dev/postern/shared/flow/resolve"
)

func main() {
	ctx := context.Background()
	b, err := wire.Start("slack", Calls)
	wire.Must(err)
	h, err := handler(ctx, b)
	wire.Must(err)
	lambda.Start(lambda.Handler{HTTP: h, Log: b.Log})
}

func handler(ctx context.Context, b *wire.Base) (http.Handler, error) {
	secrets, _, ok, err := b.Slack(ctx)
	if err != nil || !ok {
		return ingest.NotConfigured(), err
	}
	key, err := b.LinkKey(ctx)
	if err != nil {
		return nil, err
	}
	receiver, err := slack.NewReceiver(secrets, key, wire.Now)
	if err != nil {
		return nil, err
	}
	queues, err := b.Queues()
	if err != nil {
		return nil, err
	}
	return &ingest.Handler{Platform: trigger.Slack, Receiver: receiver, Queue: queues,
		Resolver: &resolve.Resolver{Store: b.Store, Now: wire.Now, NewID: wire.NewID},
		Log:      b.Log, Count: b.Count, MaxBody: slack.MaxBody}, nil
}
