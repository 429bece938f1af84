package slack

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	edge "github.com/postern-dev/postern/shared/edge/slack"
)

var updateEvents = flag.Bool("update", false, "write the event files anew")

const eventsDir = "../../../../events"

var eventTime = time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)

// sample is one event file: a body, and what our side must make of it.
type sample struct {
	body []byte
	want func(delivery.Delivery) bool
}

func samples() map[string]sample {
	s := New(DevConfig(), func() time.Time { return eventTime })
	at := eventTime.Unix()
	said := &Message{Channel: "C0OPS", TS: "1767607200.000100", User: "U0ADA", Text: "<@U0AGENT> please deploy 42"}
	mention := s.message(said, "please deploy 42", true)
	direct := &Message{Channel: "D0ADA", TS: "1767607200.000200", User: "U0ADA", Text: "what is open?"}
	changed := reply{
		"type": "message", "subtype": "message_changed", "hidden": true, "channel": "C0OPS", "channel_type": "channel",
		"ts": "1767607200.000300", "event_ts": "1767607200.000300", "message": mention, "previous_message": mention,
	}
	allow := inbox.Button{Item: inbox.ItemID("s-dev", 1, 0, "digest-dev"), Digest: "digest-dev", Choice: inbox.Allow}
	card := &Message{Channel: "C0APPROVALS", TS: "1767607200.000400", User: "U0AGENT", Text: "Post to #ops"}
	button := Button{Label: "Allow", Value: allow.Value([]byte("dev-link-key-000000000000000000000")), ActionID: "postern:0"}

	const identity = "slack:A0DEV:T0DEV:C0OPS:1767607200.000100"
	return map[string]sample{
		"url_verification": {encode(reply{"type": "url_verification", "token": "unused", "challenge": "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmd"}),
			func(d delivery.Delivery) bool {
				return d.Reply != nil && string(d.Reply.Body) == "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmd"
			}},
		"message": {s.envelope("Ev000001", at, mention),
			func(d delivery.Delivery) bool {
				return d.Trigger != nil && d.Trigger.ID == identity && d.Trigger.Named == "mention"
			}},
		"app_mention": {s.envelope("Ev000002", at, mentionOf(mention)),
			func(d delivery.Delivery) bool {
				return d.Trigger != nil && d.Trigger.ID == identity && d.Trigger.Named == "mention"
			}},
		"message-direct": {s.envelope("Ev000003", at, s.message(direct, "what is open?", false)),
			func(d delivery.Delivery) bool {
				return d.Trigger != nil && d.Trigger.Kind == "direct" && d.Trigger.Named == "direct"
			}},
		"message-changed": {s.envelope("Ev000004", at, changed),
			func(d delivery.Delivery) bool { return d.Drop != "" }},
		"block_actions": {s.click(card, button, "U0ADA", "1767607200.000500"),
			func(d delivery.Delivery) bool {
				return d.Answer != nil && d.Answer.Item == allow.Item && d.Answer.Choice == "allow" && d.Answer.Actor.Ref() == "slack:T0DEV/U0ADA"
			}},
		"ssl_check": {[]byte("ssl_check=1&token=unused"),
			func(d delivery.Delivery) bool { return d.Reply != nil && d.Reply.Status == 200 }},
	}
}

// lambda is a request as the HTTP API hands it to a function: payload version
// 2.0, header names in lower case, what is no text in base64.
func lambda(body []byte) []byte {
	headers := map[string]string{"host": "api.example.com", "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)", "x-forwarded-proto": "https"}
	for k, v := range edge.Sign(DevSecrets().SigningSecret, body, eventTime) {
		headers[string(bytes.ToLower([]byte(k)))] = v[0]
	}
	event := reply{
		"version": "2.0", "routeKey": "POST /hooks/slack", "rawPath": "/hooks/slack", "rawQueryString": "", "headers": headers,
		"requestContext": reply{
			"accountId": "000000000000", "apiId": "devapi", "domainName": "api.example.com", "domainPrefix": "api",
			"http":      reply{"method": "POST", "path": "/hooks/slack", "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": headers["user-agent"]},
			"requestId": "dev-request", "routeKey": "POST /hooks/slack", "stage": "$default",
			"time": eventTime.Format("02/Jan/2006:15:04:05 -0700"), "timeEpoch": eventTime.UnixMilli(),
		},
		"body": string(body), "isBase64Encoded": false,
	}
	if headers["content-type"] != "application/json" {
		event["body"], event["isBase64Encoded"] = base64.StdEncoding.EncodeToString(body), true
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(event); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// The files in events/ are what this package makes, byte for byte.
func TestEventFilesAreAsMade(t *testing.T) {
	t.Parallel()
	for name, s := range samples() {
		path := filepath.Join(eventsDir, "slack-"+name+".json")
		made := lambda(s.body)
		if *updateEvents {
			if err := os.WriteFile(path, made, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		kept, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(kept, made) {
			t.Errorf("%s differs from what is made; run with -update", path)
		}
	}
	files, err := filepath.Glob(filepath.Join(eventsDir, "slack-*.json"))
	if err != nil || len(files) != len(samples()) {
		t.Errorf("%d files, %d samples, %v", len(files), len(samples()), err)
	}
}

// B12: each file verifies as the function gets it, in either encoding, and
// means what it should.
func TestB12_EventFilesAreReceived(t *testing.T) {
	t.Parallel()
	r, err := edge.NewReceiver(DevSecrets(), []byte("dev-link-key-000000000000000000000"), func() time.Time { return eventTime })
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range samples() {
		raw, err := os.ReadFile(filepath.Join(eventsDir, "slack-"+name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var e struct {
			Headers         map[string]string
			Body            string
			IsBase64Encoded bool
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		body := []byte(e.Body)
		if e.IsBase64Encoded {
			if body, err = base64.StdEncoding.DecodeString(e.Body); err != nil {
				t.Fatal(err)
			}
		}
		h := http.Header{}
		for k, v := range e.Headers {
			h[k] = []string{v} // in lower case, as they come
		}
		d, err := r.Receive(h, body)
		if err != nil || !s.want(d) {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
}
