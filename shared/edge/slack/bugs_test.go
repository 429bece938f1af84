package slack

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// Bug reports of public receivers, each with an input that shows it.

func TestB01_RetryIsTheSameTrigger(t *testing.T) {
	t.Parallel()
	body := raw(t, envelopeOf(said(nil), nil))
	first, err := receiver(t).Receive(Sign(testSecret, body, testNow), body)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x-slack-retry-num", "X-Slack-Retry-Num"} { // B04: no logic hangs on it
		h := Sign(testSecret, body, testNow.Add(3*time.Second))
		h[name] = []string{"1"}
		h["X-Slack-Retry-Reason"] = []string{"http_timeout"}
		again, err := receiver(t).Receive(h, body)
		if err != nil || *again.Trigger != *first.Trigger {
			t.Errorf("%s: %v, %+v", name, err, again)
		}
	}
}

func TestB03_NewEventIDIsTheSameTrigger(t *testing.T) {
	t.Parallel()
	a := triggerOf(t, envelopeOf(said(nil), obj{"event_id": "Ev1"}))
	b := triggerOf(t, envelopeOf(said(nil), obj{"event_id": "Ev2"}))
	if a.ID != b.ID || a.Delivery == b.Delivery {
		t.Fatalf("%s %s, %s %s", a.ID, b.ID, a.Delivery, b.Delivery)
	}
	// But not the one of another app, installation, channel or time.
	for _, v := range []obj{
		envelopeOf(said(nil), obj{"api_app_id": "A2"}),
		envelopeOf(said(nil), obj{"authorizations": []any{obj{"team_id": "T2", "user_id": "UB", "is_bot": true}}}),
		envelopeOf(said(obj{"channel": "C2"}), nil),
		envelopeOf(said(obj{"ts": "5.6"}), nil),
	} {
		if c := triggerOf(t, v); c.ID == a.ID {
			t.Errorf("%v has the same identity", v)
		}
	}
}

// B05, B06: the message finds the mention by itself, so either order will do.
func TestB05_B06_MentionAndMessageAreOne(t *testing.T) {
	t.Parallel()
	m := triggerOf(t, envelopeOf(said(nil), obj{"event_id": "Ev1"}))
	a := triggerOf(t, envelopeOf(said(obj{"type": "app_mention", "channel_type": nil}), obj{"event_id": "Ev2"}))
	if m.ID != a.ID || m.Named != trigger.Mention || a.Named != trigger.Mention || m.Thread != a.Thread || m.Sender != a.Sender {
		t.Fatalf("\n%+v\n%+v", m, a)
	}
}

func TestB07_ChangeWithoutAnEditIsDropped(t *testing.T) {
	t.Parallel()
	inner := obj{"user": "U1", "text": "<@UB> hi", "ts": "5.5"}
	dropped(t, envelopeOf(obj{
		"type": "message", "subtype": "message_changed", "hidden": true, "channel": "C1", "channel_type": "channel",
		"ts": "6.6", "message": inner, "previous_message": inner,
	}, nil))
}

func TestB08_UnfurlOfOwnPostAndEmptyTextAreDropped(t *testing.T) {
	t.Parallel()
	dropped(t, envelopeOf(obj{
		"type": "message", "subtype": "message_changed", "hidden": true, "channel": "C1", "ts": "6.6",
		"message": obj{"bot_id": "B1", "text": "see https://x"},
	}, nil))
	for _, text := range []any{"", nil, "  \n"} {
		if got := dropped(t, envelopeOf(said(obj{"text": text}), nil)); got != "no text" {
			t.Errorf("%v: %s", text, got)
		}
	}
}

