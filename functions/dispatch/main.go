// Command dispatch rings the doorbells of rows that changed and does nothing
// else (O1).
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
		was, err := dynamo.Image(c.Old)
		if err != nil {
			return err
		}
		is, err := dynamo.Image(c.New)
		if err != nil {
			return err
		}
		r, err := store.Rings(was, is)
		if err != nil || r == nil {
			return err
		}
		d.Move(ctx, *r)
		return nil
	}})
}
