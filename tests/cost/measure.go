package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/postern-dev/postern/shared/store/table"
	"github.com/postern-dev/postern/shared/store/table/tablecount"
)

// measured is what was counted; of round trips the mean of several.
type measured struct {
	Trips  int              `json:"trips"`
	Table  tablecount.Count `json:"table"`
	Uses   []used           `json:"uses"`
	Queues []queued         `json:"queues"`
	Series int              `json:"series"` // custom metrics written by a round trip
	Idle   idle             `json:"idle"`
}

// queued is the requests to one queue.
type queued struct {
	Stage string `json:"stage"`
	Queue string `json:"queue"`
	N     int    `json:"n"`
}

// idle is one pass of the reconciler over a table at rest, and what an agent
// at rest stores.
type idle struct {
	Requests int     `json:"requests"`
	Reads    float64 `json:"read_units"`
	Lines    int     `json:"lines"`
	Bytes    int     `json:"bytes"`
	AgentKB  float64 `json:"agent_kb"` // the rows of one session that is at rest
}

var errUneven = errors.New("round trips differ")

// measure plays so many round trips in one world.
func measure(ctx context.Context, trips int) (measured, error) {
	w, err := newWorld()
	if err != nil {
		return measured{}, err
	}
	defer w.close()
	w.table.Reset() // the policy of the first start
	out := measured{Trips: trips}
	var first tablecount.Units
	for i := range trips {
		if err := w.trip(ctx); err != nil {
			return out, fmt.Errorf("round trip %d: %w", i+1, err)
		}
		sum := w.table.Count().Sum(func(r tablecount.Row) bool { return within(stageOf(r.Phase)) })
		if i == 0 {
			first = sum
		} else if n := float64(i + 1); sum != (tablecount.Units{Write: first.Write * n, Index: first.Index * n, Read: first.Read * n}) {
			return out, fmt.Errorf("%w: %+v after %d, %+v after the first", errUneven, sum, i+1, first)
		}
	}
	out.Table, out.Uses = w.table.Count(), w.meter.all()
	for k, n := range w.meter.queues {
		out.Queues = append(out.Queues, queued{k[0], k[1], n})
	}
	sortQueues(out.Queues)
	out.Series = len(w.meter.series)
	return out, w.rest(ctx, &out.Idle)
}

// rest measures what happens while nothing does.
func (w *world) rest(ctx context.Context, out *idle) error {
	w.clock.Advance(10 * time.Minute)
	w.table.Reset()
	w.meter.enter("idle", "wake")
	finds, err := w.Waker.Reconcile(ctx)
	if err != nil {
		return err
	}
	if n := finds.Missed() + finds.Expired; n != 0 {
		return fmt.Errorf("a world at rest has %d things undone: %+v", n, finds)
	}
	count := w.table.Count()
	out.Requests, out.Reads = count.Requests(""), count.Sum(nil).Read
	for _, u := range w.meter.all() {
		if u.Stage == "idle" {
			out.Lines, out.Bytes = u.Lines, u.Bytes
		}
	}
	sessions, _, err := w.Store.Sessions(ctx, "", 1)
	if err != nil || len(sessions) == 0 {
		return fmt.Errorf("no session to weigh: %w", err)
	}
	page, err := w.DB.Query(ctx, table.Query{PK: "session#" + sessions[0].ID, Limit: table.MaxPage})
	if err != nil {
		return err
	}
	for _, row := range page.Items {
		out.AgentKB += float64(table.SizeOf(row)+100) / 1024
	}
	return nil
}
