package feishu

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// msg is a received message in parts; zero fields are left out of the JSON.
type msg struct {
	id, root, parent, topic, chat, chatType, kind, content string
	mentions                                               string
	senderType, sender                                     string
}

func (m msg) event(id string) string {
	def := func(s *string, v string) {
		if *s == "" {
			*s = v
		}
	}
	def(&m.id, "om_1")
	def(&m.chat, "oc_1")
	def(&m.chatType, "group")
	def(&m.kind, "text")
	def(&m.content, `{"text":"hi"}`)
	def(&m.senderType, "user")
	def(&m.sender, `{"open_id":"ou_ada","union_id":"on_1"}`)
	fields := []string{fmt.Sprintf(`"message_id":%q,"chat_id":%q,"chat_type":%q,"message_type":%q,"create_time":"1772366390123"`, m.id, m.chat, m.chatType, m.kind)}
	content, _ := json.Marshal(m.content)
	fields = append(fields, `"content":`+string(content))
	for _, f := range [][2]string{{"root_id", m.root}, {"parent_id", m.parent}, {"thread_id", m.topic}} {
		if f[1] != "" {
			fields = append(fields, fmt.Sprintf("%q:%q", f[0], f[1]))
		}
	}
	if m.mentions != "" {
		fields = append(fields, `"mentions":`+m.mentions)
	}
	return wrap(eventMessage, id, fmt.Sprintf(`{"sender":{"sender_id":%s,"sender_type":%q,"tenant_key":"t_1"},"message":{%s}}`, m.sender, m.senderType, strings.Join(fields, ",")))
}

func receiveMsg(t *testing.T, r *Receiver, m msg) *trigger.Trigger {
	t.Helper()
	d := receive(t, r, m.event("e1"))
	if d.Trigger == nil {
		t.Fatalf("no trigger: %+v", d)
	}
	return d.Trigger
}

const atBot = `[{"key":"@_user_1","id":{"open_id":"ou_bot"},"name":"Postern","tenant_key":"t_1"}]`

func TestMessage(t *testing.T) {
	t.Parallel()
	got := receiveMsg(t, testReceiver(t), msg{content: `{"text":"@_user_1 please <look>"}`, mentions: atBot})
	want := trigger.Trigger{
		Platform: "feishu", Account: "cli_a", Kind: "channel",
		Thread:  trigger.Place{Surface: "feishu", Account: "cli_a", Channel: "oc_1", Thread: "om_1"},
		Sender:  actor.Actor{Provider: "feishu", Workspace: "cli_a", ID: "ou_ada", Kind: actor.Human},
		Named:   trigger.Mention,
		Text:    "@Postern please <look>",
		ID:      "feishu:cli_a:om_1",
		Message: "om_1", Delivery: "e1", Event: "im.message.receive_v1",
		At: time.UnixMilli(1772366390123).UTC(),
	}
	if *got != want {
		t.Fatalf("got  %+v\nwant %+v", *got, want)
	}
	if ref := got.Sender.Ref(); ref != "feishu:cli_a/ou_ada" {
		t.Errorf("Ref = %s", ref)
	}
}

func TestDirectMessage(t *testing.T) {
	t.Parallel()
	got := receiveMsg(t, testReceiver(t), msg{chatType: "p2p"})
	if got.Kind != "direct" || got.Named != trigger.Direct {
		t.Errorf("kind %s, named %s", got.Kind, got.Named)
	}
}

// B28: retries keep the message id, whatever the event id; two apps in one
// chat see the same message id and must not share an identity.
func TestB28OneIdentityPerMessageAndApp(t *testing.T) {
	t.Parallel()
	var ids []string
	for i, after := range []time.Duration{0, 15 * time.Second, 5 * time.Minute, time.Hour, 6 * time.Hour} {
		// A fresh receiver each time: nothing is remembered in the process.
		s := testSecrets()
		now := testNow.Add(after)
		r, err := NewReceiver(s, testLink, func() time.Time { return now })
		if err != nil {
			t.Fatal(err)
		}
		d := receive(t, r, msg{id: "om_7"}.event(fmt.Sprintf("e%d", i%2)))
		ids = append(ids, d.Trigger.ID)
	}
	for _, id := range ids {
		if id != "feishu:cli_a:om_7" {
			t.Fatalf("identities %v", ids)
		}
	}
	b := testReceiver(t, func(s *Secrets) { s.AppID = "cli_b" })
	d := receive(t, b, strings.ReplaceAll(msg{id: "om_7"}.event("e1"), "cli_a", "cli_b"))
	if d.Trigger.ID != "feishu:cli_b:om_7" {
		t.Fatalf("the other app's identity is %s", d.Trigger.ID)
	}
}

