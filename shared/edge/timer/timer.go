// Package timer sets one-time schedules of EventBridge Scheduler that ring a
// queue (W3, D6).
//
// A schedule is only a doorbell: the wake's row decides whether a ring counts.
// It must not list schedules or know what a body says.
package timer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/scheduler/types"
)

// Client is the part of the SDK's client that is used (D2).
type Client interface {
	CreateSchedule(context.Context, *scheduler.CreateScheduleInput, ...func(*scheduler.Options)) (*scheduler.CreateScheduleOutput, error)
	DeleteSchedule(context.Context, *scheduler.DeleteScheduleInput, ...func(*scheduler.Options)) (*scheduler.DeleteScheduleOutput, error)
}

// Config says what schedules are made of. All is required.
type Config struct {
	Group  string // the schedule group
	Role   string // ARN of the role that may send to Queue and Dead
	Queue  string // ARN of the wakes queue
	Dead   string // ARN of the queue for rings that could not be delivered
	Client Client
	Now    func() time.Time
}

// ErrPast is a time that is not in the future: ring by a message instead.
// Scheduler's answer to such a time is not documented (D6).
var ErrPast = errors.New("timer: the time is not in the future")

// Limits of Scheduler, and ours.
const (
	maxInput = 256 << 10 // bytes
	retryAge = 3600      // seconds; the default would ring a day late
	retries  = 10
)

var name = regexp.MustCompile(`^[0-9a-zA-Z_.-]{1,64}$`)

// Timer sets and cancels schedules.
type Timer struct{ c Config }

// New checks that nothing is missing (Q8).
func New(c Config) (*Timer, error) {
	for what, value := range map[string]string{"group": c.Group, "role": c.Role, "queue": c.Queue, "dead-letter queue": c.Dead} {
		if value == "" {
			return nil, fmt.Errorf("timer: no %s given", what)
		}
	}
	if c.Client == nil || c.Now == nil {
		return nil, errors.New("timer: no client or no clock given")
	}
	return &Timer{c}, nil
}

// Set makes a schedule that sends body to the queue at a time, rounded up to
// the second, and is then deleted. A schedule of that name that is there
// already counts as set: names are made of wake and generation, and never mean
// another time (D6).
func (t *Timer) Set(ctx context.Context, id string, at time.Time, body string) error {
	if err := check(id); err != nil {
		return err
	}
	if body == "" || len(body) > maxInput {
		return fmt.Errorf("timer: set %s: a body of %d bytes is not between 1 and %d", id, len(body), maxInput)
	}
	at = ceil(at)
	if !at.After(t.c.Now()) {
		return fmt.Errorf("timer: set %s: %w", id, ErrPast)
	}
	_, err := t.c.Client.CreateSchedule(ctx, &scheduler.CreateScheduleInput{
		Name:                       aws.String(id),
		GroupName:                  aws.String(t.c.Group),
		ClientToken:                aws.String(token(id)),
		ScheduleExpression:         aws.String(expression(at)),
		ScheduleExpressionTimezone: aws.String("UTC"),
		FlexibleTimeWindow:         &types.FlexibleTimeWindow{Mode: types.FlexibleTimeWindowModeOff},
		ActionAfterCompletion:      types.ActionAfterCompletionDelete,
		Target: &types.Target{
			Arn:              aws.String(t.c.Queue),
			RoleArn:          aws.String(t.c.Role),
			Input:            aws.String(body),
			DeadLetterConfig: &types.DeadLetterConfig{Arn: aws.String(t.c.Dead)},
			RetryPolicy: &types.RetryPolicy{
				MaximumEventAgeInSeconds: aws.Int32(retryAge), MaximumRetryAttempts: aws.Int32(retries)},
		},
	})
	if _, there := errors.AsType[*types.ConflictException](err); err != nil && !there {
		return fmt.Errorf("timer: set %s: %w", id, err)
	}
	return nil
}

// Cancel deletes a schedule. One that is not there counts as cancelled.
func (t *Timer) Cancel(ctx context.Context, id string) error {
	if err := check(id); err != nil {
		return err
	}
	_, err := t.c.Client.DeleteSchedule(ctx, &scheduler.DeleteScheduleInput{
		Name: aws.String(id), GroupName: aws.String(t.c.Group), ClientToken: aws.String(token(id))})
	if _, gone := errors.AsType[*types.ResourceNotFoundException](err); err != nil && !gone {
		return fmt.Errorf("timer: cancel %s: %w", id, err)
	}
	return nil
}

func check(id string) error {
	if !name.MatchString(id) {
		return fmt.Errorf("timer: %.80q is no name for a schedule: 1 to 64 letters, digits, dots, - and _", id)
	}
	return nil
}

// token is the name, or its hash where it has a dot, which a token may not.
func token(id string) string {
	for i := range len(id) {
		if id[i] == '.' {
			sum := sha256.Sum256([]byte(id))
			return hex.EncodeToString(sum[:])
		}
	}
	return id
}

// ceil rounds up to the second.
func ceil(at time.Time) time.Time {
	if down := at.Truncate(time.Second); !down.Equal(at) {
		return down.Add(time.Second)
	}
	return at
}

func expression(at time.Time) string { return "at(" + at.UTC().Format("2006-01-02T15:04:05") + ")" }
