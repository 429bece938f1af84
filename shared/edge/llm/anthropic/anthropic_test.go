package anthropic_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/edge/llm/anthropic"
	standin "github.com/postern-dev/postern/shared/local/standin/anthropic"
)

const key = "sk-ant-test-0123456789abcdef"

// start gives a stand-in and a Model that talks to it.
func start(t *testing.T, change ...func(*anthropic.Config)) (*standin.Server, *anthropic.Model) {
	t.Helper()
	server := standin.New(key)
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	config := anthropic.Config{BaseURL: web.URL, Key: key, HTTP: web.Client()}
	for _, c := range change {
		c(&config)
	}
	m, err := anthropic.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return server, m
}

func ask(text string) model.Request {
	return model.Request{Model: "claude-test", Messages: []model.Message{{Role: model.User, Text: text}}}
}

func TestS11_TextCallsAndUsage(t *testing.T) {
	t.Parallel()
	server, m := start(t)
	calls := []model.Call{
		{ID: "toolu_a", Tool: "web_fetch", Arguments: json.RawMessage(`{"url":"https://example.com/ä"}`)},
		{ID: "toolu_b", Tool: "list", Arguments: json.RawMessage(`{}`)},
	}
	server.Play(model.Reply{Text: "Grüße, two calls.", Calls: calls, Input: 121, Output: 20, Model: "claude-test-2"},
		model.Reply{Text: "Done.", Input: 1, Output: 2})
	got, err := m.Complete(t.Context(), ask("go"))
	want := model.Reply{Text: "Grüße, two calls.", Calls: calls, Stop: model.Called, Input: 121, Output: 20, Model: "claude-test-2"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	got, err = m.Complete(t.Context(), ask("go"))
	if err != nil || got.Stop != model.Ended || got.Text != "Done." || got.Model != "claude-test" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestS11_BadArgumentsAreACall(t *testing.T) {
	t.Parallel()
	server, m := start(t)
	server.Play(
		model.Reply{Stop: model.Length, Calls: []model.Call{
			{ID: "a", Tool: "web_fetch", Arguments: json.RawMessage(`{"url":"https://exa`)}, {ID: "b", Tool: "list"}}},
		model.Reply{Stop: model.Filtered, Text: "no"})
	got, err := m.Complete(t.Context(), ask("go"))
	if err != nil || got.Stop != model.Length || len(got.Calls) != 2 || got.Calls[0].Bad == "" ||
		string(got.Calls[0].Arguments) != `"{\"url\":\"https://exa"` || string(got.Calls[1].Arguments) != "{}" {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err = m.Complete(t.Context(), ask("go")); err != nil || got.Stop != model.Filtered {
		t.Errorf("got %+v, %v", got, err)
	}
}

// S7, S12: a whole conversation arrives as it was meant.
func TestS12_ConversationAndNames(t *testing.T) {
	t.Parallel()
	server, m := start(t)
	long := "mcp__notion__" + strings.Repeat("page_", 20) + "create"
	r := model.Request{
		Model: "claude-test", System: "Be brief.", MaxTokens: 77,
		Tools: []model.Tool{{Name: long, Description: "makes", Schema: json.RawMessage(`{"type":"object","properties":{"a":{}}}`)}, {Name: "list"}},
		Messages: []model.Message{
			{Role: model.User, Text: "make a page"}, {Role: model.User, Text: "quickly"},
			{Role: model.Assistant, Text: "I do.", Calls: []model.Call{
				{ID: "call_2_0", Tool: long, Arguments: json.RawMessage(`{"a":"x"}`)}, {ID: "call_2_1", Tool: "list", Arguments: json.RawMessage(`{}`)}}},
			{Role: model.Result, CallID: "call_2_0", ToolName: long, Text: "denied"},
			{Role: model.Result, CallID: "call_2_1", ToolName: "list", Text: "none", OK: true},
			{Role: model.User, Text: "once more"}},
	}
	short := model.NewNames(64, r.Tools).Out(long)
	server.Play(model.Reply{Calls: []model.Call{{ID: "z", Tool: short, Arguments: json.RawMessage(`{}`)}}})
	got, err := m.Complete(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Calls) != 1 || got.Calls[0].Tool != long {
		t.Errorf("got %+v", got.Calls)
	}
	seen := server.Requests()[0]
	if seen.System != r.System || seen.MaxTokens != 77 || len(seen.Messages) != 6 || len(seen.Tools) != 2 || seen.Tools[0].Name != short {
		t.Fatalf("seen %+v", seen)
	}
	for i, m := range seen.Messages {
		if m.Text != r.Messages[i].Text || m.CallID != r.Messages[i].CallID || m.OK != r.Messages[i].OK {
			t.Errorf("%d: seen %+v", i, m)
		}
	}
	if string(seen.Messages[2].Calls[0].Arguments) != `{"a":"x"}` {
		t.Errorf("seen %+v", seen.Messages[2])
	}
	// Without tools the conversation is still one that the API takes.
	r.Tools = nil
	if _, err := m.Complete(t.Context(), r); err != nil {
		t.Error(err)
	}
}

func TestS11_Faults(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		fault standin.Fault
		kind  model.Kind
		wait  time.Duration
	}{
		{"throttled", standin.Fault{Status: 429, Type: "rate_limit_error", RetryAfter: 7 * time.Second}, model.Throttled, 7 * time.Second},
		{"overloaded", standin.Fault{Status: 529, Type: "overloaded_error"}, model.Overloaded, 0},
		{"broken", standin.Fault{Status: 500, Type: "api_error"}, model.Unavailable, 0},
		{"gateway", standin.Fault{Status: 502, Type: "Bad gateway"}, model.Unavailable, 0},
		{"busy gateway", standin.Fault{Status: 503, Type: "-"}, model.Overloaded, 0},
		{"forbidden", standin.Fault{Status: 403, Type: "permission_error"}, model.Refused, 0},
		{"unpaid", standin.Fault{Status: 402, Type: "billing_error"}, model.Refused, 0},
		{"too long", standin.Fault{Status: 400, Type: "invalid_request_error"}, model.BadRequest, 0},
		{"too large", standin.Fault{Status: 413}, model.BadRequest, 0},
		{"cut at once", standin.Fault{Cut: true}, model.Unavailable, 0},
		{"cut in the middle", standin.Fault{Cut: true, After: 5}, model.Unavailable, 0},
		{"closed at once", standin.Fault{Close: true}, model.Unavailable, 0},
		{"closed before the end", standin.Fault{Close: true, After: 12}, model.Unavailable, 0},
		{"malformed", standin.Fault{Malformed: true, After: 4}, model.Unavailable, 0},
		{"overloaded in stream", standin.Fault{InStream: "overloaded_error", After: 4}, model.Overloaded, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, m := start(t)
			secret := "a sentence nobody else may read"
			server.Fail(c.fault)
			server.Play(model.Reply{Text: secret, Calls: []model.Call{{ID: "1", Tool: "a", Arguments: json.RawMessage(`{"a":1}`)}}})
			got, err := m.Complete(t.Context(), ask(secret))
			var e *model.Error
			if !errors.As(err, &e) || e.Kind != c.kind || e.RetryAfter != c.wait {
				t.Fatalf("got %+v, %v", got, err)
			}
			if strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "sentence") {
				t.Errorf("the error tells too much: %v", err)
			}
			if n := len(server.Requests()); n != 1 {
				t.Errorf("%d requests", n)
			}
			if again, err := m.Complete(t.Context(), ask(secret)); err != nil || again.Text != secret {
				t.Errorf("again: %+v, %v", again, err)
			}
		})
	}
}

