package slack_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/edge/slack"
	standin "github.com/postern-dev/postern/shared/local/standin/slack"
)

var (
	ops      = trigger.Place{Surface: "slack", Account: "T0DEV", Channel: "C0OPS"}
	thread   = trigger.Place{Surface: "slack", Account: "T0DEV", Channel: "C0OPS", Thread: "1700000000.000001"}
	linkKey  = []byte("dev-link-key-000000000000000000000")
	fixed    = func() time.Time { return time.Unix(1700000000, 0) }
	bg       = context.Background()
	thisCall = inbox.Button{Item: "itemitemitem", Digest: "d1", Choice: inbox.Allow}
)

func pending() inbox.Card {
	deny := thisCall
	deny.Choice = inbox.Deny
	return inbox.Card{
		Item: "itemitemitem", Kind: inbox.Approval, Code: "itemit", Title: "Post to #ops", Text: "Posts one message.",
		Tool: "slack_send_message", Arguments: json.RawMessage(`{"channel":"C0OPS","text":"hi"}`), Risk: "external",
		Mentions: []string{"slack:T0DEV/U0ADA"},
		Buttons: []inbox.CardButton{
			{Label: "Allow", Value: thisCall.Value(linkKey), Style: "primary"},
			{Label: "Deny", Value: deny.Value(linkKey), Style: "danger"},
		},
		Link: "http://127.0.0.1:8080/inbox/itemitemitem",
	}
}

func settled() inbox.Card {
	c := pending()
	c.Buttons, c.Mentions, c.Settled, c.Status = nil, nil, true, "Allowed by ada at 10:00; ran: ok"
	return c
}

// world is a stand-in over HTTP and a client that talks to it.
func world(t *testing.T) (*standin.Server, *slack.Client, string) {
	t.Helper()
	s := standin.New(standin.DevConfig(), fixed)
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	c, err := slack.NewClient(standin.DevSecrets(), srv.URL+"/api", srv.Client())
	if err != nil {
		t.Fatal(err)
	}
	return s, c, srv.URL
}

func sendError(t *testing.T, err error) *delivery.SendError {
	t.Helper()
	var e *delivery.SendError
	if !errors.As(err, &e) {
		t.Fatalf("not a SendError: %v", err)
	}
	return e
}

func TestI23_CardIsPostedAndSettled(t *testing.T) {
	t.Parallel()
	s, c, _ := world(t)
	ts, err := c.Post(bg, thread, pending(), "k1")
	if err != nil {
		t.Fatal(err)
	}
	m := s.Posted("C0OPS")
	if len(m) != 1 || m[0].TS != ts || m[0].Thread != thread.Thread || len(m[0].Buttons()) != 2 || m[0].State() != "posted" {
		t.Fatalf("%+v", m)
	}
	if got := m[0].Buttons()[0].Value; got != thisCall.Value(linkKey) {
		t.Errorf("value %q", got)
	}
	if !strings.Contains(m[0].Words(), "<@U0ADA>") {
		t.Errorf("nobody is mentioned: %s", m[0].Words())
	}
	if err := c.Update(bg, inbox.Reference{Place: thread, Message: ts}, settled()); err != nil {
		t.Fatal(err)
	}
	m = s.Posted("C0OPS")
	if len(m) != 1 || m[0].State() != "updated" || len(m[0].Buttons()) != 0 || !strings.Contains(m[0].Words(), "ran: ok") {
		t.Fatalf("%+v", m)
	}
}

func TestSayAndTell(t *testing.T) {
	t.Parallel()
	s, c, _ := world(t)
	ts, err := c.Say(bg, thread, "done: a<b>&c <!channel>", "k2")
	if err != nil || ts == "" {
		t.Fatal(ts, err)
	}
	ada := actor.Actor{Provider: "slack", Workspace: "T0DEV", ID: "U0ADA"}
	if err := c.Tell(bg, thread, ada, "Already allowed by <bob>."); err != nil {
		t.Fatal(err)
	}
	said := s.Posted("C0OPS")
	if len(said) != 1 || said[0].Text != "done: a&lt;b&gt;&amp;c &lt;!channel&gt;" || said[0].Thread != thread.Thread {
		t.Errorf("%+v", said)
	}
	told := s.Told("U0ADA")
	if len(told) != 1 || told[0].Text != "Already allowed by &lt;bob&gt;." || told[0].Thread != thread.Thread || told[0].State() != "ephemeral" {
		t.Errorf("%+v", told)
	}
	if _, err := c.Say(bg, ops, strings.Repeat("&", 5000), "k3"); err != nil {
		t.Fatal(err)
	}
	long := s.Posted("C0OPS")[1]
	if len(long.Text) > 3900 || long.Thread != "" || !strings.Contains(long.Text, "[cut") || strings.Contains(long.Text, "&a\n") {
		t.Errorf("%d, ends %q", len(long.Text), long.Text[len(long.Text)-60:])
	}
}

