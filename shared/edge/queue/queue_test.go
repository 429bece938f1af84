package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/postern-dev/postern/shared/domain/doorbell"
)

// fake keeps what was sent by address, and what is dead.
type fake struct {
	sent    []*sqs.SendMessageInput
	shorts  []*sqs.ChangeMessageVisibilityInput
	dead    []types.Message
	hidden  map[string]bool
	fail    error
	deletes int
}

func (f *fake) SendMessage(_ context.Context, in *sqs.SendMessageInput, _ ...func(*sqs.Options)) (*sqs.SendMessageOutput, error) {
	if f.fail != nil {
		return nil, f.fail
	}
	f.sent = append(f.sent, in)
	return &sqs.SendMessageOutput{}, nil
}

func (f *fake) ChangeMessageVisibility(_ context.Context, in *sqs.ChangeMessageVisibilityInput, _ ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityOutput, error) {
	f.shorts = append(f.shorts, in)
	return &sqs.ChangeMessageVisibilityOutput{}, f.fail
}

func (f *fake) ReceiveMessage(_ context.Context, in *sqs.ReceiveMessageInput, _ ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error) {
	out := &sqs.ReceiveMessageOutput{}
	for _, m := range f.dead {
		if !f.hidden[*m.ReceiptHandle] && len(out.Messages) < int(in.MaxNumberOfMessages) {
			f.hidden[*m.ReceiptHandle] = true
			out.Messages = append(out.Messages, m)
		}
	}
	return out, nil
}

func (f *fake) DeleteMessage(_ context.Context, in *sqs.DeleteMessageInput, _ ...func(*sqs.Options)) (*sqs.DeleteMessageOutput, error) {
	for i, m := range f.dead {
		if *m.ReceiptHandle == *in.ReceiptHandle {
			f.dead = append(f.dead[:i:i], f.dead[i+1:]...)
			f.deletes++
			break
		}
	}
	return &sqs.DeleteMessageOutput{}, nil
}

const address = "https://sqs.example/1/"

func open(t *testing.T) (*fake, *Queue) {
	t.Helper()
	f := &fake{hidden: map[string]bool{}}
	urls := map[string]string{}
	for _, name := range []string{doorbell.Triggers, doorbell.Outbound} {
		urls[name] = address + name + ".fifo"
	}
	urls[doorbell.Turns], urls[doorbell.Wakes] = address+"turns", address+"wakes"
	q, err := New(f, urls, map[string]string{doorbell.Triggers: address + "triggers-dead.fifo", doorbell.Turns: address + "turns-dead"})
	if err != nil {
		t.Fatal(err)
	}
	return f, q
}

