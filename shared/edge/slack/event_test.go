package slack

import (
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

func TestURLVerificationIsSignedAndAnswered(t *testing.T) {
	t.Parallel()
	body := []byte(`{"type":"url_verification","token":"old","challenge":"c\"1<&>"}`)
	d := receive(t, body)
	if d.Event != "url_verification" || d.Reply == nil || d.Reply.Status != 200 ||
		d.Reply.ContentType != "text/plain; charset=utf-8" || string(d.Reply.Body) != `c"1<&>` {
		t.Fatalf("%+v", d)
	}
	h := Sign("another secret", body, testNow)
	if got := refused(t, receiver(t), h, body); got.Status != 401 {
		t.Fatalf("unsigned challenge: %v", got)
	}
}

func TestSSLCheckDoesNothing(t *testing.T) {
	t.Parallel()
	d := receive(t, []byte("ssl_check=1&token=old"))
	if d.Event != "ssl_check" || d.Reply == nil || d.Reply.Status != 200 || len(d.Reply.Body) != 0 {
		t.Fatalf("%+v", d)
	}
}

func TestMessageBecomesATrigger(t *testing.T) {
	t.Parallel()
	got := triggerOf(t, envelopeOf(said(obj{"ts": "1700000000.000100"}), nil))
	want := trigger.Trigger{
		Platform: "slack", Account: "T1", Kind: "channel",
		Thread:  trigger.Place{Surface: "slack", Account: "T1", Channel: "C1", Thread: "1700000000.000100"},
		Sender:  actor.Actor{Provider: "slack", Workspace: "T1", ID: "U1", Kind: actor.Human},
		Named:   trigger.Mention,
		Text:    "<@UB> hi",
		ID:      "slack:A1:T1:C1:1700000000.000100",
		Message: "1700000000.000100", Delivery: "Ev1", Event: "message", At: time.Unix(1700000000, 0).UTC(),
	}
	if got != want {
		t.Fatalf("\n got %+v\nwant %+v", got, want)
	}
	if got.Sender.Ref() != "slack:T1/U1" {
		t.Fatalf("ref %s", got.Sender.Ref())
	}
}

func TestKindsOfChat(t *testing.T) {
	t.Parallel()
	cases := []struct {
		more  obj
		kind  string
		named trigger.Named
	}{
		{obj{"text": "hi"}, "channel", trigger.NotAt},
		{obj{"text": "hi", "channel_type": "group", "channel": "C2"}, "channel", trigger.NotAt},
		{obj{"text": "hi", "channel_type": "mpim", "channel": "G2"}, "channel", trigger.NotAt},
		{obj{"text": "hi", "channel_type": "im", "channel": "D2"}, "direct", trigger.Direct},
		{obj{"text": "hi", "channel_type": "app_home", "channel": "D2"}, "direct", trigger.Direct},
		{obj{"text": "<@UB> hi", "channel_type": "im", "channel": "D2"}, "direct", trigger.Mention},
		// An id's first letter counts only where no type is given.
		{obj{"text": "hi", "channel_type": "channel", "channel": "D2"}, "channel", trigger.NotAt},
		{obj{"type": "app_mention", "channel_type": nil}, "channel", trigger.Mention},
		{obj{"type": "app_mention", "channel_type": nil, "channel": "D2"}, "direct", trigger.Mention},
	}
	for _, c := range cases {
		got := triggerOf(t, envelopeOf(said(c.more), nil))
		if got.Kind != c.kind || got.Named != c.named {
			t.Errorf("%v: %s, %s", c.more, got.Kind, got.Named)
		}
	}
}

func TestUnknownIsDroppedNotRefused(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{}`, `{"type":"new_thing"}`, `{"type":5}`, `{"type":"event_callback"}`, `{"type":"event_callback","event":7}`,
		`{"type":"event_callback","event":{"type":"reaction_added","item":{}}}`,
		`{"type":"event_callback","event":{"type":"channel_created","channel":{"id":"C9"}}}`,
		`{"type":"app_rate_limited","minute_rate_limited":1}`,
		"command=%2Fx&text=y", "command=%2Fx&text=%zz", "payload={}", `payload={"type":"view_submission"}`,
	} {
		if reason := dropped(t, []byte(body)); reason == "" {
			t.Errorf("%s: no reason", body)
		}
	}
}

func TestSubtypes(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "file_share", "thread_broadcast", "me_message"} {
		triggerOf(t, envelopeOf(said(obj{"subtype": s}), nil))
	}
	for _, s := range []any{
		"message_changed", "message_deleted", "message_replied", "channel_join", "channel_topic", "tombstone",
		"ekm_access_denied", "huddle_thread", "something_new", 7, obj{"x": 1}, true,
	} {
		if got := dropped(t, envelopeOf(said(obj{"subtype": s}), nil)); !strings.HasPrefix(got, "not something somebody said") {
			t.Errorf("%v: %s", s, got)
		}
	}
}

// Odd types of fields never lose an event, and never hide a sign of a bot.
func TestOddTypesNeverLoseTheEvent(t *testing.T) {
	t.Parallel()
	human := []obj{
		{"blocks": "x"}, {"blocks": obj{}}, {"blocks": []any{1, "x", nil, obj{"type": 5, "elements": "y", "style": 3}}},
		{"thread_ts": nil}, {"bot_profile": nil}, {"bot_id": nil}, {"edited": true}, {"files": "x"}, {"attachments": []any{obj{"ts": "not a number"}}},
		{"username": 5}, {"source_team": obj{}},
	}
	for _, more := range human {
		if got := triggerOf(t, envelopeOf(said(more), nil)); got.Sender.Kind != actor.Human || got.Named != trigger.Mention {
			t.Errorf("%v: %+v", more, got)
		}
	}
	bots := []obj{{"bot_id": 9}, {"bot_profile": "x"}, {"bot_profile": []any{}}, {"app_id": 12}, {"bot_profile": obj{"name": 3}}}
	for _, more := range bots {
		if got := triggerOf(t, envelopeOf(said(more), nil)); got.Sender.Kind != actor.Bot {
			t.Errorf("%v: %+v", more, got)
		}
	}
	for _, auth := range []any{nil, "x", obj{}, []any{}, []any{5}, []any{obj{"is_bot": "yes", "user_id": "UB"}}} {
		got := triggerOf(t, envelopeOf(said(nil), obj{"authorizations": auth}))
		if got.Named != trigger.NotAt || got.Account != "T1" {
			t.Errorf("%v: %+v", auth, got)
		}
	}
	// A number is taken by its text: a ts never becomes a float.
	body := strings.Replace(string(raw(t, envelopeOf(said(nil), nil))), `"ts":"5.5"`, `"ts":1700000000.000100`, 1)
	if got := triggerOf(t, []byte(body)); got.Message != "1700000000.000100" {
		t.Errorf("ts %s", got.Message)
	}
}

// Nothing that goes into a key may hold the key's separators.
func TestForeignSignsNeverEnterAKey(t *testing.T) {
	t.Parallel()
	for _, more := range []obj{
		{"channel": "C1:5.5"}, {"channel": ""}, {"channel": nil}, {"ts": "5.5:x"}, {"ts": nil}, {"thread_ts": "1:1"},
		{"user": "U1/U2"}, {"user": ""}, {"ts": strings.Repeat("5", 65)},
	} {
		dropped(t, envelopeOf(said(more), nil))
	}
	dropped(t, envelopeOf(said(nil), obj{"api_app_id": "A1:T1"}))
	got := triggerOf(t, envelopeOf(said(obj{"team": "T1/U9"}), nil))
	if got.Sender.Ref() != "slack:unknown/U1" {
		t.Errorf("ref %s", got.Sender.Ref())
	}
}

func TestLongTextIsCutWithAMarker(t *testing.T) {
	t.Parallel()
	got := triggerOf(t, envelopeOf(said(obj{"text": "<@UB> " + strings.Repeat("é", trigger.MaxText)}), nil))
	if len(got.Text) > trigger.MaxText || !strings.HasSuffix(got.Text, cutMark) || strings.ContainsRune(got.Text, '\uFFFD') {
		t.Fatalf("%d bytes, ends %q", len(got.Text), got.Text[len(got.Text)-40:])
	}
}
