package main

import (
	"context"
	"errors"
	"time"

	"github.com/postern-dev/postern/shared/flow/wake"
	"github.com/postern-dev/postern/shared/store"
)

// missed is how old a row has to be before the reconciler calls it missed, and
// a little more.
const missed = wake.Late + time.Second

// asleep waits until an agent sleeps: its wake is pending, and all that had to
// be rung for it was.
func asleep(ctx context.Context, s *store.Store) error {
	for range 300 {
		waits, err := s.Overdue(ctx, "wake", time.Now().Add(time.Hour), 10)
		if err != nil {
			return err
		}
		open, err := s.StuckOutbox(ctx, time.Now().Add(time.Hour), 10)
		if err != nil {
			return err
		}
		if len(waits) == 1 && len(open) == 0 {
			return nil
		}
		if err := nap(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
	return errors.New("no agent fell asleep")
}

// stillOpen makes sure that nobody moved a row.
func stillOpen(ctx context.Context, s *store.Store, row store.Outbox) error {
	open, err := s.StuckOutbox(ctx, time.Now().Add(time.Hour), 100)
	if err != nil {
		return err
	}
	for _, o := range open {
		if o.ID == row.ID && o.Attempt == row.Attempt {
			return nil
		}
	}
	return errors.New("the record was not lost: its outbox row was moved")
}

func nap(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
