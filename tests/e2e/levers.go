package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/local/scenario"
	"github.com/postern-dev/postern/shared/store"
)

// levers reach below a deployment by the deployer's credentials. They are for
// deployments made for the test: while a record is lost, others are too.
type levers struct {
	where
	store  *store.Store
	lambda *lambda.Client
	logs   *cloudwatchlogs.Client
	sqs    *sqs.Client

	lost time.Time // when the lost record was written
	open func(context.Context) error
}

func newLevers(ctx context.Context, at where, s *store.Store) (*levers, error) {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("AWS credentials: %w", err)
	}
	return &levers{where: at, store: s, lambda: lambda.NewFromConfig(cfg), logs: cloudwatchlogs.NewFromConfig(cfg), sqs: sqs.NewFromConfig(cfg)}, nil
}

// levers are those that can be pulled there.
func (l *levers) levers(ctx context.Context) (scenario.Levers, error) {
	out := scenario.Levers{LoseRecord: l.loseRecord, Found: l.found}
	var err error
	if out.Hasty, err = hasty(ctx, l.store); err != nil {
		return out, err
	}
	switch l.Kind {
	case "ministack":
		out.Kill = l.kill
		return out, l.visible(ctx)
	case "localstack":
		out.Without = "LocalStack runs functions in containers of its own: no process on this machine to kill"
	default:
		out.Without = "AWS shows no process of a function to kill"
	}
	return out, nil
}

// visible makes a turn's message come again after its lease ran out, as the
// deployment's own time does on AWS. The emulator's is shorter.
func (l *levers) visible(ctx context.Context) error {
	seconds := fmt.Sprint(int(session.LeaseTime.Seconds()) + 5)
	_, err := l.sqs.SetQueueAttributes(ctx, &sqs.SetQueueAttributesInput{QueueUrl: aws.String(l.Outputs["TurnsQueueUrl"]),
		Attributes: map[string]string{string(sqstypes.QueueAttributeNameVisibilityTimeout): seconds}})
	if err != nil {
		return fmt.Errorf("visibility of the turns queue: %w", err)
	}
	return nil
}

// kill ends the process that the emulator runs the turn in.
func (l *levers) kill(_ context.Context, peer string) (string, error) {
	pid, err := processAt(peer)
	if err != nil {
		return "", err
	}
	if name := environment(pid, "AWS_LAMBDA_FUNCTION_NAME"); name == "" || name != l.Functions["TurnFunction"] {
		return "", fmt.Errorf("process %d waits for the answer and is function %q, not the turn", pid, name)
	}
	return fmt.Sprintf("function %s, process %d, was killed", l.Functions["TurnFunction"], pid), end(pid)
}

// found has the wake function reconcile and reads what it logged since the
// record was lost, its own scheduled passes included.
func (l *levers) found(ctx context.Context) (scenario.Finds, error) {
	var f scenario.Finds
	if err := nap(ctx, time.Until(l.lost.Add(missed))); err != nil {
		return f, err
	}
	event, err := json.Marshal(map[string]string{"source": "aws.events", "detail-type": "Scheduled Event", "time": time.Now().UTC().Format(time.RFC3339)})
	if err != nil {
		return f, err
	}
	name := aws.String(l.Functions["WakeFunction"])
	out, err := l.lambda.Invoke(ctx, &lambda.InvokeInput{FunctionName: name, Payload: event})
	if err == nil && out.FunctionError != nil {
		err = errors.New(string(out.Payload))
	}
	if err != nil {
		return f, fmt.Errorf("have the reconciler look: %w", err)
	}
	cfg, err := l.lambda.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: name})
	if err != nil {
		return f, err
	}
	for range 60 { // lines come late
		if f, err = l.finds(ctx, aws.ToString(cfg.LoggingConfig.LogGroup)); err != nil || f.Outbox > 0 {
			return f, err
		}
		if err := nap(ctx, time.Second); err != nil {
			return f, err
		}
	}
	return f, nil
}

func (l *levers) finds(ctx context.Context, group string) (sum scenario.Finds, err error) {
	pages := cloudwatchlogs.NewFilterLogEventsPaginator(l.logs, &cloudwatchlogs.FilterLogEventsInput{
		LogGroupName: aws.String(group), StartTime: aws.Int64(l.lost.UnixMilli())})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return sum, fmt.Errorf("read the reconciler's log: %w", err)
		}
		for _, e := range page.Events {
			for line := range strings.Lines(aws.ToString(e.Message)) {
				var said struct {
					Message string         `json:"message"`
					Finds   scenario.Finds `json:"finds"`
				}
				if json.Unmarshal([]byte(line), &said) != nil || said.Message != "reconciled" {
					continue
				}
				f := said.Finds
				sum.Outbox, sum.Mail, sum.Leases, sum.Wakes, sum.Cards = sum.Outbox+f.Outbox, sum.Mail+f.Mail, sum.Leases+f.Leases, sum.Wakes+f.Wakes, sum.Cards+f.Cards
			}
		}
	}
	return sum, nil
}