// B29, B30: Receive does no I/O, so it cannot be late. With the bot's id at
// hand nothing is looked up; without it only mentions and bots ask.
func TestB29NoLookupWithoutNeed(t *testing.T) {
	t.Parallel()
	asked := 0
	lookup := func() string { asked++; return "ou_bot" }
	known := testReceiver(t).WithBot(lookup)
	receiveMsg(t, known, msg{mentions: atBot})
	unknown := testReceiver(t, func(s *Secrets) { s.BotOpenID = "" }).WithBot(lookup)
	receiveMsg(t, unknown, msg{})
	receiveMsg(t, unknown, msg{chatType: "p2p", mentions: atBot})
	if asked != 0 {
		t.Fatalf("asked %d times", asked)
	}
	if got := receiveMsg(t, unknown, msg{mentions: atBot}); got.Named != trigger.Mention || asked != 1 {
		t.Fatalf("named %s after %d look-ups", got.Named, asked)
	}
}

// B39: only the bot's own open_id is a mention of it.
func TestB39Mentions(t *testing.T) {
	t.Parallel()
	other := `[{"key":"@_user_1","id":{"open_id":"ou_other"},"name":"Bob"}]`
	both := `[{"key":"@_user_1","id":{"open_id":"ou_other"},"name":"Bob"},{"key":"@_user_10","id":{"open_id":"ou_bot"},"name":"Postern"}]`
	cases := []struct {
		name, mentions, text string
		bot                  string
		want                 trigger.Named
		wantText             string
	}{
		{"nobody", "", "hi", "ou_bot", trigger.NotAt, "hi"},
		{"somebody else", other, "@_user_1 hi", "ou_bot", trigger.NotAt, "@Bob hi"},
		{"both, one placeholder a part of the other", both, "@_user_1 @_user_10 x", "ou_bot", trigger.Mention, "@Bob @Postern x"},
		{"everybody", "", "@_all look", "ou_bot", trigger.NotAt, "@_all look"},
		{"typed by hand", "", "@_user_1 @Postern hi", "ou_bot", trigger.NotAt, "@_user_1 @Postern hi"},
		{"bot unknown", atBot, "@_user_1 hi", "", trigger.NotAt, "@Postern hi"},
		{"an empty id does not equal an unknown bot", `[{"key":"@_user_1","id":{},"name":"X"}]`, "@_user_1", "", trigger.NotAt, "@X"},
		{"id as a string, as in the REST form", `[{"key":"@_user_1","id":"ou_bot","id_type":"open_id","name":"Postern"}]`, "@_user_1", "ou_bot", trigger.NotAt, "@Postern"},
		{"user_id equal, open_id not", `[{"key":"@_user_1","id":{"user_id":"ou_bot","open_id":"ou_x"},"name":"X"}]`, "@_user_1", "ou_bot", trigger.NotAt, "@X"},
	}
	for _, c := range cases {
		r := testReceiver(t, func(s *Secrets) { s.BotOpenID = c.bot })
		got := receiveMsg(t, r, msg{content: fmt.Sprintf(`{"text":%q}`, c.text), mentions: c.mentions})
		if got.Named != c.want || got.Text != c.wantText {
			t.Errorf("%s: named %s, text %q", c.name, got.Named, got.Text)
		}
	}
}

