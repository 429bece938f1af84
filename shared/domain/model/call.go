package model

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Call is one tool call the model asks for.
type Call struct {
	ID   string // the provider's, good for nothing but handing back (I3)
	Tool string
	// Arguments is always valid JSON, so that it can be stored: an object, or,
	// if Bad is set, a string that holds what was received.
	Arguments json.RawMessage
	Bad       string // why the arguments are not an object; empty if they are
}

// NewCall makes a Call of what a provider sent. No arguments at all, and null,
// are the empty object: so some providers call a tool that takes none.
func NewCall(id, tool, arguments string) Call {
	call := Call{ID: id, Tool: tool}
	call.Arguments, call.Bad = object([]byte(arguments))
	return call
}

// object returns raw as a JSON object, or as a JSON string with the reason why
// it is none.
func object(raw []byte) (arguments json.RawMessage, bad string) {
	trimmed := bytes.TrimSpace(raw)
	if len(trimmed) == 0 || string(trimmed) == "null" {
		return json.RawMessage("{}"), ""
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(trimmed, &fields); err != nil {
		bad = fmt.Sprintf("the arguments are not a JSON object: %v", err)
		if json.Valid(trimmed) {
			bad = "the arguments are JSON, but not an object"
		}
		quoted, _ := json.Marshal(string(raw)) // a string always marshals
		return quoted, bad
	}
	return bytes.Clone(trimmed), ""
}
