package feishu

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
	edge "github.com/postern-dev/postern/shared/edge/feishu"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// clock is a time that only the test moves.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.t }

func (c *clock) move(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.t = c.t.Add(d) }

// world is a stand-in with a client that talks to it through the real SDK.
type world struct {
	*Server
	clock  *clock
	client *edge.Client
	ctx    context.Context
}

func newWorld(t *testing.T, change ...func(*edge.Secrets)) world {
	t.Helper()
	c := &clock{t: start}
	s := New(DevSecrets(), c.now)
	mux := http.NewServeMux()
	mux.Handle("/somewhere/feishu/", s) // mounted under a prefix
	api := httptest.NewServer(mux)
	t.Cleanup(api.Close)
	sec := DevSecrets()
	for _, f := range change {
		f(&sec)
	}
	client, err := edge.NewClient(sec, api.URL+"/somewhere/feishu", api.Client(), c.now)
	if err != nil {
		t.Fatal(err)
	}
	return world{s, c, client, t.Context()}
}

func place(thread string) trigger.Place {
	return trigger.Place{Surface: trigger.Feishu, Account: "cli_dev", Channel: "oc_ops", Thread: thread}
}

func pending() inbox.Card {
	return inbox.Card{
		Item: "item1", Kind: inbox.Approval, Code: "item1", Title: "Comment on acme/shop#7", Text: "Post one comment.",
		Tool: "github_comment", Risk: "consequential", Version: 1,
		Buttons: []inbox.CardButton{{Label: "Allow", Value: "v-allow", Style: "primary"}, {Label: "Deny", Value: "v-deny", Style: "danger"}},
	}
}

func settled() inbox.Card {
	c := pending()
	c.Buttons, c.Settled, c.Status, c.Version = nil, true, "Allowed by Ada", 2
	return c
}

func sendError(t *testing.T, err error) *delivery.SendError {
	t.Helper()
	var e *delivery.SendError
	if !errors.As(err, &e) {
		t.Fatalf("not a SendError: %v", err)
	}
	for _, secret := range []string{"dev-feishu", "t-", "Post one comment"} {
		if strings.Contains(err.Error(), secret) {
			t.Fatalf("the error holds a secret or a body: %v", err)
		}
	}
	return e
}

func (w world) post(t *testing.T, p trigger.Place, key string) string {
	t.Helper()
	id, err := w.client.Post(w.ctx, p, pending(), key)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// B33, B34: a card is posted updatable, and PATCH settles it.
func TestB34CardIsPatched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.post(t, place(""), "k1")
	m, _ := w.Message(id)
	if m.Chat != "oc_ops" || m.Kind != "interactive" || !m.FromBot || len(m.Buttons) != 2 || m.State != "posted" {
		t.Fatalf("posted %+v", m)
	}
	if err := w.client.Update(w.ctx, inbox.Reference{Place: place(""), Message: id}, settled()); err != nil {
		t.Fatal(err)
	}
	m, _ = w.Message(id)
	if m.State != "updated" || len(m.Buttons) != 0 || !strings.Contains(m.Text, "Allowed by Ada") {
		t.Fatalf("settled %+v", m)
	}
	if w.Calls(OpPatch) != 1 || w.Calls(OpPut) != 0 {
		t.Errorf("PATCH %d, PUT %d", w.Calls(OpPatch), w.Calls(OpPut))
	}
}

// B36: each update is the whole present state, so the last one wins whatever
// came before it.
func TestB36WholeState(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.post(t, place(""), "k1")
	ref := inbox.Reference{Place: place(""), Message: id}
	for _, c := range []inbox.Card{settled(), pending(), settled()} {
		if err := w.client.Update(w.ctx, ref, c); err != nil {
			t.Fatal(err)
		}
	}
	if m, _ := w.Message(id); len(m.Buttons) != 0 || m.Changes != 3 {
		t.Errorf("%+v", m)
	}
}

