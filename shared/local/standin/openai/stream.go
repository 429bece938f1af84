package openai

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/postern-dev/postern/shared/domain/model"
)

const made = 1700000000 // "created" of every answer, in seconds

// stream sends a reply as the original does: a few characters a chunk, calls
// in pieces, then why it stopped, then the usage, then the end mark.
func stream(w http.ResponseWriter, reply model.Reply, usage bool, quirks Quirks, fault Fault) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	chunks := chunks(reply, quirks)
	if usage && !quirks.NoUsage {
		chunks = append(chunks, map[string]any{"choices": []any{}, "usage": counted(reply)})
	}
	for n, chunk := range chunks {
		if fault.instead() && n >= fault.After {
			spoil(w, fault)
			return
		}
		chunk["id"], chunk["object"], chunk["created"] = "chatcmpl-standin", "chat.completion.chunk", made
		chunk["model"] = reply.Model
		line, _ := json.Marshal(chunk)
		event(w, line)
	}
	if !quirks.NoDone {
		event(w, []byte("[DONE]"))
	}
}

func event(w http.ResponseWriter, data []byte) {
	fmt.Fprintf(w, "data: %s\n\n", data)
	w.(http.Flusher).Flush()
}

func spoil(w http.ResponseWriter, fault Fault) {
	switch {
	case fault.Malformed:
		event(w, []byte(`{"choices":[{"index":0,`))
	case fault.InStream != "":
		event(w, fmt.Appendf(nil, `{"error":{"message":"stand-in","type":"server_error","code":%q}}`, fault.InStream))
	case fault.Cut:
		panic(http.ErrAbortHandler)
	}
}

func chunks(reply model.Reply, quirks Quirks) []map[string]any {
	var out []map[string]any
	delta := func(d map[string]any, finish any) {
		out = append(out, map[string]any{"choices": []any{
			map[string]any{"index": 0, "delta": d, "finish_reason": finish}}})
	}
	delta(map[string]any{"role": "assistant", "content": ""}, nil)
	for _, piece := range cut(reply.Text, 5) {
		delta(map[string]any{"content": piece}, nil)
	}
	for n, call := range reply.Calls {
		if quirks.SameIndex {
			n = 0
		}
		delta(map[string]any{"tool_calls": []any{map[string]any{"index": n, "id": call.ID, "type": "function",
			"function": map[string]any{"name": call.Tool, "arguments": ""}}}}, nil)
		for _, piece := range cut(string(call.Arguments), 9) {
			delta(map[string]any{"tool_calls": []any{map[string]any{"index": n,
				"function": map[string]any{"arguments": piece}}}}, nil)
		}
	}
	delta(map[string]any{}, finish(reply))
	return out
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

func finish(reply model.Reply) string {
	switch {
	case reply.Stop == model.Length:
		return "length"
	case reply.Stop == model.Filtered:
		return "content_filter"
	case len(reply.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func counted(reply model.Reply) map[string]any {
	return map[string]any{"prompt_tokens": reply.Input, "completion_tokens": reply.Output,
		"total_tokens": reply.Input + reply.Output}
}

// whole answers a request that asked for no stream.
func whole(w http.ResponseWriter, reply model.Reply) {
	message := map[string]any{"role": "assistant", "content": reply.Text}
	var calls []any
	for _, call := range reply.Calls {
		calls = append(calls, map[string]any{"id": call.ID, "type": "function",
			"function": map[string]any{"name": call.Tool, "arguments": string(call.Arguments)}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"id": "chatcmpl-standin", "object": "chat.completion",
		"created": made, "model": reply.Model, "usage": counted(reply),
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish(reply)}}})
}
