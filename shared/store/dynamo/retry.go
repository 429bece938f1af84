package dynamo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/postern-dev/postern/shared/store/table"
)

const (
	firstDelay = 25 * time.Millisecond
	maxDelay   = 2 * time.Second
)

// backoff waits between attempts: a random part of a span that doubles.
type backoff struct {
	sleep  func(ctx context.Context, d time.Duration) error
	random func() float64
}

var wallBackoff = backoff{
	sleep: func(ctx context.Context, d time.Duration) error {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	},
	random: rand.Float64,
}

// wait waits before the attempt after the one with this number, from 0.
func (b backoff) wait(ctx context.Context, attempt int) error {
	span := min(firstDelay<<min(attempt, 16), maxDelay)
	if err := ctx.Err(); err != nil {
		return err
	}
	return b.sleep(ctx, time.Duration(b.random()*float64(span)))
}

// again runs call until it succeeds, fails for good, or ctx ends. Throttling,
// conflicts with other transactions and DynamoDB's own failures are tried
// again; the last of them is part of the error if ctx ends.
func (t *Table) again(ctx context.Context, call func() error) error {
	for attempt := 0; ; attempt++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := call()
		if err == nil || !transient(err) {
			return refused(err)
		}
		if end := t.backoff.wait(ctx, attempt); end != nil {
			return fmt.Errorf("%w, after %d attempts: %w", end, attempt+1, err)
		}
	}
}

// transientCodes are the answers after which the same request may succeed.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
var transientCodes = map[string]bool{
	"ThrottlingException":                    true,
	"Throttling":                             true,
	"ProvisionedThroughputExceededException": true,
	"RequestLimitExceeded":                   true,
	"TransactionConflictException":           true,
	"TransactionInProgressException":         true,
	"ReplicatedWriteConflictException":       true,
	"InternalServerError":                    true,
	"InternalFailure":                        true,
	"ServiceUnavailable":                     true,
}

func transient(err error) bool {
	if errors.Is(err, errTransient) {
		return true
	}
	var api smithy.APIError
	if errors.As(err, &api) && transientCodes[api.ErrorCode()] {
		return true
	}
	var answer *smithyhttp.ResponseError
	return errors.As(err, &answer) && answer.HTTPStatusCode() >= http.StatusInternalServerError
}

// errTransient marks a cancelled transaction that may succeed when repeated,
// and a read of which a part was not processed.
var errTransient = errors.New("refused for now")

// refused marks what DynamoDB calls malformed as such.
func refused(err error) error {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return err
	}
	var mismatch *types.IdempotentParameterMismatchException
	if api.ErrorCode() == "ValidationException" || errors.As(err, &mismatch) {
		return fmt.Errorf("%w: %w", table.ErrInvalid, err)
	}
	return err
}
