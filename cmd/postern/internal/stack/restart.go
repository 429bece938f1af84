package stack

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// readAt is a variable that functions do not read: a change of the environment
// makes Lambda start new instances, and a new instance reads its secrets (D3).
const readAt = "POSTERN_SECRETS_READ_AT"

// Readers are the functions that read a connector's secret.
var Readers = map[string][]string{
	"slack":  {"SlackFunction", "DeliverFunction", "TurnFunction"},
	"feishu": {"FeishuFunction", "DeliverFunction", "TurnFunction"},
	"github": {"GithubFunction", "DeliverFunction", "TurnFunction", "WakeFunction"},
	"model":  {"TurnFunction"},
}

// Restart makes the functions that read a connector's secret read it again.
// What is under way in them finishes.
func (s *Stack) Restart(ctx context.Context, connector string, now time.Time) error {
	all, err := s.Resources(ctx)
	if err != nil {
		return err
	}
	ids := map[string]string{}
	for _, r := range all {
		ids[r.Logical] = r.Physical
	}
	client := lambda.NewFromConfig(s.AWS)
	for _, logical := range Readers[connector] {
		if ids[logical] == "" {
			return fmt.Errorf("stack %s has no %s", s.Name, logical)
		}
		if err := restart(ctx, client, ids[logical], now); err != nil {
			return fmt.Errorf("restart %s: %w", logical, err)
		}
	}
	return nil
}

func restart(ctx context.Context, client *lambda.Client, name string, now time.Time) error {
	was, err := client.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: aws.String(name)})
	if err != nil {
		return err
	}
	env := map[string]string{}
	if was.Environment != nil {
		for k, v := range was.Environment.Variables {
			env[k] = v
		}
	}
	env[readAt] = now.UTC().Format(time.RFC3339)
	// The revision keeps a deployment that runs beside this from being undone.
	_, err = client.UpdateFunctionConfiguration(ctx, &lambda.UpdateFunctionConfigurationInput{FunctionName: aws.String(name),
		Environment: &types.Environment{Variables: env}, RevisionId: was.RevisionId})
	return err
}
