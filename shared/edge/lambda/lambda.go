// Package lambda turns what AWS Lambda hands over into plain calls: an
// http.Handler, a func for each queued message, each changed row, each tick of
// a schedule (O7, D4, D5).
//
// The HTTP part is by hand: the usual adapter splits headers at commas, so of
// two signatures the first would be believed, and answers bad base64 with 500.
//
// It knows nothing of what a body says and logs none.
package lambda

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
)

// Handler sends each event to what takes its kind. An event that nothing here
// takes is an error. It fulfils lambda.Handler.
type Handler struct {
	HTTP  http.Handler // events of an HTTP API, payload format 2.0
	Queue Message      // messages of SQS, one by one
	Row   Row          // changes of a DynamoDB stream, one by one
	Tick  Tick         // a schedule's rate or cron

	// Visibility shortens that of failed messages; nil leaves it as it is.
	Visibility Visibility
	Log        *slog.Logger
}

// Tick is called for a schedule; at is when it was due. Its error fails the
// invocation, which Lambda repeats twice.
type Tick func(ctx context.Context, at time.Time) error

// Start serves events until the instance ends. It does not return.
func Start(h Handler) { lambda.Start(h) }

// event is every kind at once, so that a payload is read once. Only fields
// that are used are named: odd ones elsewhere lose no event.
type event struct {
	httpEvent
	Records    []record `json:"Records"`
	DetailType string   `json:"detail-type"`
	Time       string   `json:"time"`
}

// record is one of a queue or of a stream.
type record struct {
	EventSource string `json:"eventSource"`
	message
	change
}

// Invoke handles one event.
func (h Handler) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	var e event
	if err := json.Unmarshal(payload, &e); err != nil {
		return nil, fmt.Errorf("lambda: the event cannot be read (%T)", err)
	}
	switch {
	case e.RequestContext.HTTP.Method != "" && h.HTTP != nil:
		return json.Marshal(h.serve(ctx, e.httpEvent))
	case e.from("aws:sqs") && h.Queue != nil:
		return json.Marshal(h.messages(ctx, e.Records))
	case e.from("aws:dynamodb") && h.Row != nil:
		return json.Marshal(h.rows(ctx, e.Records))
	case e.DetailType == "Scheduled Event" && h.Tick != nil:
		at, _ := time.Parse(time.RFC3339, e.Time) // zero if it is not said
		return []byte("null"), h.guard(ctx, func() error { return h.Tick(ctx, at) })
	}
	return nil, fmt.Errorf("lambda: this function takes no event of that kind (%s)", e.kind())
}

func (e event) from(source string) bool {
	return len(e.Records) > 0 && e.Records[0].EventSource == source
}

func (e event) kind() string {
	switch {
	case len(e.Records) > 0:
		return "records of " + e.Records[0].EventSource
	case e.RequestContext.HTTP.Method != "":
		return "HTTP"
	case e.DetailType != "":
		return "scheduled or bus"
	}
	return "unknown"
}

// errPanic is a handler that broke.
var errPanic = errors.New("panic")

// guard makes a panic the failure of this one call (D4).
func (h Handler) guard(ctx context.Context, do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			h.log().ErrorContext(ctx, "panic", "panic", fmt.Sprint(p), "stack", stack())
			err = errPanic
		}
	}()
	return do()
}

func (h Handler) log() *slog.Logger {
	if h.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return h.Log
}

// batch is the answer to records: what is to be handed over again. The list is
// never nil: null is read as a failure by some (D4).
type batch struct {
	Failures []failure `json:"batchItemFailures"`
}

type failure struct {
	ID string `json:"itemIdentifier"`
}