func TestS11_EndsWithItsTime(t *testing.T) {
	t.Parallel()
	server, m := start(t, func(c *anthropic.Config) { c.Timeout = time.Millisecond })
	server.Fail(standin.Fault{Hang: true})
	if _, err := m.Complete(t.Context(), ask("hello")); !errors.Is(err, context.DeadlineExceeded) || model.KindOf(err) != model.Unavailable {
		t.Errorf("got %v", err)
	}
}

func TestQ8_NewAndRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []anthropic.Config{{HTTP: http.DefaultClient}, {Key: key}, {BaseURL: "none", Key: key, HTTP: http.DefaultClient}} {
		if _, err := anthropic.New(c); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
	_, m := start(t, func(c *anthropic.Config) { c.Key = "wrong" })
	if _, err := m.Complete(t.Context(), ask("hello")); model.KindOf(err) != model.Refused {
		t.Errorf("got %v", err)
	}
	_, m = start(t)
	for name, r := range map[string]model.Request{
		"no messages": {Model: "m"}, "no model": {Messages: ask("x").Messages},
		"bad schema": {Model: "m", Messages: ask("x").Messages, Tools: []model.Tool{{Name: "a", Schema: json.RawMessage(`[]`)}}},
	} {
		if _, err := m.Complete(t.Context(), r); model.KindOf(err) != model.BadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
}
