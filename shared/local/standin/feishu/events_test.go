package feishu

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	edge "github.com/postern-dev/postern/shared/edge/feishu"
)

var update = flag.Bool("update", false, "write the event files anew")

const eventsDir = "../../../../events"

// recorder takes requests instead of a network.
type recorder struct{ last *http.Request }

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	r.last = req
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: req}, nil
}

// lambdaEvent is the HTTP API's payload, version 2, as Lambda gets it.
type lambdaEvent struct {
	Version        string            `json:"version"`
	RouteKey       string            `json:"routeKey"`
	RawPath        string            `json:"rawPath"`
	RawQueryString string            `json:"rawQueryString"`
	Headers        map[string]string `json:"headers"`
	RequestContext map[string]any    `json:"requestContext"`
	Body           string            `json:"body"`
	Base64         bool              `json:"isBase64Encoded"`
}

func (r *recorder) event(t *testing.T, name string) []byte {
	t.Helper()
	body, err := io.ReadAll(r.last.Body)
	if err != nil {
		t.Fatal(err)
	}
	const host = "abcdef1234.execute-api.eu-central-1.amazonaws.com"
	h := map[string]string{
		"host": host, "content-length": strconv.Itoa(len(body)), "user-agent": "Go-http-client/2.0",
		"x-forwarded-for": "203.0.113.7", "x-forwarded-port": "443", "x-forwarded-proto": "https",
	}
	for k, v := range r.last.Header {
		h[strings.ToLower(k)] = strings.Join(v, ",")
	}
	out, err := json.MarshalIndent(lambdaEvent{
		Version: "2.0", RouteKey: "POST /hooks/feishu", RawPath: "/hooks/feishu", Headers: h, Body: string(body),
		RequestContext: map[string]any{
			"accountId": "123456789012", "apiId": "abcdef1234", "domainName": host, "domainPrefix": "abcdef1234",
			"http":      map[string]any{"method": "POST", "path": "/hooks/feishu", "protocol": "HTTP/1.1", "sourceIp": "203.0.113.7", "userAgent": "Go-http-client/2.0"},
			"requestId": name, "routeKey": "POST /hooks/feishu", "stage": "$default",
			"time": start.Format("02/Jan/2006:15:04:05 -0700"), "timeEpoch": start.UnixMilli(),
		},
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(out, '\n')
}

// makeEvents plays one short history, each webhook of which is one file.
func makeEvents(t *testing.T) (names []string, files map[string][]byte) {
	t.Helper()
	s := New(DevSecrets(), func() time.Time { return start })
	s.AddChat(Chat{ID: "oc_topics", Name: "topics", Kind: TopicGroup})
	rec := &recorder{}
	hook := Hook{URL: "https://postern.example/hooks/feishu", Client: &http.Client{Transport: rec}}
	files = map[string][]byte{}
	save := func(name string, res Result, err error) Result {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		names = append(names, name)
		files[name] = rec.event(t, name)
		return res
	}
	say := func(name string, sp Speech) Result {
		t.Helper()
		res, err := s.Say(t.Context(), hook, sp)
		return save(name, res, err)
	}

	res, err := s.Check(t.Context(), hook, "feishu-challenge")
	save("url-verification", res, err)
	asked := say("message-mention", Speech{Person: "ou_ada", Chat: "oc_ops", Text: "please look at acme/shop#7", Mention: true})
	say("message-reply", Speech{Person: "ou_bob", Chat: "oc_ops", Text: "it is urgent", ReplyTo: asked.Message})
	say("message-unlisted", Speech{Person: "ou_mallory", Chat: "oc_ops", Text: "delete the branch", Mention: true})
	say("message-bot", Speech{Person: "ou_ci", Chat: "oc_ops", Text: "build 7 failed", FromBot: true})
	say("message-direct", Speech{Person: "ou_ada", Text: "what is waiting?"})
	topic := say("message-topic", Speech{Person: "ou_ada", Chat: "oc_topics", Text: "release 1.2", Mention: true})
	say("message-topic-reply", Speech{Person: "ou_bob", Chat: "oc_topics", Text: "when?", ReplyTo: topic.Message})

	res, err = s.Deliver(t.Context(), hook, "im.message.recalled_v1", map[string]any{
		"message_id": asked.Message, "chat_id": "oc_ops", "recall_time": strconv.FormatInt(start.UnixMilli(), 10), "recall_type": "message_owner",
	})
	save("message-recalled", res, err)
	res, err = s.Deliver(t.Context(), hook, "im.chat.member.bot.added_v1", map[string]any{"chat_id": "oc_ops", "operator_id": map[string]any{"open_id": "ou_ada"}})
	save("unknown-event", res, err)

	b := inbox.Button{Item: "devitem00000000000000001", Digest: "dev-digest"}
	card := inbox.Card{Item: b.Item, Kind: inbox.Approval, Title: "Comment on acme/shop#7", Text: "Posts one comment.", Version: 1}
	for _, choice := range []string{inbox.Allow, inbox.Deny} {
		b.Choice = choice
		card.Buttons = append(card.Buttons, inbox.CardButton{Label: choice, Value: b.Value(linkKey)})
	}
	m := &Message{Chat: "oc_ops"}
	content, _ := json.Marshal(string(edge.RenderCard(card)))
	s.mu.Lock()
	s.add(m, map[string]json.RawMessage{"msg_type": json.RawMessage(`"interactive"`), "content": content})
	s.mu.Unlock()
	for n, name := range []string{"card-allow", "card-deny"} {
		res, err = s.Click(t.Context(), hook, "ou_ada", m.ID, n)
		save(name, res, err)
	}
	return names, files
}

// The files in events/ are what this history makes, byte for byte.
func TestEventFiles(t *testing.T) {
	t.Parallel()
	names, files := makeEvents(t)
	for _, name := range names {
		file := filepath.Join(eventsDir, "feishu-"+name+".json")
		if *update {
			if err := os.WriteFile(file, files[name], 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, files[name]) {
			t.Errorf("%s is not what the stand-in sends; run with -update and look at the difference", file)
		}
	}
	there, err := filepath.Glob(filepath.Join(eventsDir, "feishu-*.json"))
	if err != nil || len(there) != len(names) {
		t.Errorf("%d files, %d made: %v", len(there), len(names), err)
	}
}

// Each file is read by Lambda's own type and by the receiver, and says what its
// name says.
func TestEventFilesAreUnderstood(t *testing.T) {
	t.Parallel()
	r, err := edge.NewReceiver(DevSecrets(), linkKey, func() time.Time { return start.Add(time.Hour) })
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"url-verification":    "reply",
		"message-mention":     "trigger mention channel human ou_ada",
		"message-reply":       "trigger none channel human ou_bob",
		"message-unlisted":    "trigger mention channel human ou_mallory",
		"message-bot":         "trigger none channel bot ou_ci",
		"message-direct":      "trigger direct direct human ou_ada",
		"message-topic":       "trigger mention channel human ou_ada topic",
		"message-topic-reply": "trigger none channel human ou_bob topic",
		"message-recalled":    "drop unknown event",
		"unknown-event":       "drop unknown event",
		"card-allow":          "answer devitem00000000000000001 allow ou_ada",
		"card-deny":           "answer devitem00000000000000001 deny ou_ada",
	}
	for name, say := range want {
		raw, err := os.ReadFile(filepath.Join(eventsDir, "feishu-"+name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var ev events.APIGatewayV2HTTPRequest
		if err := json.Unmarshal(raw, &ev); err != nil || ev.Version != "2.0" || ev.IsBase64Encoded || ev.RequestContext.HTTP.Method != "POST" {
			t.Fatalf("%s: %+v, %v", name, ev, err)
		}
		h := http.Header{}
		for k, v := range ev.Headers {
			if k != strings.ToLower(k) {
				t.Errorf("%s: header %s is not lower case", name, k)
			}
			h.Set(k, v)
		}
		d, err := r.Receive(h, []byte(ev.Body))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := describe(d); got != say {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func describe(d delivery.Delivery) string {
	switch {
	case d.Reply != nil:
		return "reply"
	case d.Trigger != nil:
		s := fmt.Sprintf("trigger %s %s %s %s", d.Trigger.Named, d.Trigger.Kind, d.Trigger.Sender.Kind, d.Trigger.Sender.ID)
		if d.Trigger.Thread.Topic {
			s += " topic"
		}
		return s
	case d.Answer != nil:
		return fmt.Sprintf("answer %s %s %s", d.Answer.Item, d.Answer.Choice, d.Answer.Actor.ID)
	}
	return "drop " + d.Drop
}