// B21: what will never succeed is told from what may.
func TestB21_FinalAndPassingErrors(t *testing.T) {
	t.Parallel()
	finals := []string{"message_not_found", "cant_update_message", "edit_window_closed", "channel_not_found", "is_archived", "thread_not_found", "invalid_blocks", "msg_too_long"}
	passing := []string{"internal_error", "fatal_error", "service_unavailable", "request_timeout", "ratelimited", "invalid_auth", "token_revoked", "missing_scope", "not_in_channel", "something_new"}
	s, c, _ := world(t)
	for _, code := range append(finals, passing...) {
		want := false
		for _, f := range finals {
			want = want || f == code
		}
		s.Fail("chat.update", standin.Fault{Error: code})
		e := sendError(t, c.Update(bg, inbox.Reference{Place: ops, Message: "1.1"}, settled()))
		if e.Code != code || e.Final != want || e.RetryAfter != 0 {
			t.Errorf("%s: %+v", code, e)
		}
	}
	// The same, from a stand-in that really has no such message or channel.
	e := sendError(t, c.Update(bg, inbox.Reference{Place: ops, Message: "1.1"}, settled()))
	if e.Code != "message_not_found" || !e.Final {
		t.Errorf("%+v", e)
	}
	nowhere := ops
	nowhere.Channel = "C0NONE"
	if _, err := c.Post(bg, nowhere, pending(), "k"); sendError(t, err).Code != "channel_not_found" || !sendError(t, err).Final {
		t.Errorf("%v", err)
	}
}

func TestLimitsAndGatewayErrorsPass(t *testing.T) {
	t.Parallel()
	s, c, _ := world(t)
	cases := []struct {
		fault standin.Fault
		code  string
		after time.Duration
	}{
		{standin.Limited(30), "ratelimited", 30 * time.Second},
		{standin.Fault{Status: 429, Error: "ratelimited"}, "ratelimited", 0},
		{standin.Fault{Status: 503}, "http_503", 0},
		{standin.Fault{}, "unreadable", 0},
	}
	for _, k := range cases {
		s.Fail("chat.postMessage", k.fault)
		_, err := c.Say(bg, ops, "hi", "k")
		e := sendError(t, err)
		if e.Code != k.code || e.Final || e.RetryAfter != k.after {
			t.Errorf("%+v: %+v", k.fault, e)
		}
	}
	if n := len(s.Messages()); n != 0 {
		t.Errorf("%d messages were posted", n)
	}
}

// The token is in the body, which a followed redirect would carry elsewhere.
func TestNoRedirectIsFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	t.Cleanup(elsewhere.Close)
	srv := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	t.Cleanup(srv.Close)
	hc := srv.Client()
	c, err := slack.NewClient(standin.DevSecrets(), srv.URL, hc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Say(bg, ops, "hi", "k"); sendError(t, err).Code != "http_307" || sendError(t, err).Final {
		t.Errorf("%v", err)
	}
	if hc.CheckRedirect != nil || hc.Timeout != 0 {
		t.Error("the caller's client was changed")
	}
}

// A lost answer is no success and not final; a retry posts again, which Slack
// gives no key to prevent.
func TestI23_AnswerLostAfterPosting(t *testing.T) {
	t.Parallel()
	s, c, _ := world(t)
	s.Fail("chat.postMessage", standin.Fault{Lost: true})
	_, err := c.Post(bg, ops, pending(), "k")
	if e := sendError(t, err); e.Code != "network" || e.Final {
		t.Fatalf("%+v", e)
	}
	if _, err := c.Post(bg, ops, pending(), "k"); err != nil {
		t.Fatal(err)
	}
	if n := len(s.Posted("C0OPS")); n != 2 {
		t.Fatalf("%d cards", n)
	}
}

func TestCancelledContextIsSeen(t *testing.T) {
	t.Parallel()
	_, c, _ := world(t)
	ctx, cancel := context.WithCancel(bg)
	cancel()
	_, err := c.Say(ctx, ops, "hi", "k")
	if e := sendError(t, err); e.Final || !errors.Is(err, context.Canceled) {
		t.Fatalf("%+v", e)
	}
}

