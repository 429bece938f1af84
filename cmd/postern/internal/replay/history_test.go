package replay_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/cmd/postern/internal/event"
	"github.com/postern-dev/postern/cmd/postern/internal/replay"
)

func signed(t *testing.T, raw []byte, at time.Time) []byte {
	t.Helper()
	f, err := event.Read(raw)
	if err != nil {
		t.Fatal(err)
	}
	if f, err = event.DevSecrets().Sign(f, at); err != nil {
		t.Fatal(err)
	}
	out, err := f.Write()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func one(t *testing.T, raw []byte) replay.Line {
	t.Helper()
	return open(t, nil).File(context.Background(), "x.json", raw)
}

// TestU13Refusals: each way a delivery is not accepted has its status and its
// stable code.
func TestU13Refusals(t *testing.T) {
	t.Parallel()
	fresh := func(name string) []byte { return signed(t, sample(t, name), today) }
	get := func(raw []byte) []byte { return []byte(strings.ReplaceAll(string(raw), `"POST"`, `"GET"`)) }
	for name, c := range map[string]struct {
		raw    []byte
		status int
		code   string
	}{
		"slack, stale":             {sample(t, "slack-app_mention.json"), 401, "stale"},
		"feishu, stale":            {sample(t, "feishu-message-mention.json"), 401, "stale"},
		"slack, from the future":   {signed(t, sample(t, "slack-app_mention.json"), today.Add(time.Hour)), 401, "stale"},
		"slack, forged":            {[]byte(strings.Replace(string(fresh("slack-app_mention.json")), "deploy 42", "deploy 43", 1)), 401, "bad_signature"},
		"github, forged":           {[]byte(strings.Replace(string(fresh("github-issues-opened.json")), "find out why", "delete it all", 1)), 401, "bad_signature"},
		"slack, unreadable":        {body(t, "slack-app_mention.json", `{"type":`), 400, "unreadable"},
		"github, unreadable":       {body(t, "github-ping.json", `[`), 400, "unreadable"},
		"slack, over its limit":    {body(t, "slack-app_mention.json", `{"a":"`+strings.Repeat("x", 1<<20)+`"}`), 413, "too_large"},
		"github, over any limit":   {body(t, "github-issues-opened.json", `{"a":"`+strings.Repeat("x", 6<<20)+`"}`), 413, "too_large"},
		"body is not base64":       {[]byte(strings.Replace(string(fresh("slack-app_mention.json")), `"isBase64Encoded": false`, `"isBase64Encoded": true`, 1)), 400, "unreadable"},
		"not a POST":               {get(fresh("slack-app_mention.json")), 405, "wrong_method"},
		"unknown event":            {fresh("github-unknown-event.json"), 200, "unknown_event"},
		"left alone":               {fresh("slack-message-changed.json"), 200, "dropped"},
		"no JSON":                  {[]byte("hello"), 0, "not_an_event"},
		"two objects":              {[]byte("{} {}"), 0, "not_an_event"},
		"a list":                   {[]byte("[]"), 0, "not_an_event"},
		"JSON of another kind":     {[]byte(`{"Records": []}`), 0, "not_an_event"},
		"a path of no platform":    {[]byte(`{"rawPath":"/hooks/teams","requestContext":{"http":{"method":"POST"}}}`), 404, "not_configured"},
		"a request without a body": {[]byte(`{"rawPath":"/hooks/github","requestContext":{"http":{"method":"POST"}}}`), 401, "bad_signature"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := one(t, c.raw)
			if l.Status != c.status || l.Error == nil || l.Error.Code != c.code || l.Error.Message == "" {
				t.Fatalf("want %d %s, got %d %+v", c.status, c.code, l.Status, l.Error)
			}
			if l.Trigger != nil || l.Admission != nil || l.Resolution != nil {
				t.Fatalf("something came of it: %+v", l)
			}
			if l.Failed() != (c.code == "not_an_event") {
				t.Fatal("failed:", l.Failed())
			}
		})
	}
}

// body replaces a sample's body and signs it.
func body(t *testing.T, name, text string) []byte {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(sample(t, name), &m); err != nil {
		t.Fatal(err)
	}
	m["body"] = text
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return signed(t, raw, today)
}

// TestG52NotConfigured: a platform without secrets has no entrance.
func TestG52NotConfigured(t *testing.T) {
	t.Parallel()
	r := open(t, func(c *replay.Config) { c.Secrets.GitHub = nil })
	if l := r.File(context.Background(), "x", signed(t, sample(t, "github-ping.json"), today)); l.Status != 404 || l.Error.Code != "not_configured" {
		t.Fatalf("%+v", l)
	}
	if l := r.File(context.Background(), "x", signed(t, sample(t, "slack-app_mention.json"), today)); l.Status != 200 || l.Admission.Strength != "explicit" {
		t.Fatalf("%+v", l)
	}
}