// Another app's mention is a bot's: the gate admits it only by the bot list.
func TestB10_OtherBotsAreBots(t *testing.T) {
	t.Parallel()
	for _, more := range []obj{
		{"bot_id": "B9", "app_id": "A9", "user": nil},
		{"bot_id": "B9", "app_id": "A9"},
		{"bot_profile": obj{"app_id": "A9", "name": "other"}},
		{"app_id": "A9"},
		{"subtype": "bot_message", "bot_id": "B9", "app_id": "A9", "user": nil},
	} {
		got := triggerOf(t, envelopeOf(said(with(more, obj{"type": "app_mention", "text": "<@UB> x"})), nil))
		if got.Sender.Kind != actor.Bot || got.Sender.Ref() != "slack:T1/A9" {
			t.Errorf("%v: %+v", more, got.Sender)
		}
	}
	if got := triggerOf(t, envelopeOf(said(obj{"user": "USLACKBOT"}), nil)); got.Sender.Kind != actor.Bot {
		t.Errorf("%+v", got.Sender)
	}
	if got := triggerOf(t, envelopeOf(said(obj{"bot_id": "B9", "user": nil}), nil)); got.Sender.Ref() != "slack:T1/B9" {
		t.Errorf("%+v", got.Sender)
	}
}

func TestB11_OwnMessagesAreDropped(t *testing.T) {
	t.Parallel()
	for _, more := range []obj{
		{"bot_profile": obj{"app_id": "A1"}, "user": nil},
		{"app_id": "A1", "bot_id": "B1", "user": nil},
		{"user": "UB"},
		{"user": "UB", "subtype": "file_share"},
		{"app_id": "A1", "type": "app_mention"},
	} {
		if got := dropped(t, envelopeOf(said(more), nil)); got != "own message" {
			t.Errorf("%v: %s", more, got)
		}
	}
	// Two unknowns are not the same.
	triggerOf(t, envelopeOf(said(nil), obj{"api_app_id": ""}))
	triggerOf(t, envelopeOf(said(obj{"bot_profile": obj{}}), obj{"api_app_id": nil}))
}

func TestB23_NewBlockElementsNeverLoseAnything(t *testing.T) {
	t.Parallel()
	brandNew := []any{
		obj{"type": "actions", "elements": []any{obj{"type": "brand_new", "options": 5}}},
		obj{"type": "context", "elements": []any{obj{"type": "brand_new"}}},
		obj{"type": "input", "element": obj{"type": "brand_new"}},
		obj{"type": "brand_new_block", "elements": obj{"a": 1}},
	}
	if got := triggerOf(t, envelopeOf(said(obj{"blocks": brandNew}), nil)); got.Named != trigger.Mention {
		t.Errorf("%+v", got)
	}
	message := obj{"ts": "2.2", "thread_ts": "1.1", "team": "T1", "blocks": brandNew, "attachments": []any{obj{"ts": "x"}}}
	if got := answerOf(t, clicked(obj{"message": message})); got.Item != "itemitemitem" {
		t.Errorf("%+v", got)
	}
}

// B25: a mention at the top and a reply under it are one Thread, and both are
// answered there.
func TestB25_TopLevelMentionAndItsReplies(t *testing.T) {
	t.Parallel()
	top := triggerOf(t, envelopeOf(said(obj{"ts": "1.1"}), nil))
	reply := triggerOf(t, envelopeOf(said(obj{"ts": "2.2", "thread_ts": "1.1"}), nil))
	parent := triggerOf(t, envelopeOf(said(obj{"ts": "1.1", "thread_ts": "1.1"}), nil))
	if top.Thread != reply.Thread || top.Thread != parent.Thread || top.Thread.Thread != "1.1" || top.ID != parent.ID || top.ID == reply.ID {
		t.Fatalf("\n%+v\n%+v\n%+v", top, reply, parent)
	}
}

func TestB26_EntitiesAreUndoneOnceAndAfterTheTags(t *testing.T) {
	t.Parallel()
	cases := []struct {
		in, out string
		named   trigger.Named
	}{
		{"if a &lt; b &amp;&amp; c &gt; d", "if a < b && c > d", trigger.NotAt},
		{"&amp;lt;", "&lt;", trigger.NotAt},
		{"&lt;@UB&gt;", "<@UB>", trigger.NotAt},
		{"&amp;lt;@UB&amp;gt;", "&lt;@UB&gt;", trigger.NotAt},
		{"<@UB> see <https://x/?a=1&amp;b=2|a &amp; b>", "<@UB> see <https://x/?a=1&b=2|a & b>", trigger.Mention},
		{"&quot;&nbsp;&#60;", "&quot;&nbsp;&#60;", trigger.NotAt},
	}
	for _, c := range cases {
		got := triggerOf(t, envelopeOf(said(obj{"text": c.in}), nil))
		if got.Text != c.out || got.Named != c.named {
			t.Errorf("%q: %q, %s", c.in, got.Text, got.Named)
		}
	}
}

