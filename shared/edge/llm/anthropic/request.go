package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/postern-dev/postern/shared/domain/model"
)

const nameLimit = 64 // characters of a tool name

type request struct {
	Model     string    `json:"model"`
	MaxTokens int64     `json:"max_tokens"`
	System    []block   `json:"system,omitempty"`
	Messages  []message `json:"messages"`
	Tools     []tool    `json:"tools,omitempty"`
	Stream    bool      `json:"stream"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Cache     *cache          `json:"cache_control,omitempty"`
}

// cache marks where the provider may keep what was read so far.
type cache struct {
	Type string `json:"type"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"input_schema"`
}

// wire is the request in the provider's shape. What is said in a row by one
// side is one message there, results before words.
func wire(r model.Request, names model.Names) (request, error) {
	out := request{Model: r.Model, MaxTokens: r.MaxTokens, Stream: true}
	if r.Model == "" {
		return out, errors.New("no model named")
	}
	if err := model.Check(r.Messages); err != nil {
		return out, err
	}
	if out.MaxTokens <= 0 {
		out.MaxTokens = DefaultMaxTokens
	}
	if r.System != "" {
		out.System = []block{{Type: "text", Text: r.System}}
	}
	for _, m := range r.Messages {
		role := "user"
		if m.Role == model.Assistant {
			role = "assistant"
		}
		if n := len(out.Messages); n == 0 || out.Messages[n-1].Role != role {
			out.Messages = append(out.Messages, message{Role: role})
		}
		last := &out.Messages[len(out.Messages)-1]
		last.Content = append(last.Content, blocks(m, names)...)
	}
	end := out.Messages[len(out.Messages)-1].Content
	end[len(end)-1].Cache = &cache{Type: "ephemeral"} // the next call begins with all of this
	for _, t := range model.Offered(r) {
		offer := tool{Name: names.Out(t.Name), Description: t.Description, Schema: t.Schema}
		var fields map[string]json.RawMessage
		if len(t.Schema) == 0 {
			offer.Schema = json.RawMessage(`{"type":"object"}`)
		} else if json.Unmarshal(t.Schema, &fields) != nil {
			return out, fmt.Errorf("the schema of tool %s is not a JSON object", t.Name)
		}
		out.Tools = append(out.Tools, offer)
	}
	return out, nil
}

func blocks(m model.Message, names model.Names) []block {
	if m.Role == model.Result {
		return []block{{Type: "tool_result", ToolUseID: m.CallID, Content: m.Text, IsError: !m.OK}}
	}
	var out []block
	if m.Text != "" {
		out = append(out, block{Type: "text", Text: m.Text})
	}
	for _, c := range m.Calls {
		out = append(out, block{Type: "tool_use", ID: c.ID, Name: names.Out(c.Tool), Input: c.Arguments})
	}
	return out
}
