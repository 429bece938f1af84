package anthropic

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/postern-dev/postern/shared/domain/model"
)

// stream sends a reply as the original does: block by block, in small pieces,
// a ping among them, the reason to stop at the end.
func stream(w http.ResponseWriter, reply model.Reply, fault Fault) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	for n, e := range events(reply) {
		if !fault.none() && n >= fault.After {
			spoil(w, fault)
			return
		}
		data, _ := json.Marshal(e)
		send(w, e["type"].(string), data)
	}
}

func send(w http.ResponseWriter, kind string, data []byte) {
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, data)
	w.(http.Flusher).Flush()
}

func spoil(w http.ResponseWriter, fault Fault) {
	switch {
	case fault.Malformed:
		send(w, "content_block_delta", []byte(`{"type":"content_block_delta","index":0,`))
	case fault.InStream != "":
		send(w, "error", fmt.Appendf(nil, `{"type":"error","error":{"type":%q,"message":"a sentence of the provider"}}`, fault.InStream))
	case fault.Cut:
		panic(http.ErrAbortHandler)
	}
}

func events(reply model.Reply) []map[string]any {
	out := []map[string]any{
		{"type": "message_start", "message": head(reply, []any{}, nil, 1)}, {"type": "ping"}}
	index := 0
	add := func(start map[string]any, deltas []map[string]any) {
		out = append(out, map[string]any{"type": "content_block_start", "index": index, "content_block": start})
		for _, d := range deltas {
			out = append(out, map[string]any{"type": "content_block_delta", "index": index, "delta": d})
		}
		out = append(out, map[string]any{"type": "content_block_stop", "index": index})
		index++
	}
	if reply.Text != "" {
		var deltas []map[string]any
		for _, piece := range cut(reply.Text, 5) {
			deltas = append(deltas, map[string]any{"type": "text_delta", "text": piece})
		}
		add(map[string]any{"type": "text", "text": ""}, deltas)
	}
	for _, call := range reply.Calls {
		deltas := []map[string]any{{"type": "input_json_delta", "partial_json": ""}}
		for _, piece := range cut(string(call.Arguments), 9) {
			deltas = append(deltas, map[string]any{"type": "input_json_delta", "partial_json": piece})
		}
		add(map[string]any{"type": "tool_use", "id": call.ID, "name": call.Tool, "input": map[string]any{}}, deltas)
	}
	return append(out, map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": stop(reply), "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": reply.Output}}, map[string]any{"type": "message_stop"})
}

// head is the message itself. A part of what was read came from the cache.
func head(reply model.Reply, content []any, stop any, output int64) map[string]any {
	cached := reply.Input / 2
	return map[string]any{"id": "msg_standin", "type": "message", "role": "assistant", "model": reply.Model,
		"content": content, "stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": reply.Input - cached, "cache_creation_input_tokens": 0,
			"cache_read_input_tokens": cached, "output_tokens": output}}
}

func stop(reply model.Reply) string {
	switch {
	case reply.Stop == model.Length:
		return "max_tokens"
	case reply.Stop == model.Filtered:
		return "refusal"
	case len(reply.Calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}

// whole answers a request that asked for no stream.
func whole(w http.ResponseWriter, reply model.Reply) {
	content := []any{}
	if reply.Text != "" {
		content = append(content, map[string]any{"type": "text", "text": reply.Text})
	}
	for _, call := range reply.Calls {
		content = append(content, map[string]any{"type": "tool_use", "id": call.ID, "name": call.Tool, "input": call.Arguments})
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(head(reply, content, stop(reply), reply.Output))
}

// cut gives text in pieces of size characters.
func cut(text string, size int) []string {
	var out []string
	for runes := []rune(text); len(runes) > 0; {
		n := min(size, len(runes))
		out, runes = append(out, string(runes[:n])), runes[n:]
	}
	return out
}
