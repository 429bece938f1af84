// Command deliver makes places show what is: cards, replies, private words
// (I23).
package main

import (
	"context"
	"crypto/rand"

	"github.com/postern-dev/postern/functions/wire"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/edge/lambda"
	"github.com/postern-dev/postern/shared/flow/deliver"
)

func main() {
	ctx := context.Background()
	b, err := wire.Start("deliver", Calls)
	wire.Must(err)
	queues, err := b.Queues()
	wire.Must(err)
	key, err := b.LinkKey(ctx)
	wire.Must(err)
	public := wire.NewPublic(b.PublicURL)
	d := &deliver.Deliverer{Store: b.Store, Surfaces: map[string]deliver.Surface{}, ButtonKey: key,
		Link: public.Item, SignIn: public.SignIn, Secret: rand.Text, Now: wire.Now, NewID: wire.NewID, Log: b.Log, Count: b.Count}
	wire.Must(surfaces(ctx, b, d))
	lambda.Start(lambda.Handler{Log: b.Log, Visibility: queues,
		Queue: func(ctx context.Context, body string, _ lambda.Meta) error { return d.Hear(ctx, body) }})
}

// surfaces adds the configured platforms.
func surfaces(ctx context.Context, b *wire.Base, d *deliver.Deliverer) error {
	slack, err := b.SlackClient(ctx)
	if err != nil {
		return err
	}
	if slack != nil {
		d.Surfaces[trigger.Slack] = slack
	}
	feishu, err := b.FeishuClient(ctx)
	if err != nil {
		return err
	}
	if feishu != nil {
		d.Surfaces[trigger.Feishu] = feishu
	}
	github, err := b.GitHubClient(ctx)
	if err != nil {
		return err
	}
	if github != nil {
		d.Surfaces[trigger.GitHub] = github
	}
	return nil
}
