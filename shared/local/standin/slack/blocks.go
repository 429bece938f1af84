package slack

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// block is what the stand-in looks at of a block or an element.
type block struct {
	Type     string            `json:"type"`
	Text     text              `json:"text"`
	Elements []json.RawMessage `json:"elements"`
	ActionID string            `json:"action_id"`
	Value    string            `json:"value"`
	Style    string            `json:"style"`
}

// text is a text object, or the bare string that context elements have.
type text struct {
	Type string
	Text string
}

// UnmarshalJSON takes both forms.
func (t *text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &t.Text)
	}
	var o struct{ Type, Text string }
	if err := json.Unmarshal(b, &o); err != nil {
		return err
	}
	t.Type, t.Text = o.Type, o.Text
	return nil
}

// checkBlocks refuses what Slack refuses, with a pointer to it: too many
// blocks, texts and values over their limits, two elements of one action id.
func checkBlocks(list []json.RawMessage) reply {
	if len(list) > 50 {
		return invalid("no more than 50 items allowed", "/blocks")
	}
	seen := map[string]bool{}
	for i, raw := range list {
		at := fmt.Sprintf("/blocks/%d", i)
		var b block
		if json.Unmarshal(raw, &b) != nil {
			return invalid("failed to match all allowed schemas", at)
		}
		limit := 25
		switch b.Type {
		case "section":
			if n := utf8.RuneCountInString(b.Text.Text); n == 0 || n > 3000 {
				return invalid("must be less than 3001 characters", at+"/text/text")
			}
			continue
		case "context":
			limit = 10
		case "actions":
		case "header":
			if n := utf8.RuneCountInString(b.Text.Text); n == 0 || n > 150 {
				return invalid("must be less than 151 characters", at+"/text/text")
			}
			continue
		case "divider", "rich_text":
			continue
		default:
			return invalid("unsupported type: "+b.Type, at+"/type")
		}
		if len(b.Elements) == 0 || len(b.Elements) > limit {
			return invalid(fmt.Sprintf("no more than %d items allowed", limit), at+"/elements")
		}
		for j, raw := range b.Elements {
			if bad := checkElement(raw, fmt.Sprintf("%s/elements/%d", at, j), b.Type, seen); bad != nil {
				return bad
			}
		}
	}
	return nil
}

func checkElement(raw json.RawMessage, at, in string, seen map[string]bool) reply {
	var e block
	if json.Unmarshal(raw, &e) != nil {
		return invalid("failed to match all allowed schemas", at)
	}
	if in == "context" {
		if n := utf8.RuneCountInString(e.Text.Text); n == 0 || n > 3000 {
			return invalid("must be less than 3001 characters", at+"/text")
		}
		return nil
	}
	switch {
	case e.Type != "button":
		return invalid("unsupported type: "+e.Type, at+"/type")
	case e.Text.Type != "plain_text" || e.Text.Text == "" || utf8.RuneCountInString(e.Text.Text) > 75:
		return invalid("must be less than 76 characters", at+"/text/text")
	case len(e.Value) > 2000:
		return invalid("must be less than 2001 characters", at+"/value")
	case len(e.ActionID) > 255 || e.ActionID != "" && seen[e.ActionID]:
		return invalid("action_id already exists", at+"/action_id")
	case e.Style != "" && e.Style != "primary" && e.Style != "danger":
		return invalid("unsupported style", at+"/style")
	}
	seen[e.ActionID] = true
	return nil
}

func invalid(what, at string) reply {
	return reply{"ok": false, "error": "invalid_blocks", "response_metadata": reply{
		"messages": []string{"[ERROR] " + what + " [json-pointer:" + at + "]"},
	}}
}

// Button is a button of a message, as a person sees it.
type Button struct {
	Label, Value, Style, ActionID string
}

// Buttons are the buttons of a message, in reading order.
func (m Message) Buttons() []Button {
	var out []Button
	var list []block
	if json.Unmarshal(m.Blocks, &list) != nil {
		return nil
	}
	for _, b := range list {
		if b.Type != "actions" {
			continue
		}
		for _, raw := range b.Elements {
			var e block
			if json.Unmarshal(raw, &e) == nil && e.Type == "button" {
				out = append(out, Button{e.Text.Text, e.Value, e.Style, e.ActionID})
			}
		}
	}
	return out
}

// Words are all texts of a message's blocks, one a line, for tests and pages
// that want to know what a person reads.
func (m Message) Words() string {
	out := ""
	var list []block
	if json.Unmarshal(m.Blocks, &list) != nil || len(list) == 0 {
		return m.Text
	}
	for _, b := range list {
		if b.Text.Text != "" {
			out += b.Text.Text + "\n"
		}
		for _, raw := range b.Elements {
			var e block
			if json.Unmarshal(raw, &e) == nil && e.Text.Text != "" {
				out += e.Text.Text + "\n"
			}
		}
	}
	return out
}
