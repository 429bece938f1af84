package calls

import (
	"context"
	"fmt"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"
)

// Guard refuses, before anything is sent, every SDK operation that list does
// not cover, so that a list cannot fall behind the code without a test seeing
// it. It looks at service and action, not at the resource: that is the role's
// part. Add it to aws.Config.APIOptions.
//
// A refusal is an *UndeclaredError and is not retried.
func Guard(list []Call) func(*middleware.Stack) error {
	held := make(map[string]bool, len(list))
	for _, c := range list {
		held[c.Service+":"+c.Action] = true
	}
	return func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("DeclaredCalls",
			func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
				for _, need := range Needs(awsmiddleware.GetServiceID(ctx), awsmiddleware.GetOperationName(ctx)) {
					if !held[need] {
						return middleware.InitializeOutput{}, middleware.Metadata{}, &UndeclaredError{Call: need}
					}
				}
				return next.HandleInitialize(ctx, in)
			}), middleware.After)
	}
}

// UndeclaredError says which call a function tried without declaring it.
type UndeclaredError struct{ Call string }

func (e *UndeclaredError) Error() string {
	return fmt.Sprintf("call %s is not declared in this function's calls.go (D2)", e.Call)
}

var prefixes = map[string]string{
	"DynamoDB":        "dynamodb",
	"SQS":             "sqs",
	"Scheduler":       "scheduler",
	"Secrets Manager": "secretsmanager",
	"Bedrock Runtime": "bedrock",
}

// parts lists the operations that IAM judges by other names than their own.
var parts = map[string][]string{
	"dynamodb:TransactWriteItems":      {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"},
	"dynamodb:TransactGetItems":        {"dynamodb:GetItem"},
	"bedrock:Converse":                 {"bedrock:InvokeModel"},
	"sqs:SendMessageBatch":             {"sqs:SendMessage"},
	"sqs:DeleteMessageBatch":           {"sqs:DeleteMessage"},
	"sqs:ChangeMessageVisibilityBatch": {"sqs:ChangeMessageVisibility"},
}

// Needs gives the IAM actions that an SDK operation needs, by the service id
// and operation name that the SDK uses. A service nobody here uses stands for
// itself and so is never declared.
func Needs(serviceID, operation string) []string {
	prefix, ok := prefixes[serviceID]
	if !ok {
		prefix = serviceID
	}
	name := prefix + ":" + operation
	if p, ok := parts[name]; ok {
		return p
	}
	return []string{name}
}
