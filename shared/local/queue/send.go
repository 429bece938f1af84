package queue

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/postern-dev/postern/shared/domain/doorbell"
)

// DedupWindow is how long a deduplication id of a FIFO queue counts, from its
// first message's acceptance (D5).
const DedupWindow = 5 * time.Minute

// What SQS takes.
const (
	maxBody = 1 << 20 // bytes
	maxID   = 128     // characters of a group or deduplication id
)

// Send accepts a message: from its return on nothing loses it. On a FIFO queue
// an id that was sent within DedupWindow is accepted and makes no message. What
// SQS would refuse is an error.
func (e *Engine) Send(ctx context.Context, m doorbell.Message) error {
	if err := refuse(m); err != nil {
		return fmt.Errorf("send to %s: %w", m.Queue, err)
	}
	now := e.now()
	err := e.change(ctx, true, func(t tx) error {
		if !doorbell.Fifo(m.Queue) {
			return t.insert(m.Queue, nil, m.Body, now, now.Add(m.Delay))
		}
		fresh, err := t.claim(m.Queue, m.Dedup, now)
		if err != nil || !fresh {
			return err
		}
		return t.insert(m.Queue, m.Group, m.Body, now, now)
	})
	if err != nil {
		return fmt.Errorf("send to %s: %w", m.Queue, err)
	}
	e.ring()
	return nil
}

// insert appends a message. In a group it is head if nothing is before it.
func (t tx) insert(queue string, group any, body string, sent, due time.Time) error {
	t.e.soon.by(queue, micros(due))
	_, err := t.exec(`INSERT INTO message (queue, grp, body, sent, due, head) VALUES (?1, ?2, ?3, ?4, ?5,
		NOT EXISTS (SELECT 1 FROM message WHERE queue = ?1 AND grp = ?2))`,
		queue, group, body, micros(sent), micros(due))
	return err
}

// claim takes a deduplication id; false if it is taken.
func (t tx) claim(queue, id string, now time.Time) (bool, error) {
	old := micros(now.Add(-DedupWindow))
	if t.e.swept++; t.e.swept >= 1000 {
		t.e.swept = 0
		if _, err := t.exec(`DELETE FROM dedup WHERE sent <= ?1`, old); err != nil {
			return false, err
		}
	}
	n, err := t.exec(`INSERT INTO dedup (queue, id, sent) VALUES (?1, ?2, ?3)
		ON CONFLICT (queue, id) DO UPDATE SET sent = excluded.sent WHERE sent <= ?4`,
		queue, id, micros(now), old)
	return n > 0, err
}

// refuse says what SQS does not take of a message.
func refuse(m doorbell.Message) error {
	fifo := doorbell.Fifo(m.Queue)
	switch {
	case !doorbell.Known(m.Queue):
		return fmt.Errorf("no such queue")
	case fifo && (m.Group == "" || m.Dedup == ""):
		return fmt.Errorf("a FIFO message needs a group and a deduplication id")
	case fifo && (!plainID(m.Group) || !plainID(m.Dedup)):
		return fmt.Errorf("group and deduplication id are at most %d plain characters", maxID)
	case fifo && m.Delay != 0:
		return fmt.Errorf("a FIFO message takes no delay")
	case !fifo && (m.Group != "" || m.Dedup != ""):
		return fmt.Errorf("a standard queue takes no group and no deduplication id")
	case m.Delay < 0 || m.Delay > doorbell.MaxDelay || m.Delay%time.Second != 0:
		return fmt.Errorf("a delay of %s: whole seconds up to %s", m.Delay, doorbell.MaxDelay)
	}
	return refuseBody(m.Body, maxBody)
}

func refuseBody(body string, most int) error {
	if body == "" || len(body) > most {
		return fmt.Errorf("a body of %d bytes: 1 to %d", len(body), most)
	}
	if !utf8.ValidString(body) {
		return fmt.Errorf("the body is not UTF-8")
	}
	for _, r := range body {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return fmt.Errorf("the body holds the character %U", r)
		}
	}
	return nil
}

// plainID: letters, digits and ASCII punctuation.
func plainID(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return len(s) <= maxID
}