// An answer that was lost: the retry with the same key is the same message.
func TestRetryWithSameKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Inject(Fault{On: OpCreate, After: true})
	_, err := w.client.Post(w.ctx, place(""), pending(), "k1")
	if e := sendError(t, err); e.Final || e.Code != "network" {
		t.Fatalf("lost answer: %v", err)
	}
	first := w.post(t, place(""), "k1")
	if again := w.post(t, place(""), "k1"); again != first || len(w.Messages("")) != 1 {
		t.Fatalf("%d messages", len(w.Messages("")))
	}
	if other := w.post(t, place(""), "k2"); other == first {
		t.Error("another key, the same message")
	}
	// One item is shown at several places under one key.
	w.AddChat(Chat{ID: "oc_two", Kind: Group})
	two := place("")
	two.Channel = "oc_two"
	if m, _ := w.Message(w.post(t, two, "k1")); m.ID == first || m.Chat != "oc_two" {
		t.Errorf("the second place got %+v", m)
	}
	w.clock.move(61 * time.Minute)
	if later := w.post(t, place(""), "k1"); later == first {
		t.Error("the platform forgets a key after an hour; the stand-in did not")
	}
}

// B35, B40, B42: what is final is said to be, and nothing falls back to a new
// message.
func TestFinalErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.AddChat(Chat{ID: "oc_topics", Kind: TopicGroup})
	recalled := w.post(t, place(""), "k1")
	old := w.post(t, place(""), "k2")
	w.Recall(recalled)
	inTopic := place(recalled)
	inTopic.Topic = true
	w.clock.move(15 * 24 * time.Hour)
	before := len(w.Messages(""))
	if _, err := w.client.AskBot(w.ctx); err != nil { // the token is there
		t.Fatal(err)
	}

	ref := func(m string) inbox.Reference { return inbox.Reference{Place: place(""), Message: m} }
	cases := []struct {
		name, code string
		call       func() error
	}{
		{"B35 older than 14 days", "230031", func() error { return w.client.Update(w.ctx, ref(old), settled()) }},
		{"B35 recalled", "230011", func() error { return w.client.Update(w.ctx, ref(recalled), settled()) }},
		{"B40 reply to what was recalled, in a topic", "230011", func() error { _, err := w.client.Say(w.ctx, inTopic, "x", "k"); return err }},
		{"B42 topic id to reply to", "99992354", func() error { _, err := w.client.Say(w.ctx, place("omt_1"), "x", "k"); return err }},
		{"B42 callback token as a message", "99992354", func() error { return w.client.Update(w.ctx, ref("c-abc"), settled()) }},
		{"B42 no message id", "99992354", func() error { return w.client.Update(w.ctx, ref(""), settled()) }},
		{"path in an id", "99992354", func() error { return w.client.Update(w.ctx, ref("om_1/../../x"), settled()) }},
		{"no such chat", "230002", func() error {
			_, err := w.client.Say(w.ctx, trigger.Place{Surface: "feishu", Account: "cli_dev", Channel: "oc_other"}, "x", "k")
			return err
		}},
		{"neither chat nor person", "230001", func() error {
			_, err := w.client.Say(w.ctx, trigger.Place{Surface: "feishu", Account: "cli_dev", Channel: "C0OPS"}, "x", "k")
			return err
		}},
		{"another app's place", "wrong_place", func() error {
			_, err := w.client.Say(w.ctx, trigger.Place{Surface: "feishu", Account: "cli_other", Channel: "oc_ops"}, "x", "k")
			return err
		}},
		{"another platform's place", "wrong_place", func() error {
			_, err := w.client.Say(w.ctx, trigger.Place{Surface: "slack", Account: "cli_dev", Channel: "oc_ops"}, "x", "k")
			return err
		}},
		{"another app's person", "wrong_person", func() error {
			return w.client.Tell(w.ctx, place(""), actor.Actor{Provider: "feishu", Workspace: "cli_other", ID: "ou_ada"}, "x")
		}},
		{"person out of reach", "230013", func() error {
			return w.client.Tell(w.ctx, place(""), actor.Actor{Provider: "feishu", Workspace: "cli_dev", ID: "ou_nobody"}, "x")
		}},
	}
	for _, c := range cases {
		calls := w.Calls("")
		if e := sendError(t, c.call()); !e.Final || e.Code != c.code {
			t.Errorf("%s: %v", c.name, e)
		}
		if wrong := c.code == "99992354" || strings.HasPrefix(c.code, "wrong"); wrong && w.Calls("") != calls {
			t.Errorf("%s: the platform was asked", c.name)
		}
	}
	if n := len(w.Messages("")); n != before {
		t.Errorf("%d new messages", n-before)
	}
}

