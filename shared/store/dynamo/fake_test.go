package dynamo

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/postern-dev/postern/shared/store/table"
)

// fake answers each call with the next of its answers: an output or an error.
// It keeps what it was asked.
type fake struct {
	t       *testing.T
	answers []any
	calls   []any
}

func answer[Out any](f *fake, in any) (*Out, error) {
	f.t.Helper()
	f.calls = append(f.calls, in)
	if len(f.answers) == 0 {
		f.t.Fatalf("call %d is one too many: %T", len(f.calls), in)
	}
	next := f.answers[0]
	f.answers = f.answers[1:]
	switch next := next.(type) {
	case error:
		return nil, next
	case *Out:
		return next, nil
	}
	f.t.Fatalf("call %d is %T, the test has %T for it", len(f.calls), in, next)
	return nil, nil
}

func (f *fake) GetItem(_ context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return answer[dynamodb.GetItemOutput](f, in)
}

func (f *fake) BatchGetItem(_ context.Context, in *dynamodb.BatchGetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	return answer[dynamodb.BatchGetItemOutput](f, in)
}

func (f *fake) Query(_ context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	asked := *in // the engine goes on with the same input
	return answer[dynamodb.QueryOutput](f, &asked)
}

func (f *fake) PutItem(_ context.Context, in *dynamodb.PutItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return answer[dynamodb.PutItemOutput](f, in)
}

func (f *fake) UpdateItem(_ context.Context, in *dynamodb.UpdateItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return answer[dynamodb.UpdateItemOutput](f, in)
}

func (f *fake) DeleteItem(_ context.Context, in *dynamodb.DeleteItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	return answer[dynamodb.DeleteItemOutput](f, in)
}

func (f *fake) TransactWriteItems(_ context.Context, in *dynamodb.TransactWriteItemsInput, _ ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	return answer[dynamodb.TransactWriteItemsOutput](f, in)
}

// with makes a table on a fake with these answers, and a list of the waits.
func with(t *testing.T, answers ...any) (*Table, *fake, *[]time.Duration) {
	f := &fake{t: t, answers: answers}
	waits := new([]time.Duration)
	sleep := func(ctx context.Context, d time.Duration) error {
		*waits = append(*waits, d)
		return ctx.Err()
	}
	return New(f, "tab", WithBackoff(sleep, func() float64 { return 0.5 })), f, waits
}

// because makes a cancellation; each reason is a code and the row it shows.
func because(reasons ...types.CancellationReason) error {
	return &types.TransactionCanceledException{CancellationReasons: reasons}
}

func reason(code string, row table.Item) types.CancellationReason {
	return types.CancellationReason{Code: aws.String(code), Item: toItem(row)}
}

func put(pk string, conds ...table.Cond) table.Action {
	return table.Action{Verb: table.Put, Key: table.Key{PK: pk, SK: "s"}, Item: table.Item{"v": table.Int(1)}, If: conds}
}

// row is what put leaves.
func row(pk, token string) table.Item {
	return table.Item{"pk": table.Str(pk), "sk": table.Str("s"), "v": table.Int(1), "tx": table.Str(token)}
}