func TestD5_FifoKeepsGroupAndDedup(t *testing.T) {
	t.Parallel()
	f, q := open(t)
	long := "github/ün/" + strings.Repeat("x", 200)
	for _, m := range []doorbell.Message{
		{Queue: doorbell.Triggers, Group: "slack/T1/C1/17.1", Dedup: "row-1-0", Body: "{}"},
		{Queue: doorbell.Outbound, Group: long, Dedup: long, Body: "{}"},
	} {
		if err := q.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	first, second := f.sent[0], f.sent[1]
	if *first.QueueUrl != address+"triggers.fifo" || *first.MessageGroupId != "slack/T1/C1/17.1" ||
		*first.MessageDeduplicationId != "row-1-0" || first.DelaySeconds != 0 {
		t.Errorf("sent %+v", first)
	}
	if len(*second.MessageGroupId) > 128 || fit(*second.MessageGroupId) != *second.MessageGroupId ||
		*second.MessageGroupId != fit(long) || fit(long) == fit(long+"y") {
		t.Errorf("sent %+v", second)
	}
}

// W3: delays are for standard queues, and never ring early.
func TestW3_DelayRoundsUp(t *testing.T) {
	t.Parallel()
	f, q := open(t)
	for delay, seconds := range map[time.Duration]int32{0: 0, time.Millisecond: 1, time.Second: 1, 1500 * time.Millisecond: 2, doorbell.MaxDelay: 900} {
		f.sent = nil
		if err := q.Send(t.Context(), doorbell.Message{Queue: doorbell.Wakes, Body: "{}", Delay: delay}); err != nil {
			t.Fatal(err)
		}
		if in := f.sent[0]; in.DelaySeconds != seconds || in.MessageGroupId != nil || in.MessageDeduplicationId != nil {
			t.Errorf("%s: sent %+v", delay, in)
		}
	}
}

func TestD4_RefusesLoudly(t *testing.T) {
	t.Parallel()
	f, q := open(t)
	for name, m := range map[string]doorbell.Message{
		"delay on FIFO":  {Queue: doorbell.Outbound, Group: "g", Dedup: "d", Body: "{}", Delay: time.Second},
		"no group":       {Queue: doorbell.Triggers, Dedup: "d", Body: "{}"},
		"no dedup":       {Queue: doorbell.Triggers, Group: "g", Body: "{}"},
		"no body":        {Queue: doorbell.Turns},
		"body too large": {Queue: doorbell.Turns, Body: strings.Repeat("x", MaxBody+1)},
		"too long":       {Queue: doorbell.Wakes, Body: "{}", Delay: doorbell.MaxDelay + 1},
		"negative":       {Queue: doorbell.Wakes, Body: "{}", Delay: -1},
		"unknown":        {Queue: "other", Body: "{}"},
	} {
		if err := q.Send(t.Context(), m); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if len(f.sent) != 0 {
		t.Errorf("sent %d", len(f.sent))
	}
	f.fail = errors.New("throttled")
	err := q.Send(t.Context(), doorbell.Message{Queue: doorbell.Turns, Body: "a secret body"})
	if !errors.Is(err, f.fail) || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

func TestQ8_New(t *testing.T) {
	t.Parallel()
	for _, urls := range []map[string]string{{doorbell.Turns: ""}, {"other": "x"}} {
		if _, err := New(&fake{}, urls, nil); err == nil {
			t.Errorf("%v accepted", urls)
		}
		if _, err := New(&fake{}, nil, urls); err == nil {
			t.Errorf("dead %v accepted", urls)
		}
	}
	if _, err := New(nil, nil, nil); err == nil {
		t.Error("no client accepted")
	}
}

func TestD4_Shorten(t *testing.T) {
	t.Parallel()
	f, q := open(t)
	if err := q.Shorten(t.Context(), "arn:aws:sqs:eu-west-1:1:triggers.fifo", "r1", 5*time.Second); err != nil {
		t.Fatal(err)
	}
	if in := f.shorts[0]; *in.QueueUrl != address+"triggers.fifo" || *in.ReceiptHandle != "r1" || in.VisibilityTimeout != 5 {
		t.Errorf("got %+v", in)
	}
	for _, arn := range []string{"arn:aws:sqs:eu-west-1:1:other", "", "arn:"} {
		if err := q.Shorten(t.Context(), arn, "r1", time.Second); err == nil {
			t.Errorf("%q: no error", arn)
		}
	}
}

func letter(n int, group string, before int) types.Message {
	m := types.Message{Body: aws.String(fmt.Sprintf("body %d", n)), MessageId: aws.String(fmt.Sprintf("id-%d", n)),
		ReceiptHandle: aws.String(fmt.Sprintf("r-%d", n)), Attributes: map[string]string{},
		MessageAttributes: map[string]types.MessageAttributeValue{"other": {DataType: aws.String("String"), StringValue: aws.String("kept")}}}
	if group != "" {
		m.Attributes["MessageGroupId"] = group
	}
	if before > 0 {
		m.MessageAttributes[redriven] = types.MessageAttributeValue{DataType: aws.String("Number"), StringValue: aws.String(fmt.Sprint(before))}
	}
	return m
}

func TestD4_RedriveOnce(t *testing.T) {
	t.Parallel()
	f, q := open(t)
	for n := range 25 {
		f.dead = append(f.dead, letter(n, "g", n%2)) // each second one was moved before
	}
	n, err := q.RedriveOnce(t.Context(), doorbell.Triggers, 100)
	if err != nil || n != 13 || len(f.dead) != 12 || f.deletes != 13 {
		t.Fatalf("moved %d, %d left, %v", n, len(f.dead), err)
	}
	first := f.sent[0]
	if *first.QueueUrl != address+"triggers.fifo" || *first.MessageGroupId != "g" || *first.MessageDeduplicationId != "redriven-id-0-1" ||
		*first.MessageBody != "body 0" || *first.MessageAttributes[redriven].StringValue != "1" || *first.MessageAttributes["other"].StringValue != "kept" {
		t.Errorf("sent %+v", first)
	}
}

func TestD4_RedriveAny(t *testing.T) {
	t.Parallel()
	f, q := open(t)
	for n := range 5 {
		f.dead = append(f.dead, letter(n, "", 3))
	}
	n, err := q.Redrive(t.Context(), doorbell.Turns, 4)
	if err != nil || n != 4 || len(f.dead) != 1 || *f.sent[0].MessageAttributes[redriven].StringValue != "4" || f.sent[0].MessageGroupId != nil {
		t.Errorf("moved %d, %d left, %v", n, len(f.dead), err)
	}
	if _, err := q.Redrive(t.Context(), doorbell.Wakes, 4); err == nil {
		t.Error("no dead letters' address, no error")
	}
}

// A letter is deleted only after it was sent.
func TestD4_RedriveFailsSafe(t *testing.T) {
	t.Parallel()
	f, q := open(t)
	f.dead, f.fail = []types.Message{letter(1, "g", 0)}, errors.New("throttled")
	if n, err := q.Redrive(t.Context(), doorbell.Triggers, 4); err == nil || n != 0 || len(f.dead) != 1 {
		t.Errorf("moved %d, %d left, %v", n, len(f.dead), err)
	}
}
