package queue

import (
	"context"
	"fmt"
	"time"
)

// Dead is a message that was received too often.
type Dead struct {
	Queue    string
	ID       string
	Group    string
	Body     string
	Receives int
	Sent     time.Time
	Died     time.Time
}

// bury moves a message to the dead ones of its queue, which frees its group.
func (t tx) bury(m message, now time.Time) error {
	if _, err := t.exec(`INSERT INTO dead (seq, queue, grp, body, sent, receives, died)
		SELECT seq, queue, grp, body, sent, receives, ?2 FROM message WHERE seq = ?1`, m.seq, micros(now)); err != nil {
		return err
	}
	t.e.log.Warn("a message is dead", "queue", m.queue, "message", m.seq, "receives", m.receives)
	return t.remove(m)
}

// Dead lists up to max dead messages of a queue, the oldest first. They are
// kept until they are redriven.
func (e *Engine) Dead(ctx context.Context, queue string, max int) ([]Dead, error) {
	type row struct {
		d          Dead
		sent, died int64
	}
	var found []row
	err := e.change(ctx, false, func(t tx) (err error) {
		found, err = rows(t, `SELECT queue, seq, coalesce(grp, ''), body, receives, sent, died FROM dead
			WHERE queue = ?1 ORDER BY seq LIMIT ?2`, []any{queue, max}, func(r *row) []any {
			return []any{&r.d.Queue, &r.d.ID, &r.d.Group, &r.d.Body, &r.d.Receives, &r.sent, &r.died}
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the dead of %s: %w", queue, err)
	}
	out := make([]Dead, len(found))
	for i, r := range found {
		out[i] = r.d
		out[i].Sent, out[i].Died = fromMicros(r.sent), fromMicros(r.died)
	}
	return out, nil
}

// Redrive sends up to max dead messages of a queue again, the oldest first, as
// new ones: they are received from the start, and behind what their group holds
// by now. Deduplication does not stop them.
func (e *Engine) Redrive(ctx context.Context, queue string, max int) (int, error) {
	n := 0
	err := e.change(ctx, true, func(t tx) error {
		n = 0
		now := e.now()
		type row struct {
			seq   int64
			group *string
			body  string
		}
		found, err := rows(t, `SELECT seq, grp, body FROM dead WHERE queue = ?1 ORDER BY seq LIMIT ?2`,
			[]any{queue, max}, func(r *row) []any { return []any{&r.seq, &r.group, &r.body} })
		if err != nil {
			return err
		}
		for _, r := range found {
			if err := t.insert(queue, r.group, r.body, now, now); err != nil {
				return err
			}
			if _, err := t.exec(`DELETE FROM dead WHERE seq = ?1`, r.seq); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("redrive %s: %w", queue, err)
	}
	e.ring()
	return n, nil
}

// Release makes every message in flight deliverable at once. It is for a
// process that starts and knows that all who held one are gone.
func (e *Engine) Release(ctx context.Context) error {
	err := e.change(ctx, false, func(t tx) error {
		now := e.now().UnixMicro()
		e.soon.forget()
		_, err := t.exec(`UPDATE message SET due = ?1 WHERE receives > 0 AND due > ?1`, now)
		return err
	})
	if err != nil {
		return fmt.Errorf("release: %w", err)
	}
	e.ring()
	return nil
}

// Depth counts what a queue holds.
type Depth struct {
	Ready    int // deliverable, or waiting behind others of its group
	InFlight int // received and hidden
	Delayed  int
	Dead     int
}

// Depths counts what each queue holds.
func (e *Engine) Depths(ctx context.Context) (map[string]Depth, error) {
	out := map[string]Depth{}
	type row struct {
		queue                     string
		ready, flying, late, dead int
	}
	err := e.change(ctx, false, func(t tx) error {
		found, err := rows(t, `SELECT queue, sum(due <= ?1), sum(due > ?1 AND receives > 0), sum(due > ?1 AND receives = 0), 0
			FROM message GROUP BY queue
			UNION ALL SELECT queue, 0, 0, 0, count(*) FROM dead GROUP BY queue`,
			[]any{e.now().UnixMicro()}, func(r *row) []any {
				return []any{&r.queue, &r.ready, &r.flying, &r.late, &r.dead}
			})
		clear(out)
		for name := range e.settings {
			out[name] = Depth{}
		}
		for _, r := range found {
			d := out[r.queue]
			out[r.queue] = Depth{d.Ready + r.ready, d.InFlight + r.flying, d.Delayed + r.late, d.Dead + r.dead}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("depths: %w", err)
	}
	return out, nil
}
