package feishu

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/postern-dev/postern/shared/domain/trigger"
)

// readContent gives the text of a message: of text and post what people wrote,
// of everything else its kind in brackets, so that the event is not lost.
func readContent(kind string, content []byte, ms []mention) string {
	switch kind {
	case "text":
		if text, ok := oneField(content, "text"); ok {
			return names(text, ms)
		}
	case "post":
		if text, ok := readPost(content, ms); ok {
			return text
		}
	case "file", "audio", "media", "folder":
		if name, _ := oneField(content, "file_name"); name != "" {
			return "[" + kind + ": " + name + "]"
		}
	case "":
		kind = "message"
	}
	return "[" + kind + "]"
}

// oneField reads one string field of a content.
func oneField(content []byte, name string) (value string, ok bool) {
	ok = readObject(content, func(r reader, n string) error {
		if n == name {
			return r.text(&value)
		}
		return r.d.SkipValue()
	})
	return value, ok
}

// post is a rich text: lines of spans.
type post struct {
	title string
	lines [][]span
}

// span is one piece of a post.
type span struct{ tag, text, href, userID, userName, emoji string }

// readPost reads a post, with or without a layer of languages.
func readPost(content []byte, ms []mention) (string, bool) {
	var p post
	ok := readObject(content, func(r reader, name string) error {
		if name == "title" || name == "content" {
			return p.field(r, name)
		}
		if p.lines != nil {
			return r.d.SkipValue()
		}
		return r.fields(p.field) // a language
	})
	if !ok {
		return "", false
	}
	var b strings.Builder
	b.WriteString(p.title)
	for i, line := range p.lines {
		if i > 0 || p.title != "" {
			b.WriteByte('\n')
		}
		for _, s := range line {
			b.WriteString(s.read(ms))
		}
	}
	return b.String(), true
}

func (p *post) field(r reader, name string) error {
	switch name {
	case "title":
		return r.text(&p.title)
	case "content":
		return r.items(func(r reader) error {
			var line []span
			err := r.items(func(r reader) error {
				var s span
				err := r.into(map[string]*string{
					"tag": &s.tag, "text": &s.text, "href": &s.href,
					"user_id": &s.userID, "user_name": &s.userName, "emoji_type": &s.emoji,
				})
				line = append(line, s)
				return err
			})
			p.lines = append(p.lines, line)
			return err
		})
	}
	return r.d.SkipValue()
}

func (s span) read(ms []mention) string {
	switch s.tag {
	case "a":
		if s.href != "" && s.href != s.text {
			return s.text + " (" + s.href + ")"
		}
		return s.text
	case "at":
		if n := names(s.userID, ms); n != s.userID || s.userName == "" {
			return n
		}
		return "@" + s.userName
	case "emotion":
		return ":" + s.emoji + ":"
	case "code_block":
		return "\n" + s.text + "\n"
	case "hr":
		return "\n"
	case "img", "media":
		return "[" + s.tag + "]"
	default:
		return names(s.text, ms)
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
	b.Grow(len(text) + 16*len(ms))
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
		if m.key == placeholder && m.name != "" {
			return "@" + m.name
		}
	}
	return placeholder
}

// clip cuts a text at trigger.MaxText bytes, at a rune's edge, and says so.
func clip(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
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
