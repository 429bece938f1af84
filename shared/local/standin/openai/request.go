package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/postern-dev/postern/shared/domain/model"
)

// wire is the request as it is sent, the part of it that is used.
type wire struct {
	Model    string        `json:"model"`
	Messages []wireMessage `json:"messages"`
	Tools    []struct {
		Type     string `json:"type"`
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	Stream        bool `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens           int64 `json:"max_tokens"`
	MaxCompletionTokens int64 `json:"max_completion_tokens"`
}

type wireMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// read takes a request apart and refuses what the original refuses.
func read(r *http.Request) (wire, Seen, error) {
	var in wire
	body, err := io.ReadAll(io.LimitReader(r.Body, 32<<20))
	if err != nil {
		return in, Seen{}, err
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return in, Seen{}, errors.New("body_not_json")
	}
	out := model.Request{Model: in.Model, MaxTokens: max(in.MaxTokens, in.MaxCompletionTokens)}
	if in.Model == "" {
		return in, Seen{}, errors.New("model_missing")
	}
	for _, tool := range in.Tools {
		if tool.Type != "function" || !toolName.MatchString(tool.Function.Name) {
			return in, Seen{}, fmt.Errorf("tool_name_invalid")
		}
		if len([]rune(tool.Function.Description)) > 1024 {
			return in, Seen{}, errors.New("string_above_max_length")
		}
		out.Tools = append(out.Tools, model.Tool{
			Name: tool.Function.Name, Description: tool.Function.Description, Schema: tool.Function.Parameters})
	}
	for _, m := range in.Messages {
		if m.Role == "system" || m.Role == "developer" {
			out.System += text(m.Content)
			continue
		}
		message, err := understood(m)
		if err != nil {
			return in, Seen{}, err
		}
		out.Messages = append(out.Messages, message)
	}
	if err := model.Check(out.Messages); err != nil {
		return in, Seen{}, errors.New("messages_invalid: " + err.Error())
	}
	header := r.Header.Clone()
	header.Del("Authorization")
	return in, Seen{Request: out, Streamed: in.Stream, Header: header, Body: body}, nil
}

func understood(m wireMessage) (model.Message, error) {
	out := model.Message{Text: text(m.Content)}
	switch m.Role {
	case "user":
		out.Role = model.User
	case "tool":
		out.Role, out.CallID = model.Result, m.ToolCallID
	case "assistant":
		out.Role = model.Assistant
		for _, call := range m.ToolCalls {
			if call.Type != "function" || !toolName.MatchString(call.Function.Name) {
				return out, errors.New("tool_name_invalid")
			}
			out.Calls = append(out.Calls, model.Call{
				ID: call.ID, Tool: call.Function.Name, Arguments: json.RawMessage(call.Function.Arguments)})
		}
	default:
		return out, errors.New("role_invalid")
	}
	return out, nil
}

// text reads content, which is a string or a list of parts.
func text(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	json.Unmarshal(content, &parts)
	for _, part := range parts {
		s += part.Text
	}
	return s
}

func endsIn(path, tail string) bool { return strings.HasSuffix(path, tail) }
