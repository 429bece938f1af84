package dynamo_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/postern-dev/postern/shared/store/dynamo"
	"github.com/postern-dev/postern/shared/store/table"
	"github.com/postern-dev/postern/shared/store/table/tabletest"
)

// server is a DynamoDB to test against, with faults before it.
type server struct {
	faults  *faults
	db      *dynamodb.Client
	streams *dynamodbstreams.Client
}

// dial finds the server, or skips, or fails where one is required.
func dial(t *testing.T) *server {
	t.Helper()
	endpoint := os.Getenv("POSTERN_DYNAMO_ENDPOINT")
	if endpoint == "" {
		if os.Getenv("POSTERN_REQUIRE_DYNAMO") == "1" {
			t.Fatal("POSTERN_REQUIRE_DYNAMO=1 but POSTERN_DYNAMO_ENDPOINT is not set: run under infra/tools/with-dynoxide.sh")
		}
		t.Skip("POSTERN_DYNAMO_ENDPOINT is not set: run under infra/tools/with-dynoxide.sh")
	}
	f := &faults{next: http.DefaultTransport}
	cfg, err := config.LoadDefaultConfig(t.Context(), config.WithBaseEndpoint(endpoint))
	if err != nil {
		t.Fatal(err)
	}
	db := dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) {
		o.HTTPClient = &http.Client{Transport: f}
		o.DisableValidateResponseChecksum = true // dynoxide sends 0 with its refusals
		dynamo.WithBufferedBodies(o)
	})
	return &server{faults: f, db: db, streams: dynamodbstreams.NewFromConfig(cfg)}
}

// tables numbers the tables of this run; the process id parts it from others
// that may share a real account.
var tables atomic.Int64

func (s *server) create(t *testing.T) string {
	t.Helper()
	name := fmt.Sprintf("postern-test-%d-%d", os.Getpid(), tables.Add(1))
	if err := dynamo.CreateTable(t.Context(), s.db, name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The test's own context has ended by now.
		_, err := s.db.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: aws.String(name)})
		if err != nil {
			t.Errorf("delete table %s: %v", name, err)
		}
	})
	return name
}

// noWait is a back-off that does not wait.
func noWait() dynamo.Option {
	return dynamo.WithBackoff(
		func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		func() float64 { return 0.5 },
	)
}

func conform(t *testing.T, opts ...dynamo.Option) {
	tabletest.Run(t, func(t *testing.T) tabletest.Env {
		s := dial(t)
		name := s.create(t)
		open := func(t *testing.T) (table.Table, table.Feed) {
			return dynamo.New(s.db, name, opts...), dynamo.NewFeed(s.streams, name)
		}
		e := tabletest.Env{
			LoseReply: func() { s.faults.lose.Store(true) },
			Throttle:  s.faults.setThrottle,
			Conflict:  s.faults.setConflict,
			Reopen:    open,
		}
		e.Table, e.Feed = open(t)
		return e
	})
}

// O6: the contract, each failed request seen by the caller.
func TestConformance(t *testing.T) {
	t.Parallel()
	dial(t)
	conform(t, noWait(), dynamo.WithRetryer(aws.NopRetryer{}))
}

// O6: the contract, with the SDK hiding lost replies behind a second try.
func TestConformanceWithRetries(t *testing.T) {
	t.Parallel()
	dial(t)
	conform(t, noWait())
}
