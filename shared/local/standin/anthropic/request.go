package anthropic

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

type wire struct {
	Model     string          `json:"model"`
	MaxTokens int64           `json:"max_tokens"`
	System    json.RawMessage `json:"system"`
	Messages  []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	Stream bool `json:"stream"`
}

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// read takes a request apart and refuses what the original refuses.
func read(r *http.Request) (model.Request, bool, error) {
	var in wire
	var out model.Request
	body, err := io.ReadAll(io.LimitReader(r.Body, 32<<20))
	if err != nil || json.Unmarshal(body, &in) != nil {
		return out, false, errors.New("the body is no JSON")
	}
	out.Model, out.MaxTokens = in.Model, in.MaxTokens
	for _, b := range blocks(in.System) {
		out.System += b.Text
	}
	for _, tool := range in.Tools {
		var schema struct {
			Type string `json:"type"`
		}
		if !toolName.MatchString(tool.Name) || json.Unmarshal(tool.Schema, &schema) != nil || schema.Type != "object" {
			return out, false, fmt.Errorf("tool %q: name or input_schema is invalid", tool.Name)
		}
		out.Tools = append(out.Tools, model.Tool{Name: tool.Name, Description: tool.Description, Schema: tool.Schema})
	}
	called := false
	for i, m := range in.Messages {
		if m.Role != "user" && m.Role != "assistant" {
			return out, false, fmt.Errorf("messages.%d: role", i)
		}
		if i > 0 && in.Messages[i-1].Role == m.Role {
			return out, false, fmt.Errorf("messages.%d: two of one role in a row", i) // taken by some models only
		}
		said, err := understood(m.Role, blocks(m.Content))
		if err != nil {
			return out, false, fmt.Errorf("messages.%d: %w", i, err)
		}
		out.Messages = append(out.Messages, said...)
		called = called || len(said[0].Calls) > 0
	}
	if err := model.Check(out.Messages); err != nil {
		return out, false, err
	}
	if in.Model == "" || in.MaxTokens < 1 {
		return out, false, errors.New("model and max_tokens are required")
	}
	if called && len(in.Tools) == 0 {
		return out, false, errors.New("tool_use blocks need tools to be defined")
	}
	return out, in.Stream, nil
}

func understood(role string, content []block) ([]model.Message, error) {
	var out []model.Message
	said := model.Message{Role: model.Assistant}
	for _, b := range content {
		switch {
		case b.Type == "text" && strings.TrimSpace(b.Text) == "":
			return nil, errors.New("text must not be empty")
		case b.Type == "text" && role == "user":
			out = append(out, model.Message{Role: model.User, Text: b.Text})
		case b.Type == "tool_result" && role == "user":
			text := ""
			for _, part := range blocks(b.Content) {
				text += part.Text
			}
			out = append(out, model.Message{Role: model.Result, CallID: b.ToolUseID, Text: text, OK: !b.IsError})
		case b.Type == "text":
			said.Text += b.Text
		case b.Type == "tool_use" && role == "assistant" && toolName.MatchString(b.Name):
			said.Calls = append(said.Calls, model.Call{ID: b.ID, Tool: b.Name, Arguments: b.Input})
		default:
			return nil, fmt.Errorf("a %s block is not allowed or invalid", b.Type)
		}
	}
	if role == "assistant" {
		out = append(out, said)
	}
	if len(out) == 0 {
		return nil, errors.New("empty")
	}
	return out, nil
}

// blocks reads content, which is a string or a list of blocks.
func blocks(content json.RawMessage) []block {
	var text string
	if json.Unmarshal(content, &text) == nil && text != "" {
		return []block{{Type: "text", Text: text}}
	}
	var list []block
	json.Unmarshal(content, &list)
	return list
}
