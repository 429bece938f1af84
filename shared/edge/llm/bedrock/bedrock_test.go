package bedrock_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"

	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/edge/llm/bedrock"
	standin "github.com/postern-dev/postern/shared/local/standin/bedrock"
)

const name = "eu.anthropic.claude-test-v1:0"

// start gives a stand-in and a Model that talks to it by the SDK as it is.
func start(t *testing.T, timeout time.Duration) (*standin.Server, *bedrock.Model) {
	t.Helper()
	server := standin.New()
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	m, err := bedrock.New(bedrockruntime.New(bedrockruntime.Options{
		Region: "eu-west-1", BaseEndpoint: aws.String(web.URL), HTTPClient: web.Client(),
		Credentials: credentials.NewStaticCredentialsProvider("AKIDTEST", "secret-access-key", ""),
	}), timeout)
	if err != nil {
		t.Fatal(err)
	}
	return server, m
}

func ask(text string) model.Request {
	return model.Request{Model: name, Messages: []model.Message{{Role: model.User, Text: text}}}
}

func TestS11_TextCallsAndUsage(t *testing.T) {
	t.Parallel()
	server, m := start(t, 0)
	calls := []model.Call{
		{ID: "tooluse_a", Tool: "web_fetch", Arguments: json.RawMessage(`{"n":12345678901234567890,"url":"https://example.com/ä","x":[1.50,null,true]}`)},
		{ID: "tooluse_b", Tool: "list", Arguments: json.RawMessage(`{}`)},
	}
	server.Play(model.Reply{Text: "Grüße, two calls.", Calls: calls, Input: 121, Output: 20},
		model.Reply{Text: "cut", Stop: model.Length}, model.Reply{Text: "no", Stop: model.Filtered}, model.Reply{Text: "Done."})
	got, err := m.Complete(t.Context(), ask("go"))
	want := model.Reply{Text: "Grüße, two calls.", Calls: calls, Stop: model.Called, Input: 121, Output: 20, Model: name}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
		for _, c := range got.Calls {
			t.Logf("%s", c.Arguments)
		}
	}
	for _, stop := range []model.Stop{model.Length, model.Filtered, model.Ended} {
		if got, err := m.Complete(t.Context(), ask("go")); err != nil || got.Stop != stop {
			t.Errorf("%s: got %+v, %v", stop, got, err)
		}
	}
	if seen := server.Requests()[0]; seen.Model != name || seen.MaxTokens != 0 {
		t.Errorf("seen %+v", seen)
	}
}

