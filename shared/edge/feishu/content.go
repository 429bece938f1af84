package feishu

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/postern-dev/postern/shared/domain/trigger"
)

// readContent gives the text of a message: of text and post what people wrote,
// of everything else its kind in brackets, so that the event is not lost.
func readContent(kind, content string, ms []mention) string {
	switch kind {
	case "text":
		var c struct {
			Text string `json:"text"`
		}
		if parse([]byte(content), &c) {
			return names(c.Text, ms)
		}
	case "post":
		if text, ok := readPost(content, ms); ok {
			return text
		}
	case "file", "audio", "media", "folder":
		var c struct {
			Name string `json:"file_name"`
		}
		if parse([]byte(content), &c) && c.Name != "" {
			return "[" + kind + ": " + c.Name + "]"
		}
	case "":
		kind = "message"
	}
	return "[" + kind + "]"
}

// span is one piece of a post.
type span struct {
	Tag      string `json:"tag"`
	Text     string `json:"text"`
	Href     string `json:"href"`
	UserID   string `json:"user_id"`
	UserName string `json:"user_name"`
	Emoji    string `json:"emoji_type"`
}

type post struct {
	Title   string              `json:"title"`
	Content [][]json.RawMessage `json:"content"`
}

// readPost reads a rich text message, with or without a layer of languages.
func readPost(content string, ms []mention) (string, bool) {
	var p post
	if !parse([]byte(content), &p) {
		return "", false
	}
	if p.Title == "" && p.Content == nil {
		var byLanguage map[string]json.RawMessage
		parse([]byte(content), &byLanguage)
		for _, lang := range []string{"zh_cn", "en_us", "ja_jp"} {
			if raw, ok := byLanguage[lang]; ok && parse(raw, &p) {
				break
			}
		}
	}
	var b strings.Builder
	b.WriteString(p.Title)
	for i, line := range p.Content {
		if i > 0 || p.Title != "" {
			b.WriteByte('\n')
		}
		for _, raw := range line {
			var s span
			if parse(raw, &s) {
				b.WriteString(s.read(ms))
			}
		}
	}
	return b.String(), true
}

func (s span) read(ms []mention) string {
	switch s.Tag {
	case "a":
		if s.Href != "" && s.Href != s.Text {
			return s.Text + " (" + s.Href + ")"
		}
		return s.Text
	case "at":
		if n := names(s.UserID, ms); n != s.UserID || s.UserName == "" {
			return n
		}
		return "@" + s.UserName
	case "emotion":
		return ":" + s.Emoji + ":"
	case "code_block":
		return "\n" + s.Text + "\n"
	case "hr":
		return "\n"
	case "img", "media":
		return "[" + s.Tag + "]"
	default:
		return names(s.Text, ms)
	}
}

// names replaces each placeholder of a mention by the name, read as a whole
// word: @_user_1 is not a part of @_user_10 (B39). A placeholder without a
// mention stays as it is.
func names(text string, ms []mention) string {
	const head = "@_user_"
	if len(ms) == 0 || !strings.Contains(text, head) {
		return text
	}
	var b strings.Builder
	for {
		i := strings.Index(text, head)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		end := i + len(head)
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		b.WriteString(text[:i])
		b.WriteString(nameOf(text[i:end], ms))
		text = text[end:]
	}
}

func nameOf(placeholder string, ms []mention) string {
	for _, m := range ms {
		if m.Key == placeholder && m.Name != "" {
			return "@" + m.Name
		}
	}
	return placeholder
}

// clip cuts a text at trigger.MaxText bytes, at a rune's edge, and says so.
func clip(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= trigger.MaxText {
		return s
	}
	const room = 40 // for the marker
	cut := trigger.MaxText - room
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + fmt.Sprintf("\n[cut: %d bytes more]", len(s)-cut)
}
