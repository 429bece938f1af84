// Command dispatch moves outbox rows and does nothing else (O1).
package main

import (
	"context"

	"github.com/postern-dev/postern/functions/wire"
	"github.com/postern-dev/postern/shared/edge/lambda"
	"github.com/postern-dev/postern/shared/flow/dispatch"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/dynamo"
)

func main() {
	b, err := wire.Start("dispatch", Calls)
	wire.Must(err)
	queues, err := b.Queues()
	wire.Must(err)
	timer, err := b.Timer()
	wire.Must(err)
	d := &dispatch.Dispatcher{Store: b.Store, Queue: queues, Timer: timer, Now: wire.Now, NewID: wire.NewID, Log: b.Log}
	lambda.Start(lambda.Handler{Log: b.Log, Row: func(ctx context.Context, c lambda.Change) error {
		if c.Old != nil || c.New == nil {
			return nil
		}
		row, err := dynamo.Image(c.New)
		if err != nil {
			return err
		}
		o, err := store.DecodeOutbox(row)
		if err != nil || o == nil {
			return err
		}
		d.Move(ctx, *o)
		return nil
	}})
}
