// Command github is GitHub's entrance: issues, pull requests and comments
// become triggers (O1).
package main

import (
	"context"
	"net/http"

	"github.com/postern-dev/postern/functions/wire"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/edge/github"
	"github.com/postern-dev/postern/shared/edge/lambda"
	"github.com/postern-dev/postern/shared/flow/ingest"
	"github.com/postern-dev/postern/shared/flow/resolve"
)

func main() {
	ctx := context.Background()
	b, err := wire.Start("github", Calls)
	wire.Must(err)
	h, err := handler(ctx, b)
	wire.Must(err)
	lambda.Start(lambda.Handler{HTTP: h, Log: b.Log})
}

func handler(ctx context.Context, b *wire.Base) (http.Handler, error) {
	secrets, _, ok, err := b.GitHub(ctx)
	if err != nil || !ok {
		return ingest.NotConfigured(), err
	}
	receiver, err := github.NewReceiver(secrets, nil, wire.Now)
	if err != nil {
		return nil, err
	}
	queues, err := b.Queues()
	if err != nil {
		return nil, err
	}
	return &ingest.Handler{Platform: trigger.GitHub, Receiver: receiver, Queue: queues,
		Resolver: &resolve.Resolver{Store: b.Store, Now: wire.Now, NewID: wire.NewID},
		Log:      b.Log, Count: b.Count, MaxBody: github.MaxBody}, nil
}