// Answers that only look like success are none.
func TestHollowAnswersAreErrors(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"ok":true}`, `{"ok":false}`, `{"ok":false,"error":""}`, `{}`, ``, `[]`, `{"ok":true,"ts":5}`, `{"ok":false,"error":"MARK <b>"}`} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(body)) }))
		c, err := slack.NewClient(standin.DevSecrets(), srv.URL, srv.Client())
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Say(bg, ops, "hi", "k")
		if e := sendError(t, err); e.Final || strings.Contains(err.Error(), "MARK") {
			t.Errorf("%s: %+v", body, e)
		}
		srv.Close()
	}
}

func TestPlacesThatCannotBe(t *testing.T) {
	t.Parallel()
	s, c, _ := world(t)
	for _, p := range []trigger.Place{
		{}, {Surface: "feishu", Channel: "C0OPS"}, {Surface: "slack"}, {Surface: "slack", Channel: "#ops"},
		{Surface: "slack", Channel: "ops"}, {Surface: "slack", Channel: "U0ADA"}, {Surface: "slack", Channel: "C0OPS", Thread: "x"},
	} {
		if _, err := c.Say(bg, p, "hi", "k"); !sendError(t, err).Final {
			t.Errorf("%+v: %v", p, err)
		}
		if err := c.Update(bg, inbox.Reference{Place: p, Message: "1.1"}, settled()); !sendError(t, err).Final {
			t.Errorf("%+v: %v", p, err)
		}
		if err := c.Tell(bg, p, actor.Actor{Provider: "slack", ID: "U0ADA"}, "hi"); !sendError(t, err).Final {
			t.Errorf("%+v: %v", p, err)
		}
	}
	for _, a := range []actor.Actor{{}, {Provider: "github", ID: "11"}, {Provider: "slack", ID: "U 0"}} {
		if err := c.Tell(bg, ops, a, "hi"); !sendError(t, err).Final {
			t.Errorf("%+v: %v", a, err)
		}
	}
	if n := len(s.Calls()); n != 0 {
		t.Errorf("%d calls went out", n)
	}
}

func TestClientNeedsATokenAndAClient(t *testing.T) {
	t.Parallel()
	if _, err := slack.NewClient(slack.Secrets{SigningSecret: "x"}, "", http.DefaultClient); err == nil || !strings.Contains(err.Error(), "bot_token is empty") {
		t.Error(err)
	}
	if _, err := slack.NewClient(slack.Secrets{BotToken: "xoxb-1\n"}, "", http.DefaultClient); err == nil || strings.Contains(err.Error(), "xoxb-1") {
		t.Error(err)
	}
	if _, err := slack.NewClient(standin.DevSecrets(), "", nil); err == nil {
		t.Error("no HTTP client, no error")
	}
}

func TestToolSendMessage(t *testing.T) {
	t.Parallel()
	s, c, _ := world(t)
	out, err := c.SendMessage(bg, json.RawMessage(`{"channel":"C0OPS","text":"hi <!here>","thread_ts":"1.1"}`), "k")
	if err != nil {
		t.Fatal(err)
	}
	m := s.Posted("C0OPS")
	if len(m) != 1 || m[0].Text != "hi &lt;!here&gt;" || m[0].Thread != "1.1" {
		t.Fatalf("%+v", m)
	}
	if want := `{"ok":true,"channel":"C0OPS","ts":"` + m[0].TS + `"}`; out != want {
		t.Errorf("%s", out)
	}
	for _, args := range []string{
		``, `5`, `{}`, `{"channel":"C0OPS"}`, `{"channel":"C0OPS","text":" "}`, `{"channel":"#ops","text":"hi"}`, `{"channel":"U0ADA","text":"hi"}`,
		`{"channel":"C0OPS","text":"hi","thread_ts":"x"}`, `{"channel":"C0OPS","text":"hi","blocks":[]}`, `{"channel":"C0OPS","text":5}`,
		`{"channel":"C0OPS","text":"hi"}{}`, `{"channel":"C0OPS","text":"` + strings.Repeat("<", 1000) + `"}`,
	} {
		_, err := c.SendMessage(bg, json.RawMessage(args), "k")
		if e := sendError(t, err); !e.Final || e.Code != "invalid_arguments" || e.Err == nil {
			t.Errorf("%.60s: %+v", args, e)
		}
	}
	if n := len(s.Calls()); n != 1 {
		t.Errorf("%d calls", n)
	}
	s.Fail("chat.postMessage", standin.Fault{Error: "not_in_channel"})
	if _, err := c.SendMessage(bg, json.RawMessage(`{"channel":"C0OPS","text":"hi"}`), "k"); sendError(t, err).Code != "not_in_channel" {
		t.Error(err)
	}
}

// No error that a client gives holds the token or what was sent.
func TestErrorsHoldNoSecret(t *testing.T) {
	t.Parallel()
	s := standin.New(standin.DevConfig(), fixed)
	srv := httptest.NewServer(s)
	secrets := slack.Secrets{BotToken: "xoxb-MARKED-TOKEN"}
	c, err := slack.NewClient(secrets, srv.URL, srv.Client())
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		t.Helper()
		if err == nil || strings.Contains(err.Error(), "MARKED") {
			t.Errorf("%v", err)
		}
	}
	_, err = c.Say(bg, ops, "MARKED text", "k")
	check(err)
	s.Fail("", standin.Fault{Lost: true})
	_, err = c.Say(bg, ops, "MARKED text", "k")
	check(err)
	srv.Close()
	_, err = c.Post(bg, ops, inbox.Card{Title: "MARKED"}, "k")
	check(err)
}