// B27: the installation is whom the delivery is for, the sender's workspace is
// the sender's own, and neither is the outer team.
func TestB27_SharedChannels(t *testing.T) {
	t.Parallel()
	ours := []any{obj{"enterprise_id": nil, "team_id": "TOURS", "user_id": "UB", "is_bot": true, "is_enterprise_install": false}}
	shared := obj{"team_id": "TPARTNER", "enterprise_id": "EP", "authorizations": ours, "is_ext_shared_channel": true}
	got := triggerOf(t, envelopeOf(said(obj{"team": "TPARTNER", "user_team": "TPARTNER", "source_team": "TPARTNER"}), shared))
	if got.Account != "TOURS" || got.Thread.Account != "TOURS" || got.Sender.Ref() != "slack:TPARTNER/U1" || got.ID != "slack:A1:TOURS:C1:5.5" {
		t.Fatalf("%+v", got)
	}
	// Whichever field says it, the writer's own workspace counts before the channel's.
	for _, more := range []obj{
		{"team": "TOURS", "user_team": "TPARTNER"}, {"team": "TOURS", "source_team": "TPARTNER"},
		{"team": nil, "user_team": "TPARTNER", "source_team": "TOURS"},
	} {
		if got := triggerOf(t, envelopeOf(said(more), shared)); got.Sender.Ref() != "slack:TPARTNER/U1" {
			t.Errorf("%v: %s", more, got.Sender.Ref())
		}
	}
	// A sender whose workspace is not said is on no list.
	if got := triggerOf(t, envelopeOf(said(obj{"team": nil}), shared)); got.Sender.Ref() != "slack:unknown/U1" {
		t.Errorf("%+v", got.Sender)
	}
	// No installation said: the partner's team is never taken for it.
	if got := dropped(t, envelopeOf(said(nil), with(shared, obj{"authorizations": nil}))); got != "names no installation" {
		t.Error(got)
	}
	if got := triggerOf(t, envelopeOf(said(nil), with(shared, obj{"authorizations": nil, "context_team_id": "TOURS"}))); got.Account != "TOURS" {
		t.Error(got.Account)
	}
	// An organisation's installation goes by the organisation.
	org := []any{obj{"enterprise_id": "E1", "team_id": nil, "user_id": "UB", "is_bot": true, "is_enterprise_install": true}}
	if got := triggerOf(t, envelopeOf(said(nil), obj{"authorizations": org})); got.Account != "E1" || got.Sender.Ref() != "slack:T1/U1" {
		t.Errorf("%+v", got)
	}
}

// Every subset of a body that is cut off is unreadable, none is half taken.
func TestTruncatedBodiesAreUnreadable(t *testing.T) {
	t.Parallel()
	body := raw(t, envelopeOf(said(nil), nil))
	for n := 1; n < len(body); n++ {
		_, err := receiver(t).Receive(Sign(testSecret, body[:n], testNow), body[:n])
		if r, ok := err.(*delivery.Refusal); !ok || r.Code != "unreadable" {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
	deep := []byte(`{"type":"event_callback","event":{"blocks":` + strings.Repeat(`[{"elements":`, 20000))
	if got := refused(t, receiver(t), Sign(testSecret, deep, testNow), deep); got.Code != "unreadable" {
		t.Fatal(got)
	}
}

// B16: nothing runs on after the answer; the sandbox is frozen then. Not
// parallel, so that the count is of this test alone.
func TestB16_NothingRunsOnAfterReceive(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, body := range [][]byte{
		raw(t, envelopeOf(said(nil), nil)), form(t, clicked(nil)), []byte("ssl_check=1"), []byte(`{"type":"url_verification","challenge":"c"}`),
	} {
		receive(t, body)
		if after := runtime.NumGoroutine(); after != before {
			t.Fatalf("%d goroutines before, %d after", before, after)
		}
	}
}
