// Command turn runs one turn of a hosted agent (S6 to S9).
package main

import (
	"context"

	"github.com/postern-dev/postern/functions/wire"
	"github.com/postern-dev/postern/shared/edge/lambda"
	"github.com/postern-dev/postern/shared/edge/llm/price"
	"github.com/postern-dev/postern/shared/edge/web"
	"github.com/postern-dev/postern/shared/flow/turn"
	"github.com/postern-dev/postern/shared/store"
)

func main() {
	ctx := context.Background()
	b, err := wire.Start("turn", Calls)
	wire.Must(err)
	queues, err := b.Queues()
	wire.Must(err)
	prices, err := price.Load()
	wire.Must(err)
	e := &turn.Engine{Store: b.Store, Tools: map[string]turn.Tool{"web_fetch": web.New().Fetch},
		Persona: persona, Have: map[string]bool{}, Limits: turn.DefaultLimits, Now: wire.Now, NewID: wire.NewID, Log: b.Log, Count: b.Count, Took: b.Took}
	wire.Must(tools(ctx, b, e))
	lambda.Start(lambda.Handler{Log: b.Log, Visibility: queues,
		Queue: func(ctx context.Context, body string, _ lambda.Meta) error {
			return hear(ctx, *e, models{b: b, prices: prices}, body)
		}})
}

// hear runs the turn that one doorbell rings for; what its models cost is told
// with its session beside it (D8).
func hear(ctx context.Context, e turn.Engine, m models, body string) error {
	bell, err := store.DecodeBell(body)
	if err != nil {
		return err
	}
	m.session = bell.Session
	e.Model = m.find
	return e.Hear(ctx, body)
}

// tools adds the tools of the configured connectors.
func tools(ctx context.Context, b *wire.Base, e *turn.Engine) error {
	slack, err := b.SlackClient(ctx)
	if err != nil {
		return err
	}
	if slack != nil {
		e.Have["connector:slack"], e.Tools["slack_send_message"] = true, slack.SendMessage
	}
	feishu, err := b.FeishuClient(ctx)
	if err != nil {
		return err
	}
	if feishu != nil {
		e.Have["connector:feishu"], e.Tools["feishu_send_message"] = true, feishu.SendMessage
	}
	github, err := b.GitHubClient(ctx)
	if err != nil {
		return err
	}
	if github != nil {
		e.Have["connector:github"], e.Tools["github_comment"], e.Tools["github_read_issue"] = true, github.Comment, github.ReadIssue
	}
	return nil
}

func persona(id, _ string) (turn.Persona, error) {
	p, err := wire.Persona(id)
	return turn.Persona{Prompt: p.Prompt, Capabilities: p.Capabilities()}, err
}
