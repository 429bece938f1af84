// Package queue rings doorbells on Amazon SQS (D1, D4, D5).
//
// It sends, shortens visibility and redrives dead letters. It must not receive
// from a live queue: Lambda does that. It looks into no body.
package queue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/postern-dev/postern/shared/domain/doorbell"
)

// Client is the part of the SDK's client that is used, and so what a role has
// to allow (D2).
type Client interface {
	SendMessage(context.Context, *sqs.SendMessageInput, ...func(*sqs.Options)) (*sqs.SendMessageOutput, error)
	ChangeMessageVisibility(context.Context, *sqs.ChangeMessageVisibilityInput, ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityOutput, error)
	ReceiveMessage(context.Context, *sqs.ReceiveMessageInput, ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error)
	DeleteMessage(context.Context, *sqs.DeleteMessageInput, ...func(*sqs.Options)) (*sqs.DeleteMessageOutput, error)
}

// Limits of SQS.
const (
	MaxBody = 1 << 20 // bytes
	maxID   = 128     // characters of a group and a deduplication id
)

// Queue sends to the queues it has an address for.
type Queue struct {
	client Client
	urls   map[string]string
	dead   map[string]string
}

// New takes the addresses of the queues by their logical names, and those of
// their dead-letter queues, as far as the function uses them. An unknown name
// or an empty address is an error (Q8).
func New(client Client, urls, dead map[string]string) (*Queue, error) {
	if client == nil {
		return nil, errors.New("queue: no client given")
	}
	for _, addresses := range []map[string]string{urls, dead} {
		for name, url := range addresses {
			if !doorbell.Known(name) {
				return nil, fmt.Errorf("queue: there is no queue %q", name)
			}
			if url == "" {
				return nil, fmt.Errorf("queue: no address for %s", name)
			}
		}
	}
	return &Queue{client: client, urls: urls, dead: dead}, nil
}

// Send rings once. Sending to a FIFO queue twice with one Dedup within five
// minutes rings once. A message that its queue cannot take is an error before
// anything is sent.
func (q *Queue) Send(ctx context.Context, m doorbell.Message) error {
	in, err := q.input(m)
	if err != nil {
		return fmt.Errorf("queue: send to %q: %w", m.Queue, err)
	}
	if _, err := q.client.SendMessage(ctx, in); err != nil {
		return fmt.Errorf("queue: send to %q: %w", m.Queue, err)
	}
	return nil
}

func (q *Queue) input(m doorbell.Message) (*sqs.SendMessageInput, error) {
	url := q.urls[m.Queue]
	in := &sqs.SendMessageInput{QueueUrl: aws.String(url), MessageBody: aws.String(m.Body)}
	switch {
	case url == "":
		return nil, errors.New("no address is set for it")
	case m.Body == "":
		return nil, errors.New("the body is empty")
	case len(m.Body) > MaxBody:
		return nil, fmt.Errorf("the body has %d bytes, more than %d", len(m.Body), MaxBody)
	case m.Delay < 0 || m.Delay > doorbell.MaxDelay:
		return nil, fmt.Errorf("a delay of %s is not between 0 and %s", m.Delay, doorbell.MaxDelay)
	}
	if !doorbell.Fifo(m.Queue) {
		in.DelaySeconds = int32((m.Delay + time.Second - 1) / time.Second) // never early (W3)
		return in, nil
	}
	switch {
	case m.Delay > 0:
		return nil, errors.New("a FIFO queue takes no delay") // SQS would refuse it
	case m.Group == "" || m.Dedup == "":
		return nil, errors.New("a FIFO queue needs a group and a deduplication id")
	}
	in.MessageGroupId, in.MessageDeduplicationId = aws.String(fit(m.Group)), aws.String(fit(m.Dedup))
	return in, nil
}

// fit gives id as it is, or its hash where SQS would not take it: equal ids
// stay equal and no event is lost for its name.
func fit(id string) string {
	ok := len(id) <= maxID
	for i := 0; ok && i < len(id); i++ {
		ok = id[i] > ' ' && id[i] < 0x7f
	}
	if ok {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "sha256-" + hex.EncodeToString(sum[:])
}
