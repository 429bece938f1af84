package anthropic

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/postern-dev/postern/shared/domain/model"
)

// The official SDK, unmodified, understands the stand-in.
func TestOfficialSDK(t *testing.T) {
	t.Parallel()
	s := New("k")
	web := httptest.NewServer(s)
	defer web.Close()
	messages := sdk.NewMessageService(option.WithBaseURL(web.URL), option.WithAPIKey("k"), option.WithMaxRetries(0))
	params := sdk.MessageNewParams{Model: "m", MaxTokens: 10,
		Messages: []sdk.MessageParam{sdk.NewUserMessage(sdk.NewTextBlock("x"))},
		Tools:    []sdk.ToolUnionParam{sdk.ToolUnionParamOfTool(sdk.ToolInputSchemaParam{Properties: map[string]any{}}, "a")}}
	reply := model.Reply{Text: "two calls", Input: 5, Output: 6, Calls: []model.Call{
		{ID: "1", Tool: "a", Arguments: json.RawMessage(`{"long":"enough for pieces"}`)},
		{ID: "2", Tool: "a", Arguments: json.RawMessage(`{}`)}}}
	s.Play(reply, reply)

	var streamed sdk.Message
	stream := messages.NewStreaming(t.Context(), params)
	for stream.Next() {
		if err := streamed.Accumulate(stream.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	whole, err := messages.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []sdk.Message{streamed, *whole} {
		if len(got.Content) != 3 || got.Content[0].Text != reply.Text || string(got.Content[1].Input) != string(reply.Calls[0].Arguments) ||
			got.StopReason != "tool_use" || got.Usage.InputTokens+got.Usage.CacheReadInputTokens != 5 || got.Usage.OutputTokens != 6 {
			t.Errorf("got %+v", got)
		}
	}
	s.Fail(Fault{Status: 529, Type: "overloaded_error"})
	_, err = messages.New(t.Context(), params)
	var refusal *sdk.Error
	if !errors.As(err, &refusal) || refusal.StatusCode != 529 {
		t.Errorf("got %v", err)
	}
}

func TestRefusesWhatTheOriginalRefuses(t *testing.T) {
	t.Parallel()
	user := `{"role":"user","content":"x"}`
	called := `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"a","input":{}}]}`
	result := `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"y"}]}`
	tools := `"tools":[{"name":"a","input_schema":{"type":"object"}}],`
	with := func(extra string, messages ...string) string {
		return `{"model":"m","max_tokens":9,` + extra + `"messages":[` + strings.Join(messages, ",") + `]}`
	}
	cases := []struct {
		name, body string
		status     int
	}{
		{"good", with("", user), 200},
		{"answered", with(tools, user, called, result), 200},
		{"no tools defined", with("", user, called, result), 400},
		{"unanswered", with(tools, user, called, user), 400},
		{"assistant first", with(tools, `{"role":"assistant","content":"x"}`), 400},
		{"two in a row", with("", user, user), 400},
		{"blank text", with("", `{"role":"user","content":[{"type":"text","text":" "}]}`), 400},
		{"no limit", `{"model":"m","messages":[` + user + `]}`, 400},
		{"bad schema", with(`"tools":[{"name":"a","input_schema":{}}],`, user), 400},
		{"no JSON", "{", 400},
	}
	for _, c := range cases {
		r := httptest.NewRequest(http.MethodPost, "/v1/messages", strings.NewReader(c.body))
		r.Header.Set("X-Api-Key", "k")
		r.Header.Set("Anthropic-Version", "2023-06-01")
		w := httptest.NewRecorder()
		New("k").ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s: %d %s", c.name, w.Code, w.Body)
		}
	}
}