// Limits and the platform's own trouble are worth a retry, and say when.
func TestRetryableErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cases := []struct {
		name  string
		fault Fault
		code  string
		after time.Duration
	}{
		{"429", Fault{On: OpCreate, Status: 429, Code: 99991400, RetryAfter: 7}, "99991400", 7 * time.Second},
		{"an older API's 400", Fault{On: OpCreate, Code: 99991400, RetryAfter: 3}, "99991400", 3 * time.Second},
		{"a chat's limit", Fault{On: OpCreate, Code: 230020}, "230020", time.Second},
		{"500", Fault{On: OpCreate, Status: 500, Code: 1}, "1", 0},
		{"gateway", Fault{On: OpCreate, Status: 504}, "network", 0},
		{"a permission that can be granted", Fault{On: OpCreate, Code: 99991672}, "99991672", 0},
		{"an unknown code with 200", Fault{On: OpCreate, Status: 200, Code: 4711}, "4711", 0},
	}
	for _, c := range cases {
		w.Inject(c.fault)
		_, err := w.client.Post(w.ctx, place(""), pending(), c.name)
		if e := sendError(t, err); e.Final || e.Code != c.code || e.RetryAfter != c.after {
			t.Errorf("%s: %+v", c.name, e)
		}
		w.post(t, place(""), c.name)
	}
	w.Inject(Fault{On: OpCreate, Code: 4711})
	_, err := w.client.Post(w.ctx, place(""), pending(), "x")
	if e := sendError(t, err); !e.Final {
		t.Errorf("an unknown refusal: %v", e)
	}
}

// B41: a rejected token (HTTP 400) is evicted, fetched once, retried once.
func TestB41RejectedToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post(t, place(""), "k1")
	w.RevokeTokens()
	w.post(t, place(""), "k2")
	if n := w.Calls(OpToken); n != 2 {
		t.Errorf("%d tokens fetched", n)
	}
	w.post(t, place(""), "k3")
	if n := w.Calls(OpToken); n != 2 {
		t.Errorf("%d tokens fetched after the good one", n)
	}

	w.Inject(Fault{On: OpCreate, Code: 99991663, Times: 2})
	_, err := w.client.Post(w.ctx, place(""), pending(), "k4")
	if e := sendError(t, err); e.Final || e.Code != "99991663" {
		t.Errorf("rejected twice: %v", e)
	}
	if n := w.Calls(OpToken); n != 3 {
		t.Errorf("%d tokens fetched after two rejections", n)
	}
	w.post(t, place(""), "k4")
}

// B41: a wrong secret is noticed, and mending it is enough.
func TestB41WrongSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.SetAppSecret("another")
	_, err := w.client.Post(w.ctx, place(""), pending(), "k1")
	if e := sendError(t, err); e.Final || e.Code != "10014" {
		t.Fatalf("%v", e)
	}
	w.SetAppSecret(DevSecrets().AppSecret)
	w.post(t, place(""), "k1")
}

