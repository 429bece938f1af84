package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"github.com/postern-dev/postern/shared/domain/model"
)

// replyLimit bounds what one reply may grow to, in bytes.
const replyLimit = 4 << 20

// event is any event of the stream: each kind fills its own part.
type event struct {
	Index   int `json:"index"`
	Message struct {
		Model string `json:"model"`
		Usage usage  `json:"usage"`
	} `json:"message"`
	Block struct {
		Type string `json:"type"`
		ID   string `json:"id"`
		Name string `json:"name"`
		Text string `json:"text"`
	} `json:"content_block"`
	Delta struct {
		Text       string `json:"text"`
		Partial    string `json:"partial_json"`
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage usage `json:"usage"`
}

// usage counts tokens. What came from the provider's cache was read, too.
type usage struct {
	Input   int64 `json:"input_tokens"`
	Written int64 `json:"cache_creation_input_tokens"`
	Cached  int64 `json:"cache_read_input_tokens"`
	Output  int64 `json:"output_tokens"`
}

// collector puts the blocks of a reply together.
type collector struct {
	model string
	text  strings.Builder
	calls []*piece
	at    map[int]*piece // by the block's index
	stop  string
	in    int64
	out   int64
	size  int
	ended bool
	begun bool
}

// piece is a call in the making.
type piece struct {
	id, name  string
	arguments strings.Builder
}

func (c *collector) add(raw ssestream.Event) error {
	if raw.Type == "error" {
		code := code(raw.Data)
		return &model.Error{Kind: kind(0, code), Err: fmt.Errorf("anthropic: error within the stream %s", code)}
	}
	var e event
	if len(raw.Data) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw.Data, &e); err != nil {
		return unavailable("a part of the stream is no JSON")
	}
	switch raw.Type {
	case "message_start":
		c.begun = true
		c.in = e.Message.Usage.Input + e.Message.Usage.Written + e.Message.Usage.Cached
		if e.Message.Model != "" {
			c.model = e.Message.Model
		}
	case "content_block_start":
		c.text.WriteString(e.Block.Text)
		if e.Block.Type == "tool_use" {
			if c.at == nil {
				c.at = map[int]*piece{}
			}
			c.at[e.Index] = &piece{id: e.Block.ID, name: e.Block.Name}
			c.calls = append(c.calls, c.at[e.Index])
		}
	case "content_block_delta":
		c.text.WriteString(e.Delta.Text)
		if p := c.at[e.Index]; p != nil {
			p.arguments.WriteString(e.Delta.Partial)
		}
	case "message_delta":
		c.stop = e.Delta.StopReason
		c.out = max(c.out, e.Usage.Output)
		c.in = max(c.in, e.Usage.Input+e.Usage.Written+e.Usage.Cached)
	case "message_stop":
		c.ended = true
	}
	if c.size += len(raw.Data); c.size > 8*replyLimit || c.text.Len() > replyLimit {
		return unavailable("the reply is over 4 MiB")
	}
	return nil
}

// reply is the whole. What was cut is thrown away: half a call must not run.
func (c *collector) reply(names model.Names) (model.Reply, error) {
	if !c.ended || c.stop == "" {
		if !c.begun {
			return model.Reply{}, unavailable("the endpoint answered without a stream")
		}
		return model.Reply{}, unavailable("the stream ended before the reply did")
	}
	out := model.Reply{Text: c.text.String(), Model: c.model, Input: c.in, Output: c.out}
	for _, p := range c.calls {
		out.Calls = append(out.Calls, model.NewCall(p.id, names.In(p.name), p.arguments.String()))
	}
	switch c.stop {
	case "max_tokens", "model_context_window_exceeded":
		out.Stop = model.Length
	case "refusal":
		out.Stop = model.Filtered
	default:
		out.Stop = model.Ended
		if len(out.Calls) > 0 {
			out.Stop = model.Called
		}
	}
	return out, nil
}

func unavailable(why string) *model.Error {
	return &model.Error{Kind: model.Unavailable, Err: errors.New("anthropic: " + why)}
}
