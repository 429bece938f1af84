package timer

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/scheduler/types"
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 500, time.UTC)

type fake struct {
	created []*scheduler.CreateScheduleInput
	deleted []*scheduler.DeleteScheduleInput
	fail    error
}

func (f *fake) CreateSchedule(_ context.Context, in *scheduler.CreateScheduleInput, _ ...func(*scheduler.Options)) (*scheduler.CreateScheduleOutput, error) {
	f.created = append(f.created, in)
	return nil, f.fail
}

func (f *fake) DeleteSchedule(_ context.Context, in *scheduler.DeleteScheduleInput, _ ...func(*scheduler.Options)) (*scheduler.DeleteScheduleOutput, error) {
	f.deleted = append(f.deleted, in)
	return nil, f.fail
}

func config(f *fake) Config {
	return Config{Group: "wakes", Role: "arn:role", Queue: "arn:queue", Dead: "arn:dead", Client: f,
		Now: func() time.Time { return now }}
}

func open(t *testing.T) (*fake, *Timer) {
	t.Helper()
	f := &fake{}
	timer, err := New(config(f))
	if err != nil {
		t.Fatal(err)
	}
	return f, timer
}

func TestD6_Set(t *testing.T) {
	t.Parallel()
	f, timer := open(t)
	at := time.Date(2026, 12, 1, 1, 59, 59, 1, time.FixedZone("", 3600))
	if err := timer.Set(t.Context(), "w-abc-g2", at, `{"ring":"wake"}`); err != nil {
		t.Fatal(err)
	}
	in := f.created[0]
	if *in.ScheduleExpression != "at(2026-12-01T01:00:00)" || *in.ScheduleExpressionTimezone != "UTC" {
		t.Errorf("rings %s %s", *in.ScheduleExpression, *in.ScheduleExpressionTimezone)
	}
	if *in.Name != "w-abc-g2" || *in.ClientToken != *in.Name || *in.GroupName != "wakes" ||
		in.ActionAfterCompletion != types.ActionAfterCompletionDelete || in.FlexibleTimeWindow.Mode != types.FlexibleTimeWindowModeOff {
		t.Errorf("created %+v", in)
	}
	target := in.Target
	if *target.Arn != "arn:queue" || *target.RoleArn != "arn:role" || *target.Input != `{"ring":"wake"}` ||
		*target.DeadLetterConfig.Arn != "arn:dead" || *target.RetryPolicy.MaximumEventAgeInSeconds != 3600 || target.SqsParameters != nil {
		t.Errorf("target %+v", target)
	}
}

func TestD6_NeverInThePast(t *testing.T) {
	t.Parallel()
	f, timer := open(t)
	for _, at := range []time.Time{{}, now.Add(-time.Hour), now.Truncate(time.Second), now.Add(-time.Nanosecond * 500)} {
		if err := timer.Set(t.Context(), "w", at, "{}"); !errors.Is(err, ErrPast) {
			t.Errorf("%s: %v", at, err)
		}
	}
	if err := timer.Set(t.Context(), "w", now, "{}"); err != nil { // rounds up to the next second
		t.Error(err)
	}
	if len(f.created) != 1 {
		t.Errorf("created %d", len(f.created))
	}
}

func TestD6_ConflictAndNotFoundAreDone(t *testing.T) {
	t.Parallel()
	f, timer := open(t)
	at := now.Add(time.Hour)
	f.fail = &types.ConflictException{}
	if err := timer.Set(t.Context(), "w", at, "{}"); err != nil {
		t.Error(err)
	}
	if err := timer.Cancel(t.Context(), "w"); err == nil {
		t.Error("a conflict on delete is none of ours")
	}
	f.fail = &types.ResourceNotFoundException{}
	if err := timer.Cancel(t.Context(), "w"); err != nil {
		t.Error(err)
	}
	if err := timer.Set(t.Context(), "w", at, "{}"); err == nil {
		t.Error("a missing group passes as set")
	}
	f.fail = &types.ThrottlingException{}
	if err := timer.Set(t.Context(), "w", at, "{}"); !errors.As(err, new(*types.ThrottlingException)) {
		t.Error(err)
	}
	if *f.deleted[0].ClientToken != "w" || *f.deleted[0].GroupName != "wakes" {
		t.Errorf("deleted %+v", f.deleted[0])
	}
}

func TestD6_Names(t *testing.T) {
	t.Parallel()
	f, timer := open(t)
	for _, id := range []string{"", "a b", "a/b", strings.Repeat("x", 65), "ü"} {
		if timer.Set(t.Context(), id, now.Add(time.Hour), "{}") == nil || timer.Cancel(t.Context(), id) == nil {
			t.Errorf("%q accepted", id)
		}
	}
	if err := timer.Set(t.Context(), "w.1", now.Add(time.Hour), "{}"); err != nil {
		t.Fatal(err)
	}
	if token := *f.created[0].ClientToken; len(token) != 64 || strings.Contains(token, ".") {
		t.Errorf("token %s", token)
	}
	for _, body := range []string{"", strings.Repeat("x", maxInput+1)} {
		if timer.Set(t.Context(), "w", now.Add(time.Hour), body) == nil {
			t.Errorf("a body of %d accepted", len(body))
		}
	}
}

func TestQ8_New(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Config){
		"group": func(c *Config) { c.Group = "" }, "role": func(c *Config) { c.Role = "" },
		"queue": func(c *Config) { c.Queue = "" }, "dead": func(c *Config) { c.Dead = "" },
		"client": func(c *Config) { c.Client = nil }, "clock": func(c *Config) { c.Now = nil },
	} {
		c := config(&fake{})
		change(&c)
		if _, err := New(c); err == nil {
			t.Errorf("no %s accepted", name)
		}
	}
}
