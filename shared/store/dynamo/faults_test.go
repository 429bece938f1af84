package dynamo_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
)

// faults stands between the SDK and the server and disturbs requests. Emulators
// give no TransactionConflict and no throttling, so they are made here.
type faults struct {
	next     http.RoundTripper
	lose     atomic.Bool
	mu       sync.Mutex
	throttle int
	conflict int
	made     int // refusals so far, to vary them
}

func (f *faults) setThrottle(n int) { f.mu.Lock(); f.throttle = n; f.mu.Unlock() }
func (f *faults) setConflict(n int) { f.mu.Lock(); f.conflict = n; f.mu.Unlock() }

var writes = map[string]bool{"PutItem": true, "UpdateItem": true, "DeleteItem": true, "TransactWriteItems": true}

func (f *faults) RoundTrip(req *http.Request) (*http.Response, error) {
	_, op, _ := strings.Cut(req.Header.Get("X-Amz-Target"), ".")
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	req.Body.Close()
	req.Body = io.NopCloser(strings.NewReader(string(body)))
	if answer := f.refusal(op, strings.Count(string(body), `"ReturnValuesOnConditionCheckFailure"`)); answer != "" {
		return &http.Response{
			StatusCode: http.StatusBadRequest, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
			Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
			Body:   io.NopCloser(strings.NewReader(answer)),
		}, nil
	}
	res, err := f.next.RoundTrip(req)
	if err == nil && writes[op] && f.lose.CompareAndSwap(true, false) {
		io.Copy(io.Discard, res.Body) // it is written; only the reply is lost
		res.Body.Close()
		return nil, fmt.Errorf("read reply: %w", os.ErrDeadlineExceeded)
	}
	return res, err
}

// refusal makes one answer of those DynamoDB gives, or none.
func (f *faults) refusal(op string, actions int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var plain, reasons []string
	switch {
	case f.conflict > 0 && writes[op]:
		f.conflict--
		plain, reasons = []string{"TransactionConflictException"}, []string{"TransactionConflict"}
		if op == "TransactWriteItems" {
			plain = append(plain, "TransactionInProgressException")
		}
	case f.throttle > 0 && op != "CreateTable" && op != "DescribeTable":
		f.throttle--
		plain = []string{"ThrottlingException", "ProvisionedThroughputExceededException", "InternalServerError", "RequestLimitExceeded"}
		reasons = []string{"ThrottlingError", "ProvisionedThroughputExceeded"}
	default:
		return ""
	}
	f.made++
	if op == "TransactWriteItems" && f.made%2 == 0 {
		return cancelled(reasons[f.made/2%len(reasons)], actions, f.made/2)
	}
	return fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":"made by the test"}`, plain[f.made/2%len(plain)])
}

// cancelled makes a cancellation whose reason lies at one of the actions.
func cancelled(code string, actions, at int) string {
	reasons := make([]string, actions)
	for i := range reasons {
		reasons[i] = `{"Code":"None"}`
	}
	reasons[at%actions] = fmt.Sprintf(`{"Code":%q,"Message":"made by the test"}`, code)
	return fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"made by the test","CancellationReasons":[%s]}`,
		strings.Join(reasons, ","))
}
