package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/postern-dev/postern/shared/domain/model"
)

// Limits of the provider.
const (
	nameLimit        = 64   // characters of a tool name
	descriptionLimit = 1024 // characters of a tool description
)

type request struct {
	Model               string         `json:"model"`
	Messages            []message      `json:"messages"`
	Tools               []tool         `json:"tools,omitempty"`
	MaxTokens           int64          `json:"max_tokens,omitempty"`
	MaxCompletionTokens int64          `json:"max_completion_tokens,omitempty"`
	Stream              bool           `json:"stream"`
	StreamOptions       map[string]any `json:"stream_options"`
}

type message struct {
	Role       string  `json:"role"`
	Content    *string `json:"content,omitempty"`
	ToolCalls  []call  `json:"tool_calls,omitempty"`
	ToolCallID string  `json:"tool_call_id,omitempty"`
}

type call struct {
	Index    int64    `json:"index,omitempty"` // in a stream: which call the piece is of
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
	} `json:"function"`
}

// wire is the request in the provider's shape.
func (m *Model) wire(r model.Request, names model.Names) (request, error) {
	out := request{Model: r.Model, Stream: true, StreamOptions: map[string]any{"include_usage": true}}
	if r.Model == "" {
		return out, errors.New("no model named")
	}
	if err := model.Check(r.Messages); err != nil {
		return out, err
	}
	if m.own {
		out.MaxCompletionTokens = r.MaxTokens
	} else {
		out.MaxTokens = r.MaxTokens // what compatible endpoints know
	}
	if r.System != "" {
		out.Messages = append(out.Messages, message{Role: "system", Content: &r.System})
	}
	for i := range r.Messages {
		out.Messages = append(out.Messages, said(&r.Messages[i], names))
	}
	for _, t := range r.Tools {
		offer := tool{Type: "function"}
		offer.Function.Name = names.Out(t.Name)
		offer.Function.Description = clip(t.Description, descriptionLimit)
		offer.Function.Parameters = t.Schema
		var fields map[string]json.RawMessage
		if len(t.Schema) > 0 && json.Unmarshal(t.Schema, &fields) != nil {
			return out, fmt.Errorf("the schema of tool %s is not a JSON object", t.Name)
		}
		out.Tools = append(out.Tools, offer)
	}
	return out, nil
}

func said(m *model.Message, names model.Names) message {
	switch m.Role {
	case model.User:
		return message{Role: "user", Content: &m.Text}
	case model.Result:
		return message{Role: "tool", Content: &m.Text, ToolCallID: m.CallID}
	}
	out := message{Role: "assistant"}
	if strings.TrimSpace(m.Text) != "" {
		out.Content = &m.Text
	}
	for _, c := range m.Calls {
		out.ToolCalls = append(out.ToolCalls, call{ID: c.ID, Type: "function",
			Function: function{Name: names.Out(c.Tool), Arguments: string(c.Arguments)}})
	}
	return out
}

// clip cuts text to limit characters.
func clip(text string, limit int) string {
	n := 0
	for at := range text {
		if n == limit {
			return text[:at]
		}
		n++
	}
	return text
}
