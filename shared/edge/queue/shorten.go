package queue

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// Shorten makes a received message visible again after d, whole seconds, so
// that a transient failure does not hold its thread up for the queue's whole
// visibility time-out (D4). arn names the queue as the event does.
func (q *Queue) Shorten(ctx context.Context, arn, receipt string, d time.Duration) error {
	name := arn[strings.LastIndexByte(arn, ':')+1:]
	for _, url := range q.urls {
		if name == "" || url[strings.LastIndexByte(url, '/')+1:] != name {
			continue
		}
		_, err := q.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
			QueueUrl: aws.String(url), ReceiptHandle: aws.String(receipt),
			VisibilityTimeout: int32(max(0, d) / time.Second)})
		if err != nil {
			return fmt.Errorf("queue: shorten visibility on %s: %w", name, err)
		}
		return nil
	}
	return fmt.Errorf("queue: shorten visibility: no address is set for %q", name)
}
