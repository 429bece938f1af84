package lambda

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// queued makes an SQS event of "id group body" each; "-" is no group.
func queued(records ...string) []byte {
	var out []string
	for _, r := range records {
		f := strings.Fields(r)
		group := ""
		if f[1] != "-" {
			group = fmt.Sprintf(`"MessageGroupId":%q,"MessageDeduplicationId":"d-%s",`, f[1], f[0])
		}
		out = append(out, fmt.Sprintf(`{"messageId":%q,"receiptHandle":"r-%s","body":%q,"eventSource":"aws:sqs",
			"eventSourceARN":"arn:aws:sqs:x:1:triggers.fifo","attributes":{%s"ApproximateReceiveCount":"2","SentTimestamp":"1800000000123"}}`,
			f[0], f[0], f[2], group))
	}
	return []byte(`{"Records":[` + strings.Join(out, ",") + `]}`)
}

// shorts notes what was shortened.
type shorts struct {
	did  []string
	fail error
}

func (s *shorts) Shorten(ctx context.Context, queue, receipt string, d time.Duration) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.did = append(s.did, fmt.Sprint(queue, " ", receipt, " ", d))
	return s.fail
}

func run(t *testing.T, ctx context.Context, h Handler, payload []byte) string {
	t.Helper()
	out, err := h.Invoke(ctx, payload)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestD4_FailuresByGroup(t *testing.T) {
	t.Parallel()
	var called []string
	var log bytes.Buffer
	s := &shorts{}
	h := Handler{Visibility: s, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Queue: func(_ context.Context, body string, meta Meta) error {
			called = append(called, meta.ID)
			switch body {
			case "fail":
				return errors.New("throttled")
			case "panic":
				panic("broken")
			}
			return nil
		}}
	got := run(t, t.Context(), h, queued("1 a ok", "2 a fail", "3 b ok", "4 a ok", "5 c panic", "6 c ok", "7 b ok", "8 - fail", "9 - ok"))
	want := `{"batchItemFailures":[{"itemIdentifier":"2"},{"itemIdentifier":"4"},{"itemIdentifier":"5"},{"itemIdentifier":"6"},{"itemIdentifier":"8"}]}`
	if got != want {
		t.Errorf("got %s", got)
	}
	if !reflect.DeepEqual(called, []string{"1", "2", "3", "5", "7", "8", "9"}) {
		t.Errorf("called %q", called)
	}
	var shortened []string
	for _, id := range []string{"2", "4", "5", "6", "8"} {
		shortened = append(shortened, "arn:aws:sqs:x:1:triggers.fifo r-"+id+" 5s")
	}
	if !reflect.DeepEqual(s.did, shortened) {
		t.Errorf("shortened %q", s.did)
	}
	if strings.Contains(log.String(), "body") || !strings.Contains(log.String(), "message=2") {
		t.Errorf("log %s", &log)
	}
}

func TestD4_NothingFailedIsAnEmptyList(t *testing.T) {
	t.Parallel()
	var meta Meta
	h := Handler{Queue: func(_ context.Context, _ string, m Meta) error { meta = m; return nil }}
	if got := run(t, t.Context(), h, queued("1 g ok")); got != `{"batchItemFailures":[]}` {
		t.Errorf("got %s", got)
	}
	want := Meta{ID: "1", Queue: "arn:aws:sqs:x:1:triggers.fifo", Group: "g", Dedup: "d-1", Receipt: "r-1", Receives: 2,
		Sent: time.UnixMilli(1800000000123)}
	if meta != want {
		t.Errorf("got %+v", meta)
	}
}

// Nothing is begun without time left, and a visibility that cannot be
// shortened changes nothing.
func TestD4_OutOfTime(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := &shorts{fail: errors.New("throttled")}
	n := 0
	h := Handler{Visibility: s, Queue: func(context.Context, string, Meta) error { n++; cancel(); return nil }}
	got := run(t, ctx, h, queued("1 - ok", "2 - ok"))
	if got != `{"batchItemFailures":[{"itemIdentifier":"2"}]}` || n != 1 || len(s.did) != 1 {
		t.Errorf("got %s, %d called, %q", got, n, s.did)
	}
}

const streamed = `{"Records":[
{"eventID":"1","eventName":"INSERT","eventSource":"aws:dynamodb","dynamodb":{"ApproximateCreationDateTime":1.8e9,"SequenceNumber":"10",
 "Keys":{"pk":{"S":"outbox#1"}},"NewImage":{"pk":{"S":"outbox#1"},"n":{"N":"12345678901234567890"},"b":{"B":"/wA="},"ok":{"BOOL":true}}},
 "eventSourceARN":"arn:aws:dynamodb:x:1:table/t/stream/s"},
{"eventID":"2","eventName":"MODIFY","eventSource":"aws:dynamodb","dynamodb":{"SequenceNumber":"11","Keys":{"pk":{"S":"fail"}},"NewImage":{},"OldImage":{"pk":{"S":"fail"}}}},
{"eventID":"3","eventName":"INSERT","eventSource":"aws:dynamodb","dynamodb":{"SequenceNumber":"12","Keys":{"pk":{"S":"panic"}}}},
{"eventID":"4","eventName":"INSERT","eventSource":"aws:dynamodb","dynamodb":{"SequenceNumber":"13","Keys":{"pk":{"odd":1}}}},
{"eventID":"5","eventName":"REMOVE","eventSource":"aws:dynamodb","dynamodb":{"SequenceNumber":"14","Keys":{"pk":{"S":"old"}}},
 "userIdentity":{"type":"Service","principalId":"dynamodb.amazonaws.com"}}]}`

func TestD5_OneRowFailsNoBatch(t *testing.T) {
	t.Parallel()
	var got []Change
	var log bytes.Buffer
	h := Handler{Log: slog.New(slog.NewTextHandler(&log, nil)), Row: func(_ context.Context, c Change) error {
		got = append(got, c)
		switch c.Keys["pk"].(*types.AttributeValueMemberS).Value {
		case "fail":
			return errors.New("throttled")
		case "panic":
			panic("broken")
		}
		return nil
	}}
	if out := run(t, t.Context(), h, []byte(streamed)); out != `{"batchItemFailures":[]}` {
		t.Errorf("got %s", out)
	}
	if len(got) != 5 || got[0].Sequence != "10" || got[0].Kind != "INSERT" || got[1].Old == nil || got[0].Old != nil || got[0].Expired || !got[4].Expired {
		t.Errorf("got %+v", got)
	}
	n, _ := got[0].New["n"].(*types.AttributeValueMemberN)
	b, _ := got[0].New["b"].(*types.AttributeValueMemberB)
	if n == nil || n.Value != "12345678901234567890" || b == nil || string(b.Value) != "\xff\x00" {
		t.Errorf("image %+v", got[0].New)
	}
	for _, sequence := range []string{"11", "12", "13"} {
		if !strings.Contains(log.String(), "sequence="+sequence) {
			t.Errorf("log lacks %s: %s", sequence, &log)
		}
	}
}

func TestTick(t *testing.T) {
	t.Parallel()
	payload := []byte(`{"version":"0","source":"aws.events","detail-type":"Scheduled Event","time":"2026-11-30T12:05:00Z","detail":{}}`)
	var at time.Time
	var fail error
	h := Handler{Tick: func(_ context.Context, t time.Time) error { at = t; return fail }}
	run(t, t.Context(), h, payload)
	if !at.Equal(time.Date(2026, 11, 30, 12, 5, 0, 0, time.UTC)) {
		t.Errorf("at %s", at)
	}
	fail = errors.New("throttled")
	if _, err := h.Invoke(t.Context(), payload); !errors.Is(err, fail) {
		t.Errorf("got %v", err)
	}
	h.Tick = func(context.Context, time.Time) error { panic("broken") }
	if _, err := h.Invoke(t.Context(), payload); !errors.Is(err, errPanic) {
		t.Errorf("got %v", err)
	}
}

func TestUnknownEventsAreErrors(t *testing.T) {
	t.Parallel()
	for _, payload := range []string{`{}`, `{"Records":[]}`, `{"Records":[{"eventSource":"aws:s3"}]}`, `not JSON with a secret`, streamed} {
		h := Handler{Queue: func(context.Context, string, Meta) error { t.Error("called"); return nil }}
		if _, err := h.Invoke(t.Context(), []byte(payload)); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", payload, err)
		}
	}
}
