package model

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/postern-dev/postern/shared/domain/session"
)

// What is put where a provider wants words and the transcript has none.
const (
	opening  = "(the session begins)"
	silent   = "(no output)"
	unnamed  = "unnamed"
	unfilled = "no result was recorded for this call; it may or may not have run"
)

// FromTranscript makes of a session's steps, in order, the messages for a
// provider, valid as Check says whatever the steps are (S7): each call is
// followed by its result before anything else, and a message that came between
// them follows them. A call without a recorded result gets one that says so;
// the turn calls no model while a call waits, so that is a repair, not a rule.
//
// Call ids are made from step and position, because providers use theirs again
// (I3). Well-formed steps that are appended leave the messages before them as
// they were, so a provider's prompt cache holds.
func FromTranscript(steps []session.Step) []Message {
	results := index(steps)
	said := map[int64]bool{}
	var out []Message
	for i := range steps {
		step := &steps[i]
		switch step.Role {
		case session.User:
			if !blank(step.Text) {
				out = append(out, Message{Role: User, Text: step.Text})
			}
		case session.Assistant:
			if !said[step.N] { // a number is one step
				out = append(out, spoken(step, results)...)
			}
			said[step.N] = true
		}
	}
	if len(out) == 0 || out[0].Role != User {
		out = append([]Message{{Role: User, Text: opening}}, out...)
	}
	return out
}

// answers holds the result of each call that has one.
type answers map[place]*session.Step

// place is where a call stands: in which step, at which position.
type place struct {
	step int64
	pos  int
}

// index finds the first result of each place; a call is answered once (S7).
func index(steps []session.Step) answers {
	found := answers{}
	for i := range steps {
		step := &steps[i]
		at := place{step.Of, step.Pos}
		if step.Role == session.Result && found[at] == nil {
			found[at] = step
		}
	}
	return found
}

// spoken is an assistant step and, right after it, the results of its calls.
func spoken(step *session.Step, results answers) []Message {
	if blank(step.Text) && len(step.Calls) == 0 {
		return nil
	}
	out := []Message{{Role: Assistant, Text: step.Text}}
	if blank(step.Text) {
		out[0].Text = ""
	}
	for pos, call := range step.Calls {
		id := callID(step.N, pos)
		tool := call.Tool
		if tool == "" {
			tool = unnamed
		}
		out[0].Calls = append(out[0].Calls, Call{ID: id, Tool: tool, Arguments: readable(call.Arguments)})
		heard := Message{Role: Result, CallID: id, ToolName: tool, Text: unfilled}
		if r := results[place{step.N, pos}]; r != nil {
			heard.Text, heard.OK = r.Text, r.OK
			if blank(heard.Text) {
				heard.Text = silent
			}
		}
		out = append(out, heard)
	}
	return out
}

func callID(step int64, pos int) string {
	return "call_" + strconv.FormatInt(step, 10) + "_" + strconv.Itoa(pos)
}

// readable makes an object of whatever the model sent, since providers take no
// other thing back.
func readable(raw json.RawMessage) json.RawMessage {
	arguments, bad := object(raw)
	if bad == "" {
		return arguments
	}
	var received string
	if json.Unmarshal(raw, &received) != nil {
		received = string(raw)
	}
	wrapped, _ := json.Marshal(map[string]string{"unreadable_arguments": received})
	return wrapped
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