// Fact 2.7: one fetch serves many calls and many callers, until 30 minutes
// before the end; a refresh that fails costs nothing while the old one lives.
func TestTokenIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := w.client.Say(w.ctx, place(""), "hi", ""); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := w.Calls(OpToken); n != 1 {
		t.Fatalf("%d fetches", n)
	}
	w.clock.move(89 * time.Minute)
	w.post(t, place(""), "k1")
	if n := w.Calls(OpToken); n != 1 {
		t.Fatalf("%d fetches with 31 minutes left", n)
	}
	w.clock.move(2 * time.Minute)
	w.Inject(Fault{On: OpToken, Status: 500, Code: 1})
	w.post(t, place(""), "k2")
	w.post(t, place(""), "k3")
	if n := w.Calls(OpToken); n != 3 {
		t.Fatalf("%d fetches with 29 minutes left", n)
	}
	w.clock.move(2 * time.Hour)
	w.Inject(Fault{On: OpToken, Status: 500, Code: 1})
	_, err := w.client.Post(w.ctx, place(""), pending(), "k4")
	if e := sendError(t, err); e.Final {
		t.Errorf("%v", e)
	}
}

// B40: in a topic replies stay in it, elsewhere they are plain replies.
func TestB40Replies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.AddChat(Chat{ID: "oc_topics", Kind: TopicGroup})
	root, err := w.client.Say(w.ctx, trigger.Place{Surface: "feishu", Account: "cli_dev", Channel: "oc_topics"}, "topic", "k1")
	if err != nil {
		t.Fatal(err)
	}
	in, err := w.client.Say(w.ctx, trigger.Place{Surface: "feishu", Account: "cli_dev", Channel: "oc_topics", Thread: root, Topic: true}, "in it", "k2")
	if err != nil {
		t.Fatal(err)
	}
	top, _ := w.Message(root)
	if m, _ := w.Message(in); m.Topic == "" || m.Topic != top.Topic || m.Root != root {
		t.Errorf("in a topic: %+v", m)
	}
	asked := w.post(t, place(""), "k3")
	plain, err := w.client.Say(w.ctx, place(asked), "plain", "k4")
	if err != nil {
		t.Fatal(err)
	}
	if m, _ := w.Message(plain); m.Topic != "" || m.Root != asked {
		t.Errorf("in a group: %+v", m)
	}
	within := place(asked)
	within.Topic = true
	reply, err := w.client.Say(w.ctx, within, "in a topic of a group", "k5")
	if err != nil {
		t.Fatal(err)
	}
	if m, _ := w.Message(reply); m.Topic == "" || m.Root != asked {
		t.Errorf("in a topic of a group: %+v", m)
	}
}

func TestTellIsPrivate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := actor.Actor{Provider: "feishu", Workspace: "cli_dev", ID: "ou_ada"}
	for range 2 { // a retry within the hour is the same message
		if err := w.client.Tell(w.ctx, place(""), ada, "Only <at user_id=\"all\">all</at> of the queue may answer."); err != nil {
			t.Fatal(err)
		}
	}
	if ms := w.Messages("oc_ops"); len(ms) != 0 {
		t.Errorf("told everybody: %+v", ms)
	}
	ms := w.Messages(w.DirectChat("ou_ada"))
	if len(ms) != 1 || strings.Contains(ms[0].Text, "<at") || !strings.Contains(ms[0].Text, "of the queue may answer") {
		t.Errorf("told %+v", ms)
	}
}

// Mentions of people of other apps are left out: the platform would refuse the
// whole card.
func TestMentionsOfOwnPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := pending()
	c.Mentions = []string{"feishu:cli_dev/ou_ada", "feishu:cli_other/ou_x", "slack:T1/U1", "feishu:cli_dev/ou_\"><at id=all>"}
	id, err := w.client.Post(w.ctx, place(""), c, "k1")
	if err != nil {
		t.Fatal(err)
	}
	m, _ := w.Message(id)
	if strings.Count(string(m.Card), "<at ") != 1 || !strings.Contains(string(m.Card), "<at id=ou_ada>") {
		t.Errorf("%s", m.Card)
	}
	if len(c.Mentions) != 4 || c.Mentions[1] != "feishu:cli_other/ou_x" {
		t.Error("the caller's card was changed")
	}
}

