package lambda

import (
	"context"
	"strconv"
	"time"
)

// Message is called for each message of a queue. An error means that it may
// work later: the message comes again. What can never work must become stored
// state instead, or it holds up its group until it is a dead letter (D4).
type Message func(ctx context.Context, body string, meta Meta) error

// Meta is what the queue says about a message.
type Meta struct {
	ID       string // of the message
	Queue    string // ARN
	Group    string // of a FIFO queue
	Dedup    string // of a FIFO queue
	Receipt  string
	Receives int // 1 the first time
	Sent     time.Time
}

// Visibility makes a message visible again after d; edge/queue does it.
type Visibility interface {
	Shorten(ctx context.Context, queue, receipt string, d time.Duration) error
}

// message is one record of SQS.
type message struct {
	ID         string            `json:"messageId"`
	Receipt    string            `json:"receiptHandle"`
	Body       string            `json:"body"`
	Attributes map[string]string `json:"attributes"`
	Queue      string            `json:"eventSourceARN"`
}

func (m message) meta() Meta {
	out := Meta{ID: m.ID, Queue: m.Queue, Receipt: m.Receipt,
		Group: m.Attributes["MessageGroupId"], Dedup: m.Attributes["MessageDeduplicationId"]}
	out.Receives, _ = strconv.Atoi(m.Attributes["ApproximateReceiveCount"])
	if ms, err := strconv.ParseInt(m.Attributes["SentTimestamp"], 10, 64); err == nil {
		out.Sent = time.UnixMilli(ms)
	}
	return out
}

// messages handles a batch in order. After a failure the later messages of the
// same group fail untried, so that a group stays in order; other groups go on.
func (h Handler) messages(ctx context.Context, records []record) batch {
	out := batch{Failures: []failure{}}
	behind := map[string]time.Duration{} // groups that failed, and how long they wait
	for _, r := range records {
		meta := r.message.meta()
		wait, failed := behind[meta.Group]
		if meta.Group == "" {
			failed = false
		}
		if !failed {
			err := h.guard(ctx, func() error {
				if err := ctx.Err(); err != nil {
					return err // no time left to begin another
				}
				return h.Queue(ctx, r.Body, meta)
			})
			if err == nil {
				continue
			}
			wait = pause(meta.Receives)
			h.log().WarnContext(ctx, "message failed", "message", meta.ID, "receives", meta.Receives, "error", err)
		}
		if meta.Group != "" {
			behind[meta.Group] = wait
		}
		out.Failures = append(out.Failures, failure{ID: meta.ID})
		h.shorten(ctx, meta, wait)
	}
	return out
}

// pause is how long a message waits after so many receives (D4).
func pause(receives int) time.Duration {
	switch {
	case receives <= 1:
		return 2 * time.Second
	case receives == 2:
		return 5 * time.Second
	case receives == 3:
		return 15 * time.Second
	}
	return 30 * time.Second
}

// shorten does its best: without it the message comes all the same, later.
func (h Handler) shorten(ctx context.Context, meta Meta, wait time.Duration) {
	if h.Visibility == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := h.Visibility.Shorten(ctx, meta.Queue, meta.Receipt, wait); err != nil {
		h.log().WarnContext(ctx, "visibility not shortened", "message", meta.ID, "error", err)
	}
}
