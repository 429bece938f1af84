package queue

import (
	"context"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// redriven counts on the message itself how often it was sent again.
const redriven = "postern-redriven"

// hold is how long, in seconds, nobody else sees a dead letter that is being
// moved.
const hold = 60

// Redrive sends up to max dead letters of a queue again, as new messages
// behind what their group holds by now, and says how many. What dies between
// sending and deleting is sent again with the same deduplication id.
func (q *Queue) Redrive(ctx context.Context, queue string, max int) (int, error) {
	return q.redrive(ctx, queue, max, false)
}

// RedriveOnce moves only those that were never sent again before, which is
// what the reconciler may do by itself (D4); the others stay where they are.
func (q *Queue) RedriveOnce(ctx context.Context, queue string, max int) (int, error) {
	return q.redrive(ctx, queue, max, true)
}

func (q *Queue) redrive(ctx context.Context, queue string, max int, once bool) (moved int, err error) {
	from, to := q.dead[queue], q.urls[queue]
	if from == "" || to == "" {
		return 0, fmt.Errorf("queue: redrive %q: its address or its dead letters' is not set", queue)
	}
	for seen := 0; seen < max; {
		out, err := q.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
			QueueUrl: aws.String(from), MaxNumberOfMessages: int32(min(10, max-seen)),
			VisibilityTimeout: hold, WaitTimeSeconds: 1, // 1: asks all of SQS's servers
			MessageAttributeNames:       []string{"All"},
			MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameMessageGroupId},
		})
		if err != nil {
			return moved, fmt.Errorf("queue: redrive %q: receive: %w", queue, err)
		}
		if len(out.Messages) == 0 {
			return moved, nil
		}
		for _, m := range out.Messages {
			seen++
			before := times(m)
			if once && before > 0 {
				continue
			}
			if err := q.move(ctx, from, to, m, before+1); err != nil {
				return moved, fmt.Errorf("queue: redrive %q: %w", queue, err)
			}
			moved++
		}
	}
	return moved, nil
}

func (q *Queue) move(ctx context.Context, from, to string, m types.Message, time int) error {
	attributes := map[string]types.MessageAttributeValue{}
	for name, value := range m.MessageAttributes {
		attributes[name] = value
	}
	attributes[redriven] = types.MessageAttributeValue{DataType: aws.String("Number"), StringValue: aws.String(strconv.Itoa(time))}
	in := &sqs.SendMessageInput{QueueUrl: aws.String(to), MessageBody: m.Body, MessageAttributes: attributes}
	if group := m.Attributes[string(types.MessageSystemAttributeNameMessageGroupId)]; group != "" {
		in.MessageGroupId = aws.String(group)
		in.MessageDeduplicationId = aws.String(fit("redriven-" + aws.ToString(m.MessageId) + "-" + strconv.Itoa(time)))
	}
	if _, err := q.client.SendMessage(ctx, in); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	if _, err := q.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{
		QueueUrl: aws.String(from), ReceiptHandle: m.ReceiptHandle}); err != nil {
		return fmt.Errorf("delete the dead letter: %w", err)
	}
	return nil
}

func times(m types.Message) int {
	n, _ := strconv.Atoi(aws.ToString(m.MessageAttributes[redriven].StringValue))
	return n
}
