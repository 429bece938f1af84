package openai_test

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
	"github.com/postern-dev/postern/shared/edge/llm/openai"
	standin "github.com/postern-dev/postern/shared/local/standin/openai"
)

const key = "sk-test-0123456789abcdef"

// start gives a stand-in and a Model that talks to it.
func start(t *testing.T, change ...func(*openai.Config)) (*standin.Server, *openai.Model) {
	t.Helper()
	server := standin.New(key)
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	config := openai.Config{BaseURL: web.URL + "/v1", Key: key, HTTP: web.Client()}
	for _, c := range change {
		c(&config)
	}
	m, err := openai.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return server, m
}

func ask(text string) model.Request {
	return model.Request{Model: "gpt-test", Messages: []model.Message{{Role: model.User, Text: text}}}
}

func TestS11_TextAndUsage(t *testing.T) {
	t.Parallel()
	server, m := start(t)
	server.Play(model.Reply{Text: "Grüße, a longer line of text.", Stop: model.Ended, Input: 120, Output: 9, Model: "gpt-test-2"})
	got, err := m.Complete(t.Context(), ask("hello"))
	if err != nil {
		t.Fatal(err)
	}
	want := model.Reply{Text: "Grüße, a longer line of text.", Stop: model.Ended, Input: 120, Output: 9, Model: "gpt-test-2"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if seen := server.Requests(); len(seen) != 1 || !seen[0].Streamed {
		t.Errorf("requests %+v", seen)
	}
}

func TestS11_CallsInOneMessage(t *testing.T) {
	t.Parallel()
	for name, quirks := range map[string]standin.Quirks{
		"as the original":              {},
		"one index":                    {SameIndex: true},
		"no end mark and no usage":     {NoDone: true, NoUsage: true},
		"one index and no end mark":    {SameIndex: true, NoDone: true},
		"no usage but with an end one": {NoUsage: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, m := start(t)
			server.Behave(quirks)
			calls := []model.Call{
				{ID: "call_a", Tool: "web_fetch", Arguments: json.RawMessage(`{"url":"https://example.com/ä"}`)},
				{ID: "call_b", Tool: "sleep_for", Arguments: json.RawMessage(`{"seconds":5}`)},
			}
			server.Play(model.Reply{Text: "Two.", Calls: calls, Input: 10, Output: 20})
			got, err := m.Complete(t.Context(), ask("go"))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.Calls, calls) || got.Stop != model.Called || got.Text != "Two." {
				t.Errorf("got %+v", got)
			}
			if got.Input <= 0 || got.Output <= 0 { // W7: budgets count in any case
				t.Errorf("usage %d, %d", got.Input, got.Output)
			}
		})
	}
}

