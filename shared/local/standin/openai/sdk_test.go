package openai

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/postern-dev/postern/shared/domain/model"
)

// The official SDK, unmodified, understands the stand-in: streams, calls,
// usage, whole answers and errors.
func TestOfficialSDK(t *testing.T) {
	t.Parallel()
	s := New("k")
	web := httptest.NewServer(s)
	defer web.Close()
	chat := sdk.NewChatCompletionService(option.WithBaseURL(web.URL+"/v1"), option.WithAPIKey("k"), option.WithMaxRetries(0))
	params := sdk.ChatCompletionNewParams{
		Model:         "m",
		Messages:      []sdk.ChatCompletionMessageParamUnion{sdk.SystemMessage("be brief"), sdk.UserMessage("x")},
		Tools:         []sdk.ChatCompletionToolUnionParam{sdk.ChatCompletionFunctionTool(sdk.FunctionDefinitionParam{Name: "a"})},
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: sdk.Bool(true)},
	}
	reply := model.Reply{Text: "two calls", Input: 5, Output: 6, Calls: []model.Call{
		{ID: "1", Tool: "a", Arguments: json.RawMessage(`{"long":"enough for pieces"}`)},
		{ID: "2", Tool: "a", Arguments: json.RawMessage(`{}`)}}}
	s.Play(reply, reply)

	var acc sdk.ChatCompletionAccumulator
	stream := chat.NewStreaming(t.Context(), params)
	for stream.Next() {
		if !acc.AddChunk(stream.Current()) {
			t.Fatal("a chunk was not accepted")
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	check := func(got sdk.ChatCompletion) {
		t.Helper()
		message := got.Choices[0].Message
		if message.Content != reply.Text || got.Choices[0].FinishReason != "tool_calls" || got.Usage.TotalTokens != 11 ||
			len(message.ToolCalls) != 2 || message.ToolCalls[0].Function.Arguments != string(reply.Calls[0].Arguments) {
			t.Errorf("got %+v", got)
		}
	}
	check(acc.ChatCompletion)
	whole, err := chat.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	check(*whole)

	s.Fail(Throttle(3 * time.Second))
	_, err = chat.New(t.Context(), params)
	var refusal *sdk.Error
	if !errors.As(err, &refusal) || refusal.StatusCode != 429 || refusal.Code != "rate_limit_exceeded" {
		t.Errorf("got %v", err)
	}
}
