package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/postern-dev/postern/shared/store"
)

// nothing is a filter that no record passes: what it keeps out is lost.
const nothing = `{"eventName":["NONE"]}`

// loseRecord lets nothing through from the table's stream to dispatch until the
// agent's wake has fired, so that the record of that commit is dropped, then
// opens the stream again and sees that the row is still there.
func (l *levers) loseRecord(ctx context.Context) (string, error) {
	if err := asleep(ctx, l.store); err != nil {
		return "", err
	}
	if err := l.shut(ctx); err != nil {
		return "", err
	}
	row, err := l.fired(ctx)
	if err != nil {
		return "", err
	}
	if err := nap(ctx, 4*time.Second); err != nil { // read, and dropped
		return "", err
	}
	if err := l.open(ctx); err != nil {
		return "", err
	}
	l.open, l.lost = nil, row.Created
	if err := nap(ctx, 4*time.Second); err != nil {
		return "", err
	}
	return "the stream let nothing through to dispatch while the agent's wake fired; it is open again, and the outbox row is still there: nobody rings the turn",
		stillOpen(ctx, l.store, row)
}

// shut gives the stream's mapping the filter, and keeps how to undo it.
func (l *levers) shut(ctx context.Context) error {
	list, err := l.lambda.ListEventSourceMappings(ctx, &lambda.ListEventSourceMappingsInput{FunctionName: aws.String(l.Functions["DispatchFunction"])})
	if err != nil {
		return fmt.Errorf("dispatch's mapping: %w", err)
	}
	if len(list.EventSourceMappings) != 1 || list.EventSourceMappings[0].FilterCriteria == nil {
		return fmt.Errorf("dispatch has %d mappings, or its one has no filter", len(list.EventSourceMappings))
	}
	m := list.EventSourceMappings[0]
	l.open = func(ctx context.Context) error { return l.filter(ctx, m.UUID, m.FilterCriteria) }
	return l.filter(ctx, m.UUID, &types.FilterCriteria{Filters: []types.Filter{{Pattern: aws.String(nothing)}}})
}

func (l *levers) filter(ctx context.Context, id *string, f *types.FilterCriteria) error {
	if _, err := l.lambda.UpdateEventSourceMapping(ctx, &lambda.UpdateEventSourceMappingInput{UUID: id, FilterCriteria: f}); err != nil {
		return fmt.Errorf("the stream's filter: %w", err)
	}
	for range 180 {
		got, err := l.lambda.GetEventSourceMapping(ctx, &lambda.GetEventSourceMappingInput{UUID: id})
		if err != nil {
			return err
		}
		if aws.ToString(got.State) == "Enabled" {
			return nil
		}
		if err := nap(ctx, time.Second); err != nil {
			return err
		}
	}
	return errors.New("the stream's mapping does not become enabled")
}

// fired waits for the open outbox row that a wake's firing left.
func (l *levers) fired(ctx context.Context) (store.Outbox, error) {
	for range 1200 {
		open, err := l.store.StuckOutbox(ctx, time.Now().Add(time.Hour), 10)
		if err != nil {
			return store.Outbox{}, err
		}
		for _, o := range open {
			if len(o.Bells) == 1 && o.Bells[0].Ring == store.RingTurn {
				return o, nil
			}
		}
		if err := nap(ctx, 50*time.Millisecond); err != nil {
			return store.Outbox{}, err
		}
	}
	return store.Outbox{}, errors.New("the agent's wake did not fire")
}

// restore opens the stream if the play ended while it was shut.
func (l *levers) restore(ctx context.Context, until time.Time) {
	if l.open == nil {
		return
	}
	ctx, stop := context.WithDeadline(ctx, until)
	defer stop()
	if err := l.open(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "e2e: the stream of this deployment stays shut:", err)
	}
}
