package bedrock

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
	System []struct {
		Text string `json:"text"`
	} `json:"system"`
	InferenceConfig struct {
		MaxTokens int64 `json:"maxTokens"`
	} `json:"inferenceConfig"`
	Messages []struct {
		Role    string  `json:"role"`
		Content []block `json:"content"`
	} `json:"messages"`
	ToolConfig *struct {
		Tools []struct {
			Spec struct {
				Name        string `json:"name"`
				Description string `json:"description"`
				Schema      struct {
					JSON json.RawMessage `json:"json"`
				} `json:"inputSchema"`
			} `json:"toolSpec"`
		} `json:"tools"`
	} `json:"toolConfig"`
}

type block struct {
	Text    *string `json:"text"`
	ToolUse *struct {
		ID    string          `json:"toolUseId"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	} `json:"toolUse"`
	ToolResult *struct {
		ID      string `json:"toolUseId"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	} `json:"toolResult"`
}

var name = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`) // of tools and calls

// read takes a request apart and refuses what the original refuses.
func read(r *http.Request) (model.Request, error) {
	var in wire
	var out model.Request
	body, err := io.ReadAll(io.LimitReader(r.Body, 32<<20))
	if err != nil || json.Unmarshal(body, &in) != nil {
		return out, errors.New("the body is no JSON")
	}
	out.MaxTokens = in.InferenceConfig.MaxTokens
	for _, s := range in.System {
		out.System += s.Text
	}
	if in.ToolConfig != nil {
		if len(in.ToolConfig.Tools) == 0 {
			return out, errors.New("toolConfig.tools must not be empty")
		}
		for _, tool := range in.ToolConfig.Tools {
			if !name.MatchString(tool.Spec.Name) || len(tool.Spec.Schema.JSON) == 0 {
				return out, fmt.Errorf("tool %q is invalid", tool.Spec.Name)
			}
			out.Tools = append(out.Tools, model.Tool{Name: tool.Spec.Name, Description: tool.Spec.Description, Schema: tool.Spec.Schema.JSON})
		}
	}
	called := false
	for i, m := range in.Messages {
		if i > 0 && in.Messages[i-1].Role == m.Role {
			return out, fmt.Errorf("messages.%d: roles must alternate", i)
		}
		said, calls, err := understood(m.Role, m.Content)
		if err != nil {
			return out, fmt.Errorf("messages.%d: %w", i, err)
		}
		out.Messages, called = append(out.Messages, said...), called || calls
	}
	if err := model.Check(out.Messages); err != nil {
		return out, err
	}
	if called && in.ToolConfig == nil {
		return out, errors.New("toolConfig must be defined with toolUse and toolResult blocks")
	}
	return out, nil
}

func understood(role string, content []block) (out []model.Message, called bool, err error) {
	said := model.Message{Role: model.Assistant}
	for _, b := range content {
		switch {
		case b.Text != nil && strings.TrimSpace(*b.Text) == "":
			return nil, false, errors.New("text must not be blank")
		case b.Text != nil && role == "user":
			out = append(out, model.Message{Role: model.User, Text: *b.Text})
		case b.Text != nil:
			said.Text += *b.Text
		case b.ToolResult != nil && role == "user" && len(b.ToolResult.Content) == 1:
			out = append(out, model.Message{Role: model.Result, CallID: b.ToolResult.ID, Text: b.ToolResult.Content[0].Text})
		case b.ToolUse != nil && role == "assistant" && name.MatchString(b.ToolUse.Name) && name.MatchString(b.ToolUse.ID):
			said.Calls = append(said.Calls, model.Call{ID: b.ToolUse.ID, Tool: b.ToolUse.Name, Arguments: b.ToolUse.Input})
		default:
			return nil, false, errors.New("a block is invalid or not allowed here")
		}
	}
	if role == "assistant" {
		out = append(out, said)
	}
	return out, len(said.Calls) > 0, nil
}
