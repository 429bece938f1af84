// Command gate judges triggers: who may start an agent's work (gate.md).
package main

import (
	"context"

	"github.com/postern-dev/postern/functions/wire"
	"github.com/postern-dev/postern/shared/edge/lambda"
	"github.com/postern-dev/postern/shared/flow/gate"
)

func main() {
	b, err := wire.Start("gate", Calls)
	wire.Must(err)
	queues, err := b.Queues()
	wire.Must(err)
	g := &gate.Gate{Store: b.Store, Now: wire.Now, NewID: wire.NewID, Log: b.Log, Count: b.Count, Persona: persona, Model: b.Model}
	lambda.Start(lambda.Handler{Log: b.Log, Visibility: queues,
		Queue: func(ctx context.Context, body string, _ lambda.Meta) error { return g.Hear(ctx, body) }})
}

func persona(id string) (gate.Persona, error) {
	p, err := wire.Persona(id)
	return gate.Persona{ID: p.ID, Version: p.Version}, err
}
