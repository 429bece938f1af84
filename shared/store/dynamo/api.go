package dynamo

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/postern-dev/postern/shared/store/table"
)

// API is every call the engine makes: *dynamodb.Client has them all. A role
// needs exactly the actions of these names on the table, Query on its indexes
// too, and dynamodb:ConditionCheckItem for the checks inside a
// TransactWriteItems, which itself is no action but those of its parts (D2).
type API interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
	DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
}

// Table is one DynamoDB table. Safe for concurrent use.
type Table struct {
	api     API
	name    *string
	backoff backoff
	retryer aws.Retryer
}

var _ table.Table = (*Table)(nil)

// Option changes how a table is used.
type Option func(*Table)

// WithBackoff replaces the wait between attempts: sleep waits for d or until
// ctx ends, random gives a number in [0, 1). Without it the engine waits by
// the wall clock, with jitter.
func WithBackoff(sleep func(ctx context.Context, d time.Duration) error, random func() float64) Option {
	return func(t *Table) { t.backoff = backoff{sleep, random} }
}

// WithRetryer replaces the SDK's own retries, which by default repeat only
// requests whose connection failed. What DynamoDB answered is for the engine
// to judge.
func WithRetryer(r aws.Retryer) Option { return func(t *Table) { t.retryer = r } }

// New makes the engine for the table with this name.
func New(client API, tableName string, opts ...Option) *Table {
	t := &Table{api: client, name: aws.String(tableName), backoff: wallBackoff}
	t.retryer = retry.NewStandard(func(o *retry.StandardOptions) {
		o.Retryables = []retry.IsErrorRetryable{retry.NoRetryCanceledError{}, retry.RetryableConnectionError{}}
		o.RateLimiter = ratelimit.None
	})
	for _, o := range opts {
		o(t)
	}
	return t
}

// options are given to each call of the SDK.
func (t *Table) options(o *dynamodb.Options) { o.Retryer = t.retryer }
