package stack

import (
	"context"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/edge/queue"
)

// Dispatch is the dead-letter queue of the stream, which has no queue.
const Dispatch = "dispatch"

// outputs of the queues, by name, without "QueueUrl".
var outputs = map[string]string{doorbell.Triggers: "Triggers", doorbell.Outbound: "Outbound", doorbell.Turns: "Turns", doorbell.Wakes: "Wakes", Dispatch: "Dispatch"}

// Names are the queues that have dead letters.
var Names = []string{doorbell.Triggers, doorbell.Outbound, doorbell.Turns, doorbell.Wakes, Dispatch}

// Depth counts what a queue holds, about.
type Depth struct{ Ready, InFlight, Delayed, Dead int }

// Depths asks each queue.
func (s *Stack) Depths(ctx context.Context) (map[string]Depth, error) {
	client, all := sqs.NewFromConfig(s.AWS), map[string]Depth{}
	for _, name := range Names {
		var d Depth
		if name != Dispatch {
			a, err := s.attributes(ctx, client, outputs[name]+"QueueUrl")
			if err != nil {
				return nil, err
			}
			d.Ready, d.InFlight, d.Delayed = a[0], a[1], a[2]
		}
		a, err := s.attributes(ctx, client, outputs[name]+"DeadQueueUrl")
		if err != nil {
			return nil, err
		}
		d.Dead = a[0] + a[1]
		all[name] = d
	}
	return all, nil
}

var counted = []types.QueueAttributeName{types.QueueAttributeNameApproximateNumberOfMessages,
	types.QueueAttributeNameApproximateNumberOfMessagesNotVisible, types.QueueAttributeNameApproximateNumberOfMessagesDelayed}

// attributes counts what is visible, hidden and delayed.
func (s *Stack) attributes(ctx context.Context, client *sqs.Client, output string) (n [3]int, err error) {
	url, err := s.Output(output)
	if err != nil {
		return n, err
	}
	out, err := client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: aws.String(url), AttributeNames: counted})
	if err != nil {
		return n, fmt.Errorf("queue %s: %w", url, err)
	}
	for i, name := range counted {
		n[i], _ = strconv.Atoi(out.Attributes[string(name)]) // left out: none
	}
	return n, nil
}

// Redrive sends a queue's dead letters again, at most max, and says how many.
func (s *Stack) Redrive(ctx context.Context, name string, max int) (int, error) {
	url, err := s.Output(outputs[name] + "QueueUrl")
	if err != nil {
		return 0, err
	}
	dead, err := s.Output(outputs[name] + "DeadQueueUrl")
	if err != nil {
		return 0, err
	}
	q, err := queue.New(sqs.NewFromConfig(s.AWS), map[string]string{name: url}, map[string]string{name: dead})
	if err != nil {
		return 0, err
	}
	return q.Redrive(ctx, name, max)
}

// ClearDispatch deletes the pointers to stream records that dispatch gave up,
// at most max. The records are gone or done: their rows say what is open.
func (s *Stack) ClearDispatch(ctx context.Context, max int) (int, error) {
	url, err := s.Output("DispatchDeadQueueUrl")
	if err != nil {
		return 0, err
	}
	client, n := sqs.NewFromConfig(s.AWS), 0
	for n < max {
		out, err := client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: aws.String(url), MaxNumberOfMessages: int32(min(10, max-n)), WaitTimeSeconds: 1})
		if err != nil {
			return n, fmt.Errorf("queue %s: receive: %w", url, err)
		}
		if len(out.Messages) == 0 {
			break
		}
		for _, m := range out.Messages {
			if _, err := client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: aws.String(url), ReceiptHandle: m.ReceiptHandle}); err != nil {
				return n, fmt.Errorf("queue %s: delete: %w", url, err)
			}
			n++
		}
	}
	return n, nil
}