// TestG47OneHistory: a second copy of a delivery says so, and starts nothing;
// so does the other event that Slack sends of one mention.
func TestG47OneHistory(t *testing.T) {
	t.Parallel()
	r := open(t, nil)
	mention := signed(t, sample(t, "slack-app_mention.json"), today)
	l := r.File(context.Background(), "a", mention)
	if l.Admission == nil || l.Admission.Strength != "explicit" || l.Error != nil || l.Outcome == "" {
		t.Fatalf("%+v", l)
	}
	for name, raw := range map[string][]byte{"b": mention, "c": signed(t, sample(t, "slack-message.json"), today)} {
		l := r.File(context.Background(), name, raw)
		if l.Status != 200 || l.Error == nil || l.Error.Code != "duplicate" || !strings.Contains(l.Error.Message, "in a") {
			t.Fatalf("%s: %+v", name, l.Error)
		}
		if l.Trigger == nil || l.Admission.Strength != "not_admitted" || !strings.HasPrefix(l.Admission.Reason, "duplicate") {
			t.Fatalf("%s: %+v", name, l.Admission)
		}
	}
}

// TestB05MentionAfterMessage: of the two events in the other order the mention
// counts.
func TestB05MentionAfterMessage(t *testing.T) {
	t.Parallel()
	r := open(t, nil)
	first := r.File(context.Background(), "a", signed(t, sample(t, "slack-message.json"), today))
	second := r.File(context.Background(), "b", signed(t, sample(t, "slack-app_mention.json"), today))
	explicit := 0
	for _, l := range []replay.Line{first, second} {
		if l.Admission.Strength == "explicit" {
			explicit++
		}
	}
	if explicit != 1 {
		t.Fatalf("%d of the two started work: %+v, %+v", explicit, first.Admission, second.Admission)
	}
}

// TestG3ThreadHasATicket: what was accepted earlier in the history makes a
// later message of its thread reach the ticket.
func TestG3ThreadHasATicket(t *testing.T) {
	t.Parallel()
	reply := signed(t, sample(t, "github-issue_comment-unlisted.json"), today)
	if l := one(t, reply); l.Admission.Strength != "not_admitted" {
		t.Fatalf("alone: %+v", l.Admission)
	}
	r := open(t, nil)
	r.File(context.Background(), "a", signed(t, sample(t, "github-issues-opened.json"), today))
	l := r.File(context.Background(), "b", reply)
	if l.Admission.Strength != "inferred" || !strings.HasPrefix(l.Outcome, "delivered to ticket") {
		t.Fatalf("after the issue: %+v %s", l.Admission, l.Outcome)
	}
}

// TestU13Policy: the policy given is the one that judges.
func TestU13Policy(t *testing.T) {
	t.Parallel()
	mention := signed(t, sample(t, "slack-app_mention.json"), today)
	r := open(t, func(c *replay.Config) { c.Policy.Sources[0].Listed = nil })
	if l := r.File(context.Background(), "a", mention); l.Admission.Strength != "not_admitted" || l.Admission.Cell != "unlisted_named" {
		t.Fatalf("%+v", l.Admission)
	}
	r = open(t, func(c *replay.Config) { c.Policy.Sources[0].Persona = "nobody" })
	if l := r.File(context.Background(), "a", mention); l.Error == nil || l.Error.Code != "not_judged" || !l.Failed() || l.Admission != nil {
		t.Fatalf("a persona that does not exist: %+v", l)
	}
}

// TestAnswersOfOneHistory: a click is an answer, and its second copy says so.
func TestAnswersOfOneHistory(t *testing.T) {
	t.Parallel()
	r := open(t, nil)
	click := signed(t, sample(t, "slack-block_actions.json"), today)
	l := r.File(context.Background(), "a", click)
	if l.Resolution == nil || l.Resolution.Actor != "slack:T0DEV/U0ADA" || l.Resolution.Choice != "allow" || l.Error != nil {
		t.Fatalf("%+v", l)
	}
	if l := r.File(context.Background(), "b", click); l.Error == nil || l.Error.Code != "duplicate" || l.Resolution == nil {
		t.Fatalf("%+v", l)
	}
}

// TestNoVerify: without verification any signature will do, and only that is
// left out: what cannot be read is still refused.
func TestNoVerify(t *testing.T) {
	t.Parallel()
	r := open(t, func(c *replay.Config) { c.Unverified = true })
	forged := []byte(strings.ReplaceAll(string(sample(t, "slack-app_mention.json")), "deploy 42", "deploy 43"))
	if l := r.File(context.Background(), "a", forged); l.Status != 200 || l.Admission.Strength != "explicit" || !strings.Contains(l.Trigger.Text, "43") {
		t.Fatalf("%+v", l)
	}
	if l := r.File(context.Background(), "b", body(t, "slack-app_mention.json", "{")); l.Status != 400 {
		t.Fatalf("%+v", l)
	}
	plain := `{"schema":"2.0","header":{"event_id":"e1","event_type":"im.message.receive_v1","token":"another","app_id":"cli_dev"},` +
		`"event":{"sender":{"sender_id":{"open_id":"ou_ada"},"sender_type":"user"},"message":{"message_id":"om_1","chat_id":"oc_p2p","chat_type":"p2p","message_type":"text","content":"{\"text\":\"hi\"}"}}}`
	file, err := json.Marshal(map[string]any{"rawPath": "/hooks/feishu", "body": plain,
		"requestContext": map[string]any{"http": map[string]any{"method": "POST"}}})
	if err != nil {
		t.Fatal(err)
	}
	if l := r.File(context.Background(), "c", file); l.Status != 200 || l.Admission == nil || l.Admission.Strength != "explicit" {
		t.Fatalf("a Feishu delivery in plain text: %+v %+v", l, l.Error)
	}
}
