// Command feishu is Feishu's entrance: messages become triggers, card clicks
// are resolved and answered with the settled card (O1).
package main

import (
	"context"
	"net/http"

	"github.com/postern-dev/postern/functions/wire"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/edge/feishu"
	"github.com/postern-dev/postern/shared/edge/lambda"
	"github.com/postern-dev/postern/shared/flow/deliver"
	"github.com/postern-dev/postern/shared/flow/ingest"
	"github.com/postern-dev/postern/shared/flow/resolve"
)

func main() {
	ctx := context.Background()
	b, err := wire.Start("feishu", Calls)
	wire.Must(err)
	h, err := handler(ctx, b)
	wire.Must(err)
	lambda.Start(lambda.Handler{HTTP: h, Log: b.Log})
}

func handler(ctx context.Context, b *wire.Base) (http.Handler, error) {
	client, err := b.FeishuClient(ctx)
	if err != nil || client == nil {
		return ingest.NotConfigured(), err
	}
	secrets, _, _, err := b.Feishu(ctx)
	if err != nil {
		return nil, err
	}
	key, err := b.LinkKey(ctx)
	if err != nil {
		return nil, err
	}
	receiver, err := feishu.NewReceiver(secrets, key, wire.Now)
	if err != nil {
		return nil, err
	}
	queues, err := b.Queues()
	if err != nil {
		return nil, err
	}
	public := wire.NewPublic(b.PublicURL)
	cards := &deliver.Deliverer{Store: b.Store, ButtonKey: key, Link: public.Item, Now: wire.Now, NewID: wire.NewID, Log: b.Log, Count: b.Count}
	return public.Learn(&ingest.Handler{Platform: trigger.Feishu, Receiver: receiver.WithBot(client.BotOpenID), Queue: queues,
		Resolver: &resolve.Resolver{Store: b.Store, Now: wire.Now, NewID: wire.NewID},
		Card: func(ctx context.Context, x inbox.Item, at trigger.Place) (*inbox.Card, error) {
			return cards.Card(ctx, x.ID, at)
		},
		Log: b.Log, Count: b.Count, MaxBody: feishu.MaxBody}), nil
}
