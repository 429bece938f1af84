package queue

import (
	"context"
	"fmt"
	"runtime/debug"
)

// stepped is the most deliverable messages that Step chooses among.
const stepped = 1000

// Step rings the schedules that are due and delivers exactly one deliverable
// message, chosen by Options.Pick, of the queues that have a handler. It
// returns when the handler has. did is false if there was none; a message that
// died instead counts. The error is the engine's, never the handler's, whose
// failure makes the message come again.
func (e *Engine) Step(ctx context.Context, handlers map[string]Handler) (did bool, err error) {
	var r Received
	var alive bool
	err = e.change(ctx, false, func(t tx) error {
		did, alive = false, false
		now := e.now()
		if err := t.fire(now); err != nil {
			return err
		}
		ready, err := t.ready(handlers, now.UnixMicro())
		if err != nil || len(ready) == 0 {
			return err
		}
		did = true
		var m message
		if _, err := t.row(`SELECT seq, queue, coalesce(grp, ''), body, sent, receives FROM message WHERE seq = ?1`,
			[]any{ready[e.pick(len(ready))]}, scanMessage(&m)); err != nil {
			return err
		}
		r, alive, err = t.take(m, now)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("step: %w", err)
	}
	if alive {
		e.settle(ctx, r, guarded(ctx, handlers[r.Queue], r))
	}
	return did, nil
}

// ready lists what is deliverable, the oldest first.
func (t tx) ready(handlers map[string]Handler, now int64) ([]int64, error) {
	type row struct {
		seq   int64
		queue string
	}
	found, err := rows(t, `SELECT seq, queue FROM message WHERE head = 1 AND due <= ?1 ORDER BY seq LIMIT ?2`,
		[]any{now, stepped}, func(r *row) []any { return []any{&r.seq, &r.queue} })
	var seqs []int64
	for _, r := range found {
		if handlers[r.queue] != nil {
			seqs = append(seqs, r.seq)
		}
	}
	return seqs, err
}

// settle ends a delivery: its message is deleted, or comes again.
func (e *Engine) settle(ctx context.Context, r Received, failed error) {
	ctx = context.WithoutCancel(ctx)
	var err error
	switch {
	case failed != nil:
		e.log.Warn("a handler failed; the message comes again", "queue", r.Queue, "message", r.ID, "receives", r.Receives, "error", failed)
		_, err = e.ChangeVisibility(ctx, r.Receipt, e.settings[r.Queue].Retry)
	case !e.lose(r):
		_, err = e.Delete(ctx, r.Receipt)
	}
	if err != nil {
		e.log.Error("a message was not settled; it comes again", "queue", r.Queue, "message", r.ID, "error", err)
	}
}

// guarded runs a handler; one that panics has failed.
func guarded(ctx context.Context, h Handler, r Received) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return h(ctx, r)
}