// B39: the bot's id comes from the answer's top level, is asked for once, and a
// failure means not known.
func TestB39BotOpenID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *edge.Secrets) { s.BotOpenID = "" })
	w.Inject(Fault{On: OpBot, Status: 500, Code: 1})
	for range 3 {
		if id := w.client.BotOpenID(); id != "" {
			t.Fatalf("known without an answer: %s", id)
		}
	}
	if n := w.Calls(OpBot); n != 1 {
		t.Fatalf("asked %d times at once", n)
	}
	w.clock.move(time.Minute)
	for range 3 {
		if id := w.client.BotOpenID(); id != "ou_agent" {
			t.Fatalf("got %q", id)
		}
	}
	if n := w.Calls(OpBot); n != 2 {
		t.Errorf("asked %d times", n)
	}
	known := newWorld(t)
	if id := known.client.BotOpenID(); id != "ou_agent" || known.Calls("") != 0 {
		t.Errorf("from the secret: %q after %d calls", id, known.Calls(""))
	}
}

func TestTool(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out, err := w.client.SendMessage(w.ctx, json.RawMessage(`{"chat":"oc_ops","text":"Done."}`), "k1")
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.client.SendMessage(w.ctx, json.RawMessage(`{"chat":"oc_ops","text":"Done."}`), "k1")
	if err != nil || again != out {
		t.Errorf("again: %s, %v", again, err)
	}
	ms := w.Messages("oc_ops")
	if len(ms) != 1 || ms[0].Text != "Done." || out != `{"message_id":"`+ms[0].ID+`"}` {
		t.Errorf("%s, %+v", out, ms)
	}
	for _, bad := range []string{``, `[]`, `{}`, `{"chat":"oc_ops"}`, `{"chat":"ou_ada","text":"x"}`, `{"chat":"oc_ops","text":" "}`,
		`{"chat":"oc_ops","text":"x","more":1}`, `{"chat":"oc_ops","text":"` + strings.Repeat("x", 40<<10) + `"}`} {
		if _, err := w.client.SendMessage(w.ctx, json.RawMessage(bad), "k"); err == nil {
			t.Errorf("accepted %.60s", bad)
		}
	}
}

// What others write has no effect as markup, and the longest fits.
func TestSayEscapesAndFits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := "<at user_id=\"all\">x</at> <b>y</b> [bank](https://evil.test) 1 < 2"
	id, err := w.client.Say(w.ctx, place(""), text, "")
	if err != nil {
		t.Fatal(err)
	}
	m, _ := w.Message(id)
	for _, live := range []string{"<at", "</at", "<b>", "]("} {
		if strings.Contains(m.Text, live) {
			t.Errorf("live markup %q in %q", live, m.Text)
		}
	}
	if strings.ReplaceAll(m.Text, "\u200B", "") != text {
		t.Errorf("changed more than it had to: %q", m.Text)
	}
	for _, unit := range []string{`"`, `\`, "\x00", "界", "<"} {
		if _, err := w.client.Say(w.ctx, place(""), strings.Repeat(unit, 200<<10), ""); err != nil {
			t.Errorf("long text of %q: %v", unit, err)
		}
	}
	if _, err := w.client.Say(w.ctx, place(""), " \n", ""); err != nil {
		t.Errorf("empty text: %v", err)
	}
}

func TestCanceledCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(w.ctx)
	cancel()
	_, err := w.client.Say(ctx, place(""), "x", "k")
	if e := sendError(t, err); e.Code != "canceled" || e.Final {
		t.Errorf("%v", e)
	}
}