func TestS11_BadArgumentsAreACall(t *testing.T) {
	t.Parallel()
	server, m := start(t)
	server.Play(model.Reply{Stop: model.Length, Calls: []model.Call{
		{ID: "call_a", Tool: "web_fetch", Arguments: json.RawMessage(`{"url":"https://exa`)},
		{ID: "call_b", Tool: "list", Arguments: json.RawMessage(``)}}})
	got, err := m.Complete(t.Context(), ask("go"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Stop != model.Length || len(got.Calls) != 2 || got.Calls[0].Bad == "" {
		t.Fatalf("got %+v", got)
	}
	if string(got.Calls[0].Arguments) != `"{\"url\":\"https://exa"` || string(got.Calls[1].Arguments) != "{}" {
		t.Errorf("arguments %s and %s", got.Calls[0].Arguments, got.Calls[1].Arguments)
	}
}

// S7, S12: a whole conversation arrives as it was meant, long names shortened
// and understood again.
func TestS12_ConversationAndNames(t *testing.T) {
	t.Parallel()
	server, m := start(t)
	long := "mcp__notion__" + strings.Repeat("page_", 20) + "create"
	r := model.Request{
		Model: "gpt-test", System: "Be brief.", MaxTokens: 77,
		Tools: []model.Tool{
			{Name: long, Description: strings.Repeat("é", 2000), Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`)},
			{Name: "list"}},
		Messages: []model.Message{
			{Role: model.User, Text: "make a page"},
			{Role: model.Assistant, Calls: []model.Call{{ID: "call_2_0", Tool: long, Arguments: json.RawMessage(`{"a":"x"}`)}}},
			{Role: model.Result, CallID: "call_2_0", ToolName: long, Text: "denied", OK: false},
			{Role: model.User, Text: "once more"}},
	}
	short := model.NewNames(64, r.Tools).Out(long)
	server.Play(model.Reply{Calls: []model.Call{{ID: "call_z", Tool: short, Arguments: json.RawMessage(`{}`)}}})
	got, err := m.Complete(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Calls) != 1 || got.Calls[0].Tool != long {
		t.Errorf("got %+v", got.Calls)
	}
	seen := server.Requests()[0].Request
	if seen.System != r.System || seen.MaxTokens != 77 || len(seen.Messages) != 4 {
		t.Errorf("seen %+v", seen)
	}
	if seen.Messages[1].Calls[0].Tool != short || seen.Tools[0].Name != short || seen.Messages[2].CallID != "call_2_0" {
		t.Errorf("names %+v %+v", seen.Messages[1], seen.Tools[0])
	}
	var schema map[string]any
	if json.Unmarshal(seen.Tools[0].Schema, &schema) != nil || schema["type"] != "object" {
		t.Errorf("schema %s", seen.Tools[0].Schema)
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
		{"throttled", standin.Throttle(7 * time.Second), model.Throttled, 7 * time.Second},
		{"quota", standin.Fault{Status: 429, Code: "insufficient_quota"}, model.Refused, 0},
		{"overloaded", standin.Fault{Status: 503}, model.Overloaded, 0},
		{"overloaded 529", standin.Fault{Status: 529}, model.Overloaded, 0},
		{"broken", standin.Fault{Status: 500, Type: "server_error"}, model.Unavailable, 0},
		{"forbidden", standin.Fault{Status: 403}, model.Refused, 0},
		{"too long", standin.Fault{Status: 400, Code: "context_length_exceeded"}, model.BadRequest, 0},
		{"no such model", standin.Fault{Status: 404, Code: "model_not_found"}, model.BadRequest, 0},
		{"cut at once", standin.Fault{Cut: true}, model.Unavailable, 0},
		{"cut in the middle", standin.Fault{Cut: true, After: 3}, model.Unavailable, 0},
		{"closed in the middle", standin.Fault{Close: true, After: 3}, model.Unavailable, 0},
		{"malformed chunk", standin.Fault{Malformed: true, After: 2}, model.Unavailable, 0},
		{"error in stream", standin.Fault{InStream: "server_error", After: 2}, model.Unavailable, 0},
		{"throttled in stream", standin.Fault{InStream: "rate_limit_exceeded", After: 2}, model.Throttled, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, m := start(t)
			secret := "a sentence nobody else may read"
			server.Fail(c.fault)
			server.Play(model.Reply{Text: secret, Calls: []model.Call{
				{ID: "1", Tool: "a", Arguments: json.RawMessage(`{"a":1}`)}}})
			got, err := m.Complete(t.Context(), ask(secret))
			var e *model.Error
			if !errors.As(err, &e) || e.Kind != c.kind || e.RetryAfter != c.wait {
				t.Fatalf("got %+v, %v", got, err)
			}
			if strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "sentence") {
				t.Errorf("the error tells too much: %v", err)
			}
			if n := len(server.Requests()); n != 1 { // retries are the turn's
				t.Errorf("%d requests", n)
			}
			// The same request succeeds afterwards: nothing was kept.
			if again, err := m.Complete(t.Context(), ask(secret)); err != nil || again.Text != secret {
				t.Errorf("again: %+v, %v", again, err)
			}
		})
	}
}

func TestS11_EndsWithItsTime(t *testing.T) {
	t.Parallel()
	server, m := start(t, func(c *openai.Config) { c.Timeout = time.Millisecond })
	server.Fail(standin.Fault{Hang: true})
	_, err := m.Complete(t.Context(), ask("hello"))
	if !errors.Is(err, context.DeadlineExceeded) || model.KindOf(err) != model.Unavailable {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, m = start(t)
	if _, err := m.Complete(ctx, ask("hello")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestS11_OtherFailures(t *testing.T) {
	t.Parallel()
	server, m := start(t)
	server.Behave(standin.Quirks{NoStream: true})
	if _, err := m.Complete(t.Context(), ask("hello")); model.KindOf(err) != model.Unavailable || err == nil {
		t.Errorf("plain answer: %v", err)
	}
	_, m = start(t, func(c *openai.Config) { c.Key = "sk-wrong" })
	if _, err := m.Complete(t.Context(), ask("hello")); model.KindOf(err) != model.Refused {
		t.Errorf("wrong key: %v", err)
	}
	_, m = start(t, func(c *openai.Config) { c.BaseURL = "http://127.0.0.1:1/v1" })
	if _, err := m.Complete(t.Context(), ask("hello")); model.KindOf(err) != model.Unavailable || err == nil {
		t.Errorf("nobody there: %v", err)
	}
	_, m = start(t)
	for name, r := range map[string]model.Request{
		"no messages": {Model: "gpt-test"},
		"no model":    {Messages: ask("x").Messages},
		"bad schema":  {Model: "gpt-test", Messages: ask("x").Messages, Tools: []model.Tool{{Name: "a", Schema: json.RawMessage(`[`)}}},
	} {
		if _, err := m.Complete(t.Context(), r); model.KindOf(err) != model.BadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Q8: what is missing stops the start, with words that say what to set.
func TestQ8_New(t *testing.T) {
	t.Parallel()
	for _, c := range []openai.Config{
		{HTTP: http.DefaultClient},
		{BaseURL: "https://api.openai.com/v1", HTTP: http.DefaultClient},
		{BaseURL: "no address", Key: key, HTTP: http.DefaultClient},
		{Key: key},
	} {
		if _, err := openai.New(c); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
	if _, err := openai.New(openai.Config{BaseURL: "http://127.0.0.1:11434/v1", HTTP: http.DefaultClient}); err != nil {
		t.Errorf("a local endpoint needs no key: %v", err)
	}
}
