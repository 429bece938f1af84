package slack

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
)

// fourKB is a mention as Slack sends it, with rich text, of about 4 KB.
func fourKB(tb testing.TB) ([]byte, http.Header) {
	tb.Helper()
	words := strings.Repeat("please look at the deploy ", 12)
	var parts []any
	for range 4 {
		parts = append(parts, section(obj{"type": "text", "text": words}, obj{"type": "text", "text": "now", "style": obj{"bold": true}}))
	}
	parts = append(parts, section(obj{"type": "user", "user_id": "UB"}))
	body := raw(tb, envelopeOf(said(obj{
		"type": "app_mention", "text": strings.Repeat(words+"\n", 5) + "<@UB>", "client_msg_id": "0f9b6a2e-6a5f-4a55-9a55-7d3f1a1b2c3d",
		"blocks": rich(parts...), "event_ts": "5.5",
	}), obj{"token": "x", "event_time": 1700000000, "event_context": "4-abc", "is_ext_shared_channel": false}))
	if len(body) < 3800 || len(body) > 4300 {
		tb.Fatalf("%d bytes", len(body))
	}
	return body, Sign(testSecret, body, testNow)
}

// The goal is 30 µs to verify, parse and normalise at 4 KB.
func BenchmarkReceive4KB(b *testing.B) {
	body, h := fourKB(b)
	r := receiver(b)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if d, err := r.Receive(h, body); err != nil || d.Trigger == nil {
			b.Fatal(err)
		}
	}
}

// The SDK's own verifier and parser on the same payload.
func BenchmarkSDKReceive4KB(b *testing.B) {
	body, _ := fourKB(b)
	h := Sign(testSecret, body, time.Now()) // the SDK checks against the real clock
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		v, err := slack.NewSecretsVerifier(h, testSecret)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := v.Write(body); err != nil {
			b.Fatal(err)
		}
		if err := v.Ensure(); err != nil {
			b.Fatal(err)
		}
		if _, err := slackevents.ParseEvent(json.RawMessage(body), slackevents.OptionNoVerifyToken()); err != nil {
			b.Fatal(err)
		}
	}
}