// B40: where a reply belongs.
func TestB40Threads(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name       string
		m          msg
		thread     string
		topic      bool
		messageKey string
	}{
		{"top level in a group", msg{id: "om_1"}, "om_1", false, "om_1"},
		{"(a) quoted reply in a group", msg{id: "om_2", root: "om_1", parent: "om_1"}, "om_1", false, "om_2"},
		{"deep reply in a group", msg{id: "om_3", root: "om_1", parent: "om_2"}, "om_1", false, "om_3"},
		{"(b) reply in a topic group", msg{id: "om_2", root: "om_1", parent: "om_1", topic: "omt_1", chatType: "topic_group"}, "om_1", true, "om_2"},
		{"new topic in a topic group", msg{id: "om_1", topic: "omt_1", chatType: "topic_group"}, "om_1", true, "om_1"},
		{"topic group that names no topic", msg{id: "om_2", root: "om_1", chatType: "topic_group"}, "om_1", true, "om_2"},
		{"topic within a group", msg{id: "om_2", root: "om_1", topic: "omt_1"}, "om_1", true, "om_2"},
	}
	for _, c := range cases {
		got := receiveMsg(t, testReceiver(t), c.m)
		if got.Thread.Thread != c.thread || got.Thread.Topic != c.topic || got.Message != c.messageKey {
			t.Errorf("%s: %+v, message %s", c.name, got.Thread, got.Message)
		}
		if strings.HasPrefix(got.Thread.Thread, "omt_") { // B42
			t.Errorf("%s: a topic's id where a message's is needed", c.name)
		}
	}
}

// G22 and fact 2.4: bots stay for the gate to judge, our own words do not.
func TestSenders(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, kind, sender, bot string
		want                    actor.Kind
		drop                    string
	}{
		{"person", "user", `{"open_id":"ou_ada"}`, "ou_bot", actor.Human, ""},
		{"another bot", "bot", `{"open_id":"ou_ci"}`, "ou_bot", actor.Bot, ""},
		{"another app", "app", `{"open_id":"ou_ci"}`, "ou_bot", actor.Bot, ""},
		{"our bot", "bot", `{"open_id":"ou_bot"}`, "ou_bot", "", "own message"},
		{"our app by its id", "app", `{"open_id":"cli_a"}`, "ou_bot", "", "own message"},
		{"a bot, ours unknown", "bot", `{"open_id":"ou_ci"}`, "", "", "bot message while the own bot is not known"},
		{"no id", "user", `{"union_id":"on_1"}`, "ou_bot", "", "sender without open_id"},
		{"unknown kind", "anonymous", `{"open_id":"ou_x"}`, "ou_bot", "", "no sender of a known type"},
		{"odd id", "user", `"ou_x"`, "ou_bot", "", "sender without open_id"},
	}
	for _, c := range cases {
		r := testReceiver(t, func(s *Secrets) { s.BotOpenID = c.bot })
		d := receive(t, r, msg{senderType: c.kind, sender: c.sender}.event("e1"))
		if d.Drop != c.drop || (c.drop == "") != (d.Trigger != nil) {
			t.Errorf("%s: drop %q, trigger %v", c.name, d.Drop, d.Trigger)
			continue
		}
		if d.Trigger != nil && d.Trigger.Sender.Kind != c.want {
			t.Errorf("%s: kind %s", c.name, d.Trigger.Sender.Kind)
		}
	}
}

