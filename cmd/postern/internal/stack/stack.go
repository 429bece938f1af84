// Package stack looks into a deployed stack by CloudFormation: where its parts
// are, what they hold, what it was deployed with.
//
// It reads, but for Delete, Restart and the queues' redrive, which commands
// call by name. It knows no table row and no secret's value.
package stack

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/smithy-go"
)

// Stack is a deployed stack as it was when it was read.
type Stack struct {
	Name       string
	Status     string
	Outputs    map[string]string
	Parameters map[string]string
	Created    time.Time
	AWS        aws.Config
	cfn        *cloudformation.Client
}

// ErrNone is a stack that is not there.
var ErrNone = errors.New("there is no such stack")

// Config loads the caller's AWS configuration. A missing region is an error
// that says what to set.
func Config(ctx context.Context) (aws.Config, error) {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return cfg, fmt.Errorf("AWS configuration: %w", err)
	}
	if cfg.Region == "" {
		return cfg, errors.New("no AWS region is set; set AWS_REGION, or AWS_PROFILE to a profile that has one")
	}
	return cfg, nil
}

// Open reads a stack by its name, by the caller's credentials.
func Open(ctx context.Context, name string) (*Stack, error) {
	cfg, err := Config(ctx)
	if err != nil {
		return nil, err
	}
	s := &Stack{Name: name, AWS: cfg, cfn: cloudformation.NewFromConfig(cfg)}
	out, err := s.cfn.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: aws.String(name)})
	if absent(err) || err == nil && len(out.Stacks) == 0 {
		return nil, fmt.Errorf("stack %s in %s: %w", name, cfg.Region, ErrNone)
	}
	if err != nil {
		return nil, fmt.Errorf("stack %s in %s: %w", name, cfg.Region, err)
	}
	found := out.Stacks[0]
	s.Status, s.Outputs, s.Parameters = string(found.StackStatus), map[string]string{}, map[string]string{}
	s.Created = aws.ToTime(found.CreationTime)
	for _, o := range found.Outputs {
		s.Outputs[aws.ToString(o.OutputKey)] = aws.ToString(o.OutputValue)
	}
	for _, p := range found.Parameters {
		s.Parameters[aws.ToString(p.ParameterKey)] = aws.ToString(p.ParameterValue)
	}
	return s, nil
}

// Model is the stack's model of hosted agents as provider:model, by the
// template's rule: Model, or else Bedrock's. Empty, there is none.
func (s *Stack) Model() string {
	if m := s.Parameters["Model"]; m != "" {
		return m
	}
	if id := s.Parameters["BedrockModel"]; id != "" {
		return "bedrock:" + id
	}
	return ""
}

// absent knows how CloudFormation says that there is no such stack.
func absent(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && api.ErrorCode() == "ValidationError" && strings.Contains(api.ErrorMessage(), "does not exist")
}

// Output gives one output; a stack without it is no Postern, or an older one.
func (s *Stack) Output(name string) (string, error) {
	if v := s.Outputs[name]; v != "" {
		return v, nil
	}
	return "", fmt.Errorf("stack %s has no output %s: is it a deployment of Postern's template?", s.Name, name)
}

// Resource is one part of a stack.
type Resource struct{ Logical, Physical, Type, Status string }

// Resources lists the parts of a stack.
func (s *Stack) Resources(ctx context.Context) ([]Resource, error) {
	var all []Resource
	pages := cloudformation.NewListStackResourcesPaginator(s.cfn, &cloudformation.ListStackResourcesInput{StackName: aws.String(s.Name)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("stack %s: list its resources: %w", s.Name, err)
		}
		for _, r := range page.StackResourceSummaries {
			all = append(all, Resource{aws.ToString(r.LogicalResourceId), aws.ToString(r.PhysicalResourceId), aws.ToString(r.ResourceType), string(r.ResourceStatus)})
		}
	}
	return all, nil
}

// Physical gives the id of one part.
func (s *Stack) Physical(ctx context.Context, logical string) (string, error) {
	all, err := s.Resources(ctx)
	if err != nil {
		return "", err
	}
	for _, r := range all {
		if r.Logical == logical {
			return r.Physical, nil
		}
	}
	return "", fmt.Errorf("stack %s has no %s", s.Name, logical)
}

// Delete begins the deletion of the stack. The table stays (D7).
func (s *Stack) Delete(ctx context.Context) error {
	_, err := s.cfn.DeleteStack(ctx, &cloudformation.DeleteStackInput{StackName: aws.String(s.Name)})
	if err != nil {
		return fmt.Errorf("stack %s: delete: %w", s.Name, err)
	}
	return nil
}

// Deleted reports whether a deletion is over. A failed one is an error.
func (s *Stack) Deleted(ctx context.Context) (bool, error) {
	now, err := Open(ctx, s.Name)
	switch {
	case errors.Is(err, ErrNone):
		return true, nil
	case err != nil:
		return false, err
	case now.Status == string(types.StackStatusDeleteComplete):
		return true, nil
	case now.Status == string(types.StackStatusDeleteFailed):
		return false, fmt.Errorf("stack %s: its deletion failed; the events of the stack say at what", s.Name)
	}
	return false, nil
}