func TestS11_InputThatIsNoObject(t *testing.T) {
	t.Parallel()
	server, m := start(t, 0)
	server.Play(model.Reply{Calls: []model.Call{{ID: "a", Tool: "web_fetch", Arguments: json.RawMessage(`"{cut"`)}}})
	got, err := m.Complete(t.Context(), ask("go"))
	if err != nil || len(got.Calls) != 1 || got.Calls[0].Bad == "" || !json.Valid(got.Calls[0].Arguments) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// S7, S12: a whole conversation arrives as it was meant.
func TestS12_ConversationAndNames(t *testing.T) {
	t.Parallel()
	server, m := start(t, 0)
	long := "mcp__notion__" + strings.Repeat("page_", 20) + "create"
	r := model.Request{
		Model: name, System: "Be brief.", MaxTokens: 77,
		Tools: []model.Tool{{Name: long, Description: "makes", Schema: json.RawMessage(`{"properties":{"a":{"maximum":5}},"type":"object"}`)}, {Name: "list"}},
		Messages: []model.Message{
			{Role: model.User, Text: "make a page"}, {Role: model.User, Text: "quickly"},
			{Role: model.Assistant, Text: "I do.", Calls: []model.Call{
				{ID: "call_2_0", Tool: long, Arguments: json.RawMessage(`{"a":12345678901234567890,"b":{"c":[1]}}`)}, {ID: "call_2_1", Tool: "list", Arguments: json.RawMessage(`{}`)}}},
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
	if seen.System != r.System || seen.MaxTokens != 77 || len(seen.Messages) != 6 || len(seen.Tools) != 2 || seen.Tools[0].Name != short ||
		string(seen.Tools[0].Schema) != string(r.Tools[0].Schema) {
		t.Fatalf("seen %+v", seen)
	}
	for i, m := range seen.Messages {
		if m.Text != r.Messages[i].Text || m.CallID != r.Messages[i].CallID {
			t.Errorf("%d: seen %+v", i, m)
		}
	}
	if string(seen.Messages[2].Calls[0].Arguments) != string(r.Messages[2].Calls[0].Arguments) {
		t.Errorf("seen %s", seen.Messages[2].Calls[0].Arguments)
	}
	// Without tools the conversation is still one that Converse takes.
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
		{"throttled", standin.Fault{Status: 429, Code: "ThrottlingException", RetryAfter: 7 * time.Second}, model.Throttled, 7 * time.Second},
		{"overloaded", standin.Fault{Status: 503, Code: "ServiceUnavailableException"}, model.Overloaded, 0},
		{"warming up", standin.Fault{Status: 429, Code: "ModelNotReadyException"}, model.Overloaded, 0},
		{"broken", standin.Fault{Status: 500, Code: "InternalServerException"}, model.Unavailable, 0},
		{"too slow", standin.Fault{Status: 408, Code: "ModelTimeoutException"}, model.Unavailable, 0},
		{"gateway", standin.Fault{Status: 502, Code: "Odd"}, model.Unavailable, 0},
		{"no access", standin.Fault{Status: 403, Code: "AccessDeniedException"}, model.Refused, 0},
		{"quota", standin.Fault{Status: 400, Code: "ServiceQuotaExceededException"}, model.Refused, 0},
		{"too long", standin.Fault{Status: 400, Code: "ValidationException"}, model.BadRequest, 0},
		{"unknown", standin.Fault{Status: 400, Code: "Odd"}, model.BadRequest, 0},
		{"cut", standin.Fault{Cut: true}, model.Unavailable, 0},
		{"malformed", standin.Fault{Malformed: true}, model.Unavailable, 0},
		{"malformed call", standin.Fault{Stop: "malformed_tool_use"}, model.Unavailable, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, m := start(t, 0)
			secret := "a sentence nobody else may read"
			server.Fail(c.fault)
			server.Play(model.Reply{Text: secret})
			got, err := m.Complete(t.Context(), ask(secret))
			var e *model.Error
			if !errors.As(err, &e) || e.Kind != c.kind || e.RetryAfter != c.wait {
				t.Fatalf("got %+v, %v", got, err)
			}
			if strings.Contains(err.Error(), "sentence") || strings.Contains(err.Error(), "as told") {
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
	server, m := start(t, time.Millisecond)
	server.Fail(standin.Fault{Hang: true})
	if _, err := m.Complete(t.Context(), ask("hello")); !errors.Is(err, context.DeadlineExceeded) || model.KindOf(err) != model.Unavailable {
		t.Errorf("got %v", err)
	}
}

func TestRefusedBeforeTheCall(t *testing.T) {
	t.Parallel()
	server, m := start(t, 0)
	for name, r := range map[string]model.Request{
		"no messages": {Model: "m"}, "no model": {Messages: ask("x").Messages},
		"bad schema": {Model: "m", Messages: ask("x").Messages, Tools: []model.Tool{{Name: "a", Schema: json.RawMessage(`[]`)}}},
	} {
		if _, err := m.Complete(t.Context(), r); model.KindOf(err) != model.BadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(server.Requests()) != 0 {
		t.Error("something was sent")
	}
	if _, err := bedrock.New(nil, 0); err == nil {
		t.Error("no client accepted")
	}
}
