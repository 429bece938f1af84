package scripted

import (
	"context"
	"fmt"

	"github.com/postern-dev/postern/shared/domain/model"
)

// Name is what the model calls itself, in Reply.Model and in the transcript.
const Name = "scripted"

// label begins everything it says.
const label = "(scripted model) "

// Model fulfils the contract of package model. The zero Model follows the
// grammar of the package.
type Model struct {
	script []model.Reply
}

// New makes a model that follows the grammar or, given replies, one that gives
// them in order: the nth to a conversation in which it has spoken n-1 times.
// A reply of the script must have text or calls, else it would not count.
func New(script ...model.Reply) *Model { return &Model{script: script} }

// Complete replies. It fails only if ctx has ended or a provider would refuse
// the messages, so that tests notice (S7).
func (m *Model) Complete(ctx context.Context, r model.Request) (model.Reply, error) {
	if err := ctx.Err(); err != nil {
		return model.Reply{}, &model.Error{Kind: model.Unavailable, Err: fmt.Errorf("scripted: %w", err)}
	}
	if err := model.Check(r.Messages); err != nil {
		return model.Reply{}, &model.Error{Kind: model.BadRequest, Err: fmt.Errorf("scripted: %w", err)}
	}
	out := m.reply(r)
	out.Model = Name
	if out.Stop == "" {
		out.Stop = model.Ended
		if len(out.Calls) > 0 {
			out.Stop = model.Called
		}
	}
	if out.Input == 0 && out.Output == 0 {
		out.Input, out.Output = tokens(r.Messages...), tokens(model.Message{Text: out.Text, Calls: out.Calls})
	}
	return out, nil
}

func (m *Model) reply(r model.Request) model.Reply {
	if len(m.script) == 0 {
		return follow(r.Messages)
	}
	n := 0
	for _, message := range r.Messages {
		if message.Role == model.Assistant {
			n++
		}
	}
	if n < len(m.script) {
		return m.script[n]
	}
	return model.Reply{Text: label + "Nothing more in the script."}
}

// calls makes the calls of one message.
func calls(group []step, spoken int) []model.Call {
	var out []model.Call
	for i, s := range group {
		out = append(out, model.NewCall(fmt.Sprintf("scripted_%d_%d", spoken, i), s.tool, s.arguments))
	}
	return out
}

// tokens counts four bytes a token.
func tokens(messages ...model.Message) int64 {
	n := 0
	for _, m := range messages {
		n += len(m.Text)
		for _, call := range m.Calls {
			n += len(call.Tool) + len(call.Arguments)
		}
	}
	return int64(n/4) + 1
}
