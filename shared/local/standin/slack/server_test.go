package slack_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/slack-go/slack"

	"github.com/postern-dev/postern/shared/domain/delivery"
	edge "github.com/postern-dev/postern/shared/edge/slack"
	"github.com/postern-dev/postern/shared/local/standin/slack"
)

var (
	bg      = context.Background()
	fixed   = func() time.Time { return time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC) }
	linkKey = []byte("dev-link-key-000000000000000000000")
)

// world is a stand-in over HTTP, the SDK's own client talking to it, and our
// side's entrance, which keeps what it received.
type world struct {
	*slack.Server
	api  *sdk.Client
	url  string
	hook slack.Hook

	mu  sync.Mutex
	got []delivery.Delivery
}

func start(t *testing.T) *world {
	t.Helper()
	w := &world{Server: slack.New(slack.DevConfig(), fixed)}
	api := httptest.NewServer(w.Server)
	t.Cleanup(api.Close)
	w.url = api.URL + "/api/"
	w.api = sdk.New("xoxb-dev", sdk.OptionAPIURL(w.url), sdk.OptionHTTPClient(api.Client()))
	r, err := edge.NewReceiver(slack.DevSecrets(), linkKey, fixed)
	if err != nil {
		t.Fatal(err)
	}
	side := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		d, err := r.Receive(req.Header, body)
		var refusal *delivery.Refusal
		if errors.As(err, &refusal) {
			http.Error(rw, refusal.Code, refusal.Status)
			return
		}
		w.mu.Lock()
		w.got = append(w.got, d)
		w.mu.Unlock()
		if d.Reply != nil {
			_, _ = rw.Write(d.Reply.Body)
		}
	}))
	t.Cleanup(side.Close)
	w.hook = slack.Hook{URL: side.URL + "/hooks/slack", Client: side.Client()}
	return w
}

