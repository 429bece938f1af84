package queue

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/doorbell"
)

// Receive takes up to max deliverable messages of a queue, the longest due
// first, and hides each for the queue's visibility. Of a FIFO group it gives
// the first message only, and nothing while that one is in flight. A message
// received too often already dies instead (D4).
func (e *Engine) Receive(ctx context.Context, queue string, max int) ([]Received, error) {
	var got []Received
	err := e.change(ctx, false, func(t tx) (err error) {
		got, err = t.receive(queue, max, e.now())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("receive from %s: %w", queue, err)
	}
	return got, nil
}

// receive takes up to max of a queue; fewer means that no more are deliverable.
func (t tx) receive(queue string, max int, now time.Time) (got []Received, err error) {
	for len(got) < max {
		found, err := some(t, max-len(got), readyOf[queue], []any{now.UnixMicro()}, scanMessage)
		if err != nil {
			return nil, err
		}
		died := false
		for _, m := range found {
			r, alive, err := t.take(m, now)
			if err != nil {
				return nil, err
			}
			if alive {
				got = append(got, r)
			}
			died = died || !alive
		}
		if !died { // one that did may have freed its group
			break
		}
	}
	return got, nil
}

// readyOf selects a queue's deliverable messages. The queue's name is in the
// text, and there is no limit: as parameters they would make SQLite plan the
// query again each time.
var readyOf = func() map[string]string {
	m := map[string]string{}
	for name := range Defaults() {
		m[name] = `SELECT seq, queue, coalesce(grp, ''), body, sent, receives FROM message
			WHERE head = 1 AND queue = '` + name + `' AND due <= ?1 ORDER BY due, seq`
	}
	return m
}()

// message is a row that is to be delivered.
type message struct {
	seq, sent, receives int64
	queue, group, body  string
}

func scanMessage(m *message) []any {
	return []any{&m.seq, &m.queue, &m.group, &m.body, &m.sent, &m.receives}
}

// take delivers a message, or lets it die: alive is false.
func (t tx) take(m message, now time.Time) (r Received, alive bool, err error) {
	s := t.e.settings[m.queue]
	if m.receives >= int64(s.MaxReceives) {
		return r, false, t.bury(m, now)
	}
	if _, err := t.exec(`UPDATE message SET receives = receives + 1, due = ?2 WHERE seq = ?1`, m.seq, micros(now.Add(s.Visibility))); err != nil {
		return r, false, err
	}
	return Received{
		Queue: m.queue, ID: strconv.FormatInt(m.seq, 10), Receipt: receipt(m.seq, m.receives+1),
		Group: m.group, Body: m.body, Receives: int(m.receives + 1), Sent: fromMicros(m.sent),
	}, true, nil
}

// receipt names one delivery of a message.
func receipt(seq, receives int64) string { return fmt.Sprintf("%d-%d", seq, receives) }

func parseReceipt(s string) (seq, receives int64, err error) {
	a, b, ok := strings.Cut(s, "-")
	if ok {
		seq, err = strconv.ParseInt(a, 10, 64)
	}
	if err == nil {
		receives, err = strconv.ParseInt(b, 10, 64)
	}
	if !ok || err != nil {
		return 0, 0, fmt.Errorf("not a receipt")
	}
	return seq, receives, nil
}

// Delete removes a received message, and lets the next of its group come. It
// is false, and nothing is removed, if the receipt is no longer that of the
// message: it was received again, or is gone. On a FIFO queue a receipt also
// ends with the time its message was hidden for.
func (e *Engine) Delete(ctx context.Context, receipt string) (bool, error) {
	done, err := e.held(ctx, receipt, func(t tx, m message) error {
		return t.remove(m)
	}, false)
	if err != nil {
		return false, fmt.Errorf("delete: %w", err)
	}
	return done, nil
}

// ChangeVisibility hides a received message for d from now; 0 makes it
// deliverable. It is false, and nothing changes, if the message is not in
// flight by this receipt any more.
func (e *Engine) ChangeVisibility(ctx context.Context, receipt string, d time.Duration) (bool, error) {
	if d < 0 || d > 12*time.Hour {
		return false, fmt.Errorf("change visibility to %s: 0 to 12h", d)
	}
	done, err := e.held(ctx, receipt, func(t tx, m message) error {
		due := micros(e.now().Add(d))
		t.e.soon.by(m.queue, due)
		_, err := t.exec(`UPDATE message SET due = ?2 WHERE seq = ?1`, m.seq, due)
		return err
	}, true)
	if err != nil {
		return false, fmt.Errorf("change visibility: %w", err)
	}
	return done, nil
}

// held does something to the message of a receipt that still counts.
func (e *Engine) held(ctx context.Context, receipt string, do func(tx, message) error, inFlight bool) (done bool, err error) {
	seq, receives, err := parseReceipt(receipt)
	if err != nil {
		return false, err
	}
	err = e.change(ctx, false, func(t tx) error {
		done = false
		m := message{seq: seq}
		var due int64
		found, err := t.row(`SELECT queue, coalesce(grp, ''), receives, due FROM message WHERE seq = ?1`,
			[]any{seq}, []any{&m.queue, &m.group, &m.receives, &due})
		if err != nil || !found || m.receives != receives {
			return err
		}
		if (inFlight || doorbell.Fifo(m.queue)) && due <= e.now().UnixMicro() {
			return nil
		}
		done = true
		return do(t, m)
	})
	if done && err == nil {
		e.ring()
	}
	return done && err == nil, err
}

// remove deletes a message and makes the next of its group the head.
func (t tx) remove(m message) error {
	if _, err := t.exec(`DELETE FROM message WHERE seq = ?1`, m.seq); err != nil || m.group == "" {
		return err
	}
	t.e.soon.by(m.queue, 0)
	_, err := t.exec(`UPDATE message SET head = 1 WHERE seq =
		(SELECT min(seq) FROM message WHERE queue = ?1 AND grp = ?2)`, m.queue, m.group)
	return err
}