func TestContent(t *testing.T) {
	t.Parallel()
	post := `{"title":"Plan","content":[[{"tag":"at","user_id":"@_user_1","user_name":"P"},{"tag":"text","text":" see "},{"tag":"a","text":"docs","href":"https://x.test/d"}],[{"tag":"code_block","language":"GO","text":"x := 1"}],[{"tag":"img","image_key":"k"},{"tag":"emotion","emoji_type":"SMILE"},{"tag":"future","text":"new"}]]}`
	cases := []struct{ name, kind, content, want string }{
		{"text", "text", `{"text":"a\nb"}`, "a\nb"},
		{"post", "post", post, "Plan\n@Postern see docs (https://x.test/d)\n\nx := 1\n\n[img]:SMILE:new"},
		{"post with languages", "post", `{"zh_cn":{"title":"","content":[[{"tag":"text","text":"ok"}]]}}`, "ok"},
		{"post with odd spans", "post", `{"title":{},"content":[["x",{"tag":"text","text":"ok"},7]]}`, "ok"},
		{"post unreadable", "post", `{"title":`, "[post]"},
		{"text unreadable", "text", `hello`, "[text]"},
		{"image", "image", `{"image_key":"k"}`, "[image]"},
		{"file", "file", `{"file_key":"k","file_name":"plan.pdf"}`, "[file: plan.pdf]"},
		{"card", "interactive", `{"title":"x"}`, "[interactive]"},
		{"unknown", "hologram", ``, "[hologram]"},
	}
	for _, c := range cases {
		if got := readContent(c.kind, []byte(c.content), []mention{{key: "@_user_1", name: "Postern"}}); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	d := receive(t, testReceiver(t), msg{kind: "system"}.event("e1"))
	if d.Drop != "system message" {
		t.Errorf("system: %+v", d)
	}
}

func TestLongTextIsCut(t *testing.T) {
	t.Parallel()
	got := clip(strings.Repeat("界", trigger.MaxText))
	if len(got) > trigger.MaxText || !strings.HasSuffix(got, "bytes more]") || strings.Contains(got, "\uFFFD") {
		t.Errorf("%d bytes, ends %q", len(got), got[len(got)-40:])
	}
	if s := strings.Repeat("a", trigger.MaxText); clip(s) != s {
		t.Error("a text that fits was changed")
	}
}

// Fact 0: odd types of fields cost the field, never the event.
func TestOddFieldsKeepTheEvent(t *testing.T) {
	t.Parallel()
	r := testReceiver(t)
	inside := func(more string) string {
		return wrap(eventMessage, "e1", `{"sender":{"sender_id":{"open_id":"ou_ada","user_id":7},"sender_type":"user"},"message":{"message_id":"om_1","chat_id":"oc_1","content":"{\"text\":\"hi\"}","message_type":"text"`+more+`}}`)
	}
	for _, more := range []string{
		``, `,"mentions":{"a":1}`, `,"mentions":[7,null,"x"]`, `,"create_time":1772366390123`, `,"create_time":{}`,
		`,"chat_type":3`, `,"root_id":false`, `,"thread_id":[]`, `,"update_time":{"x":[]}`,
	} {
		d := receive(t, r, inside(more))
		if d.Trigger == nil || d.Trigger.Text != "hi" || d.Trigger.Thread.Thread != "om_1" || d.Trigger.At.IsZero() {
			t.Errorf("%s: %+v", more, d)
		}
	}
	for _, plain := range []string{
		wrap(eventMessage, "e1", `{}`), wrap(eventMessage, "e1", `null`), wrap(eventMessage, "e1", `"x"`), wrap(eventMessage, "e1", `[]`),
	} {
		if d := receive(t, r, plain); d.Drop == "" {
			t.Errorf("%s: %+v", plain, d)
		}
	}
}

// create_time comes in seconds, milliseconds or microseconds.
func TestInstant(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, s := range []string{"1772366400", "1772366400000", "1772366400000000"} {
		if got, ok := instant(s); !ok || !got.Equal(want) {
			t.Errorf("%s: %v", s, got)
		}
	}
}

// Fact 2.3, 2.4: what is no message is dropped with a reason, and answered 200.
func TestDrops(t *testing.T) {
	t.Parallel()
	r := testReceiver(t)
	cases := []struct{ plain, event, drop string }{
		{wrap("im.message.recalled_v1", "e1", `{"message_id":"om_1"}`), "im.message.recalled_v1", "unknown event"},
		{wrap("im.message.message_read_v1", "e1", `{}`), "im.message.message_read_v1", "unknown event"},
		{wrap("brand.new.event_v9", "e1", `{"x":{"y":[]}}`), "brand.new.event_v9", "unknown event"},
		{strings.ReplaceAll(wrap(eventMessage, "e1", `{}`), "cli_a", "cli_z"), eventMessage, "another app's event"},
		{`{"uuid":"u1","ts":"1772366400.1","token":"token-value","type":"event_callback","event":{"type":"message","text":"hi"}}`, "event_callback", "version 1 event"},
	}
	for _, c := range cases {
		d := receive(t, r, c.plain)
		if d.Event != c.event || d.Drop != c.drop || d.Trigger != nil || d.Answer != nil || d.Reply != nil {
			t.Errorf("%s: %+v", c.event, d)
		}
	}
}