func TestTheSDKTalksToItUnmodified(t *testing.T) {
	t.Parallel()
	w := start(t)
	who, err := w.api.AuthTestContext(bg)
	if err != nil || who.UserID != "U0AGENT" || who.TeamID != "T0DEV" || who.Header.Get("X-OAuth-Scopes") == "" {
		t.Fatalf("%+v, %v", who, err)
	}
	ch, ts, err := w.api.PostMessageContext(bg, "C0OPS", sdk.MsgOptionText("hello", true))
	if err != nil || ch != "C0OPS" || ts == "" {
		t.Fatal(ch, ts, err)
	}
	if _, again, text, err := w.api.UpdateMessageContext(bg, ch, ts, sdk.MsgOptionText("bye", true)); err != nil || again != ts || text != "bye" {
		t.Fatal(again, text, err)
	}
	if _, err := w.api.PostEphemeralContext(bg, ch, "U0ADA", sdk.MsgOptionText("psst", true), sdk.MsgOptionTS(ts)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.api.GetConversationInfoContext(bg, &sdk.GetConversationInfoInput{ChannelID: ch}); err == nil || err.Error() != "missing_scope" {
		t.Fatal(err) // the app does not ask for channels:read
	}
	if u, err := w.api.GetUserInfoContext(bg, "U0ADA"); err != nil || u.Name != "ada" {
		t.Fatalf("%+v, %v", u, err)
	}
	if got := w.Posted("C0OPS"); len(got) != 1 || got[0].Text != "bye" || got[0].State() != "updated" {
		t.Fatalf("%+v", got)
	}
	if got := w.Told("U0ADA"); len(got) != 1 || got[0].Thread != ts {
		t.Fatalf("%+v", got)
	}
	if _, _, err := w.api.DeleteMessageContext(bg, ch, ts); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := w.api.UpdateMessageContext(bg, ch, ts, sdk.MsgOptionText("x", true)); err == nil || err.Error() != "message_not_found" {
		t.Fatal(err)
	}
}

func TestWhatSlackRefuses(t *testing.T) {
	t.Parallel()
	w := start(t)
	other := sdk.New("xoxb-other", sdk.OptionAPIURL(w.url))
	none := sdk.New("", sdk.OptionAPIURL(w.url))
	text := sdk.MsgOptionText("x", false)
	section := func(s string) sdk.MsgOption {
		return sdk.MsgOptionBlocks(sdk.NewSectionBlock(sdk.NewTextBlockObject("mrkdwn", s, false, false), nil, nil))
	}
	button := func(id, label, value string) sdk.BlockElement {
		return sdk.NewButtonBlockElement(id, value, sdk.NewTextBlockObject("plain_text", label, false, false))
	}
	line, _, err := w.Say(bg, w.hook, slack.Line{User: "U0ADA", Channel: "C0OPS", Text: "hi"})
	if err != nil {
		t.Fatal(err)
	}
	post := func(opt ...sdk.MsgOption) error {
		_, _, err := w.api.PostMessageContext(bg, "C0OPS", opt...)
		return err
	}
	cases := map[string]func() error{
		"invalid_auth":        func() error { _, _, err := other.PostMessageContext(bg, "C0OPS", text); return err },
		"not_authed":          func() error { _, err := none.AuthTestContext(bg); return err },
		"channel_not_found":   func() error { _, _, err := w.api.PostMessageContext(bg, "C0NONE", text); return err },
		"no_text":             func() error { return post(sdk.MsgOptionText("", false)) },
		"message_not_found":   func() error { _, _, _, err := w.api.UpdateMessageContext(bg, "C0OPS", "1.1", text); return err },
		"cant_update_message": func() error { _, _, _, err := w.api.UpdateMessageContext(bg, "C0OPS", line.TS, text); return err },
		"user_not_in_channel": func() error { _, err := w.api.PostEphemeralContext(bg, "C0OPS", "U0NOBODY", text); return err },
		"unknown_method":      func() error { _, err := w.api.GetBotInfoContext(bg, sdk.GetBotInfoParameters{Bot: "B1"}); return err },
		"invalid_blocks 1":    func() error { return post(section(strings.Repeat("x", 3001))) },
		"invalid_blocks 2": func() error {
			return post(sdk.MsgOptionBlocks(sdk.NewActionBlock("", button("a", "x", "v"), button("a", "y", "v"))))
		},
		"invalid_blocks 3": func() error {
			return post(sdk.MsgOptionBlocks(sdk.NewActionBlock("", button("a", strings.Repeat("x", 76), "v"))))
		},
		"invalid_blocks 4": func() error {
			return post(sdk.MsgOptionBlocks(sdk.NewActionBlock("", button("a", "x", strings.Repeat("v", 2001)))))
		},
		"invalid_blocks 5": func() error {
			var many []sdk.Block
			for range 51 {
				many = append(many, sdk.NewDividerBlock())
			}
			return post(sdk.MsgOptionBlocks(many...))
		},
	}
	for want, do := range cases {
		want, _, _ = strings.Cut(want, " ")
		if err := do(); err == nil || err.Error() != want {
			t.Errorf("want %s, got %v", want, err)
		}
	}
	if got := w.Posted("C0OPS"); len(got) != 0 {
		t.Errorf("posted all the same: %+v", got)
	}
}

func TestBlocksLeftOutStayAndAnEmptyListRemovesThem(t *testing.T) {
	t.Parallel()
	w := start(t)
	blocks := sdk.MsgOptionBlocks(sdk.NewActionBlock("", sdk.NewButtonBlockElement("a", "v", sdk.NewTextBlockObject("plain_text", "Go", false, false))))
	_, ts, err := w.api.PostMessageContext(bg, "C0OPS", sdk.MsgOptionText("x", false), blocks)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := w.api.UpdateMessageContext(bg, "C0OPS", ts, sdk.MsgOptionText("y", false)); err != nil || len(w.Posted("C0OPS")[0].Buttons()) != 1 {
		t.Fatalf("%v, %+v", err, w.Posted("C0OPS"))
	}
	if _, _, _, err := w.api.UpdateMessageContext(bg, "C0OPS", ts, sdk.MsgOptionText("y", false), sdk.MsgOptionBlocks([]sdk.Block{}...)); err != nil {
		t.Fatal(err)
	}
	if got := w.Posted("C0OPS")[0]; len(got.Buttons()) != 0 || got.Edits != 2 {
		t.Fatalf("%+v", got)
	}
}

func TestFaultsComeInOrderAndOnce(t *testing.T) {
	t.Parallel()
	w := start(t)
	text := sdk.MsgOptionText("x", false)
	post := func() error { _, _, err := w.api.PostMessageContext(bg, "C0OPS", text); return err }
	w.Fail("chat.postMessage", slack.Limited(7), slack.Fault{Error: "internal_error"}, slack.Fault{Status: 502}, slack.Fault{Lost: true})
	w.Fail("views.open", slack.Fault{Error: "expired_trigger_id"})
	var limited *sdk.RateLimitedError
	if err := post(); !errors.As(err, &limited) || limited.RetryAfter != 7*time.Second {
		t.Error(err)
	}
	if err := post(); err == nil || err.Error() != "internal_error" {
		t.Error(err)
	}
	var status sdk.StatusCodeError
	if err := post(); !errors.As(err, &status) || status.Code != 502 {
		t.Error(err)
	}
	if n := len(w.Posted("C0OPS")); n != 0 {
		t.Errorf("%d posted", n)
	}
	if err := post(); err == nil || len(w.Posted("C0OPS")) != 1 {
		t.Errorf("lost: %v, %d posted", err, len(w.Posted("C0OPS")))
	}
	if err := post(); err != nil {
		t.Error(err)
	}
	view := sdk.ModalViewRequest{Type: sdk.VTModal, Title: sdk.NewTextBlockObject("plain_text", "x", false, false)}
	if _, err := w.api.OpenViewContext(bg, "t", view); err == nil || err.Error() != "expired_trigger_id" { // B15
		t.Error(err)
	}
	if _, err := w.api.OpenViewContext(bg, "t", view); err != nil {
		t.Error(err)
	}
	want := "ratelimited internal_error http   expired_trigger_id "
	var got []string
	for _, c := range w.Calls() {
		got = append(got, c.Error)
	}
	if strings.Join(got, " ") != want {
		t.Errorf("calls %q", strings.Join(got, " "))
	}
}

func TestJSONCallsWithABearerToken(t *testing.T) {
	t.Parallel()
	w := start(t)
	req, _ := http.NewRequest(http.MethodPost, w.url+"chat.postMessage", strings.NewReader(`{"channel":"C0OPS","text":"x","blocks":[{"type":"divider"}]}`))
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("Authorization", "Bearer xoxb-dev")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	if got := w.Posted("C0OPS"); len(got) != 1 || got[0].Blocks == nil || !strings.Contains(string(body), `"ok":true`) {
		t.Fatalf("%s", body)
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	w := start(t)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, _, err := w.api.PostMessageContext(bg, "C0OPS", sdk.MsgOptionText("x", false)); err != nil {
				t.Error(err)
			}
			if _, _, err := w.Say(bg, w.hook, slack.Line{User: "U0ADA", Channel: "C0OPS", Text: "y"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, m := range w.Messages() {
		seen[m.TS] = true
	}
	if len(seen) != 40 || len(w.got) != 20 {
		t.Errorf("%d time stamps, %d deliveries", len(seen), len(w.got))
	}
}
