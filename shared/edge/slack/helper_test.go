package slack

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

const testSecret = "test-signing-secret"

var (
	testNow     = time.Unix(1700000000, 0)
	testLinkKey = []byte("test-link-key-0000000000")
)

func clock() time.Time { return testNow }

func receiver(t testing.TB) *Receiver {
	t.Helper()
	r, err := NewReceiver(Secrets{SigningSecret: testSecret}, testLinkKey, clock)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// obj is a JSON object in the making.
type obj = map[string]any

// with is a copy of o with more fields, or other values.
func with(o obj, more obj) obj {
	c := obj{}
	for k, v := range o {
		c[k] = v
	}
	for k, v := range more {
		c[k] = v
	}
	return c
}

// envelopeOf is an ordinary delivery to bot user UB of app A1 in workspace T1.
func envelopeOf(event any, more obj) obj {
	return with(obj{
		"type": "event_callback", "team_id": "T1", "api_app_id": "A1", "event_id": "Ev1",
		"authorizations": []any{obj{
			"enterprise_id": nil, "team_id": "T1", "user_id": "UB", "is_bot": true, "is_enterprise_install": false,
		}},
		"event": event,
	}, more)
}

// said is an ordinary message by U1 in channel C1.
func said(more obj) obj {
	return with(obj{
		"type": "message", "channel": "C1", "channel_type": "channel", "user": "U1", "team": "T1",
		"text": "<@UB> hi", "ts": "5.5",
	}, more)
}

func raw(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// receive signs a body and hands it in. It must be accepted.
func receive(t testing.TB, v any) delivery.Delivery {
	t.Helper()
	body, ok := v.([]byte)
	if !ok {
		body = raw(t, v)
	}
	d, err := receiver(t).Receive(Sign(testSecret, body, testNow), body)
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	set := 0
	for _, is := range []bool{d.Reply != nil, d.Trigger != nil, d.Answer != nil, d.Drop != ""} {
		if is {
			set++
		}
	}
	if set != 1 {
		t.Fatalf("%d of Reply, Trigger, Answer and Drop are set: %+v", set, d)
	}
	return d
}

func triggerOf(t testing.TB, v any) trigger.Trigger {
	t.Helper()
	d := receive(t, v)
	if d.Trigger == nil {
		t.Fatalf("no trigger, dropped: %q", d.Drop)
	}
	return *d.Trigger
}

func dropped(t testing.TB, v any) string {
	t.Helper()
	d := receive(t, v)
	if d.Drop == "" {
		t.Fatalf("not dropped: %+v", d)
	}
	return d.Drop
}

func refused(t testing.TB, r *Receiver, h http.Header, body []byte) *delivery.Refusal {
	t.Helper()
	_, err := r.Receive(h, body)
	var refusal *delivery.Refusal
	if !errors.As(err, &refusal) {
		t.Fatalf("not refused: %v", err)
	}
	return refusal
}

func button() inbox.Button {
	return inbox.Button{Item: "itemitemitem", Digest: "d1", Choice: inbox.Allow}
}

// clicked is a click by U1 of T1 on our button in a thread.
func clicked(more obj) obj {
	return with(obj{
		"type": "block_actions", "api_app_id": "A1", "trigger_id": "13345224609.738474920.8088930838d88f008e0",
		"is_enterprise_install": false, "enterprise": nil,
		"team":      obj{"id": "T1", "domain": "acme"},
		"user":      obj{"id": "U1", "username": "ada", "team_id": "T1"},
		"channel":   obj{"id": "C1", "name": "ops"},
		"container": obj{"type": "message", "message_ts": "2.2", "thread_ts": "1.1", "channel_id": "C1"},
		"message":   obj{"type": "message", "ts": "2.2", "thread_ts": "1.1", "team": "T1", "user": "UB"},
		"actions":   []any{obj{"type": "button", "action_id": "p:0", "value": button().Value(testLinkKey), "action_ts": "3.3"}},
	}, more)
}

func form(t testing.TB, payload any) []byte {
	t.Helper()
	return []byte("payload=" + url.QueryEscape(string(raw(t, payload))))
}

func answerOf(t testing.TB, payload any) inbox.Answer {
	t.Helper()
	d := receive(t, form(t, payload))
	if d.Answer == nil {
		t.Fatalf("no answer, dropped: %q", d.Drop)
	}
	return *d.Answer
}
