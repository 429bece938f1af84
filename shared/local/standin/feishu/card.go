package feishu

import (
	"encoding/json"
	"strings"
)

// Button is one button of a card, with what a tap on it sends.
type Button struct {
	Label, Style string
	Value        json.RawMessage
}

// readCard checks a card of the first structure and gives its words and
// buttons. It refuses what the platform refuses: no elements, an element
// without a tag, an empty text.
func readCard(raw []byte) (words string, buttons []Button, good bool) {
	var c struct {
		Header   *struct{ Title text }
		Elements []json.RawMessage
	}
	if json.Unmarshal(raw, &c) != nil || len(c.Elements) == 0 {
		return "", nil, false
	}
	var lines []string
	if c.Header != nil {
		lines = append(lines, c.Header.Title.Content)
	}
	for _, e := range c.Elements {
		var el element
		if json.Unmarshal(e, &el) != nil || !el.read(&lines, &buttons) {
			return "", nil, false
		}
	}
	return strings.Join(lines, "\n"), buttons, true
}

type text struct{ Tag, Content string }

type element struct {
	Tag     string
	Text    *text
	Fields  []struct{ Text text }
	Actions []struct {
		Tag, Type string
		Text      text
		Value     json.RawMessage
	}
	Elements []text
}

func (e element) read(lines *[]string, buttons *[]Button) bool {
	var texts []text
	switch e.Tag {
	case "div":
		if e.Text != nil {
			texts = append(texts, *e.Text)
		}
		for _, f := range e.Fields {
			texts = append(texts, f.Text)
		}
	case "note":
		texts = e.Elements
	case "action":
		for _, a := range e.Actions {
			if a.Tag != "button" || a.Text.Content == "" {
				return false
			}
			*buttons = append(*buttons, Button{Label: a.Text.Content, Style: a.Type, Value: a.Value})
		}
		return len(e.Actions) > 0
	case "hr":
		return true
	default:
		return false
	}
	for _, t := range texts {
		if (t.Tag != "plain_text" && t.Tag != "lark_md") || t.Content == "" {
			return false
		}
		*lines = append(*lines, t.Content)
	}
	return len(texts) > 0
}

// updatable reports config.update_multi.
func updatable(card []byte) bool {
	var c struct {
		Config struct {
			Multi bool `json:"update_multi"`
		}
	}
	return json.Unmarshal(card, &c) == nil && c.Config.Multi
}
