package openai

import (
	"errors"
	"strings"

	"github.com/postern-dev/postern/shared/domain/model"
)

// replyLimit bounds what one reply may grow to, in bytes.
const replyLimit = 4 << 20

// chunk is one event of the stream.
type chunk struct {
	Model   string `json:"model"`
	Choices []struct {
		Index int64 `json:"index"`
		Delta struct {
			Content   string `json:"content"`
			Refusal   string `json:"refusal"`
			ToolCalls []call `json:"tool_calls"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Prompt     int64 `json:"prompt_tokens"`
		Completion int64 `json:"completion_tokens"`
	} `json:"usage"`
}

// collector puts the pieces of a stream together. Pieces of a call have its
// index; some compatible endpoints give every call the same one, so a new id
// begins a new call as well.
type collector struct {
	text     strings.Builder
	refusal  strings.Builder
	calls    []*piece
	at       map[int64]*piece // the call that pieces of an index belong to
	finish   string
	model    string
	in, out  int64
	size     int
	answered bool
}

// piece is a call in the making.
type piece struct {
	id, name  string
	arguments strings.Builder
}

func (c *collector) add(chunk chunk) error {
	c.answered = true
	if chunk.Model != "" {
		c.model = chunk.Model
	}
	if chunk.Usage.Prompt > 0 || chunk.Usage.Completion > 0 {
		c.in, c.out = chunk.Usage.Prompt, chunk.Usage.Completion
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue // one answer is asked for
		}
		c.text.WriteString(choice.Delta.Content)
		c.refusal.WriteString(choice.Delta.Refusal)
		c.size += len(choice.Delta.Content) + len(choice.Delta.Refusal)
		for _, delta := range choice.Delta.ToolCalls {
			c.size += len(delta.ID) + len(delta.Function.Name) + len(delta.Function.Arguments)
			c.call(delta)
		}
		if choice.FinishReason != "" {
			c.finish = choice.FinishReason
		}
	}
	if c.size > replyLimit {
		return errors.New("openai: the reply is over 4 MiB")
	}
	return nil
}

func (c *collector) call(delta call) {
	p := c.at[delta.Index]
	if p == nil || (delta.ID != "" && p.id != "" && delta.ID != p.id) {
		p = &piece{}
		if c.at == nil {
			c.at = map[int64]*piece{}
		}
		c.at[delta.Index] = p
		c.calls = append(c.calls, p)
	}
	if p.id == "" {
		p.id = delta.ID
	}
	if p.name == "" {
		p.name = delta.Function.Name
	}
	p.arguments.WriteString(delta.Function.Arguments)
}

// reply is the whole. A stream that ended without saying why was cut: what was
// heard of it is thrown away, since half a call must not run.
func (c *collector) reply(r model.Request, names model.Names) (model.Reply, error) {
	if c.finish == "" {
		err := errors.New("openai: the stream ended before the reply did")
		if !c.answered {
			err = errors.New("openai: the endpoint answered without a stream")
		}
		return model.Reply{}, &model.Error{Kind: model.Unavailable, Err: err}
	}
	out := model.Reply{Text: c.text.String(), Model: c.model, Input: c.in, Output: c.out}
	for _, p := range c.calls {
		out.Calls = append(out.Calls, model.NewCall(p.id, names.In(p.name), p.arguments.String()))
	}
	out.Stop = stop(c.finish, len(out.Calls) > 0)
	if c.refusal.Len() > 0 {
		out.Stop = model.Filtered
		out.Text += c.refusal.String()
	}
	if out.Model == "" {
		out.Model = r.Model
	}
	if out.Input == 0 && out.Output == 0 {
		out.Input, out.Output = estimate(r), int64(c.size/4)+1
	}
	return out, nil
}

func stop(finish string, called bool) model.Stop {
	switch finish {
	case "length":
		return model.Length
	case "content_filter":
		return model.Filtered
	}
	if called {
		return model.Called
	}
	return model.Ended
}

// estimate counts four bytes a token where the endpoint reports no usage, so
// that budgets hold there too (W7).
func estimate(r model.Request) int64 {
	n := len(r.System)
	for _, m := range r.Messages {
		n += len(m.Text)
		for _, call := range m.Calls {
			n += len(call.Tool) + len(call.Arguments)
		}
	}
	for _, tool := range r.Tools {
		n += len(tool.Name) + len(tool.Description) + len(tool.Schema)
	}
	return int64(n/4) + 1
}
