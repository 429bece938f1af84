package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/cmd/postern/internal/stack"
	"github.com/postern-dev/postern/shared/flow/wake"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/local/queue"
	"github.com/postern-dev/postern/shared/store"
)

// redriven says how many dead letters of each queue were sent again.
type redriven struct {
	Queue string `json:"queue"`
	Moved int    `json:"moved"`
	// Reopened are outbox rows given to the stream again: what a stream record
	// that was given up pointed to.
	Reopened int `json:"reopened,omitempty"`
}

func redriveCommand() *cobra.Command {
	var name string
	var max int
	c := &cobra.Command{Use: "redrive QUEUE|all", Short: "Send dead letters again",
		Long: `Sends the dead letters of a queue again: triggers, turns, outbound or wakes, of
dispatch (pointers to stream records: their rows are moved anew), or of all.

First find out why they died: docs/operations.md has an entry for each queue.
What fails again dies again. A letter sent twice does nothing twice: the row it
is about decides (O3).

Exit code 0 also if there was nothing to send.`,
		ValidArgs: append(slices.Clone(stack.Names), "all"),
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs)}
	out, w := jsonFlag(c), whereFlags(c)
	c.Flags().StringVar(&name, "stack", "", "name of a deployed stack")
	c.Flags().IntVar(&max, "max", 1000, "most messages of one queue")
	c.MarkFlagsMutuallyExclusive("stack", "dir")
	c.MarkFlagsMutuallyExclusive("stack", "table")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if w.table != "" {
			return usage("queues belong to a whole deployment: name its stack with --stack")
		}
		if max < 1 {
			return usage("--max %d: at least 1", max)
		}
		queues := stack.Names
		if args[0] != "all" {
			queues = args
		}
		list, err := redrive(cmd.Context(), name, w, queues, max)
		return errors.Join(rows(out(), list, "Nothing to do.", "QUEUE\tSENT AGAIN\tROWS REOPENED", func(r redriven) []string {
			return []string{r.Queue, fmt.Sprint(r.Moved), fmt.Sprint(r.Reopened)}
		}), err)
	}
	return c
}

func redrive(ctx context.Context, name string, w *where, queues []string, max int) (list []redriven, err error) {
	if name == "" {
		return redriveFolder(ctx, w, queues, max)
	}
	s, err := stack.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	for _, q := range queues {
		r := redriven{Queue: q}
		if q == stack.Dispatch {
			r, err = redriveStream(ctx, s, max)
		} else {
			r.Moved, err = s.Redrive(ctx, q, max)
		}
		list = append(list, r)
		if err != nil {
			return list, err
		}
	}
	return list, nil
}

// redriveStream reopens the rows that nobody moved and forgets the pointers. A
// pointer leads to nothing once its record is a day old; its row tells all.
func redriveStream(ctx context.Context, s *stack.Stack, max int) (redriven, error) {
	r := redriven{Queue: stack.Dispatch}
	table, err := s.Output("TableName")
	if err != nil {
		return r, err
	}
	err = (&where{table: table}).at(ctx, func(p *place) error {
		r.Reopened, err = reopen(ctx, p.Store)
		return err
	})
	if err == nil {
		r.Moved, err = s.ClearDispatch(ctx, max)
	}
	return r, err
}

// reopen swaps outbox rows that nobody moved for new ones, as the reconciler
// does (D5).
func reopen(ctx context.Context, s *store.Store) (n int, err error) {
	stuck, err := s.StuckOutbox(ctx, now().Add(-wake.Late), batch)
	if err != nil {
		return 0, err
	}
	for _, o := range stuck {
		lost, err := s.Do(ctx, newID(), store.ReopenOutbox(o)...)
		if err != nil {
			return n, err
		}
		if lost == nil {
			n++
		}
	}
	return n, nil
}

// redriveFolder is the same for a postern dev. One that runs takes them with
// the next thing that happens, or when it starts again.
func redriveFolder(ctx context.Context, w *where, queues []string, max int) (list []redriven, err error) {
	p, err := w.open(ctx) // there has to be one
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	e, err := queue.Open(filepath.Join(w.dir, "queues.db"), clock.Real{}, queue.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	for _, q := range queues {
		r := redriven{Queue: q}
		if q == stack.Dispatch { // its stream gives nothing up
			continue
		}
		if r.Moved, err = e.Redrive(ctx, q, max); err != nil {
			return list, err
		}
		list = append(list, r)
	}
	return list, nil
}
