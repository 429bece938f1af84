package slack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// escaper escapes the three signs that make tags in Slack's text, so that
// nobody's words ping <!channel> or fake a link (B26).
var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// escape makes somebody's words safe to stand in Slack's text: no tags, no
// control characters, nothing that turns the direction of writing.
func escape(s string) string { return escaper.Replace(clean(s)) }

// oneLine is escape for what must not break a line.
func oneLine(s string) string { return strings.Join(strings.Fields(escape(s)), " ") }

// clean replaces what is not text. Line breaks and tabs stay.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if hidden(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

// hidden reports whether r is a control character, a line or paragraph
// separator, or a sign that reorders what is read.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r), r == '\u2028', r == '\u2029', r == '\u061C', r == '\u200E', r == '\u200F':
		return true
	}
	return r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069'
}

// clamp cuts escaped text to at most max UTF-16 units, mark included, and never
// inside an entity (B20). It reports whether it cut.
func clamp(s string, max int, mark string) (string, bool) {
	if units(s) <= max {
		return s, false
	}
	room := max - units(mark)
	n := 0
	for n < len(s) {
		size, cost := piece(s[n:])
		if cost > room {
			break
		}
		n, room = n+size, room-cost
	}
	return s[:n] + mark, true
}

// piece is the length in bytes and in UTF-16 units of the entity or sign that s
// begins with.
func piece(s string) (size, cost int) {
	for _, entity := range []string{"&amp;", "&lt;", "&gt;"} {
		if strings.HasPrefix(s, entity) {
			return len(entity), len(entity)
		}
	}
	r, size := utf8.DecodeRuneInString(s)
	return size, max(1, utf16.RuneLen(r))
}

func units(s string) int {
	n := 0
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// arguments shows a call's arguments as indented JSON that can stand in a code
// fence: what would end the fence, or would not be seen, is written as JSON's
// own escape, so the reader sees what there is.
func arguments(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return strings.ReplaceAll(escape(string(raw)), "```", "` ` `")
	}
	var out strings.Builder
	for _, r := range strings.ReplaceAll(b.String(), "```", `\u0060\u0060\u0060`) {
		if hidden(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return escaper.Replace(out.String())
}

// link is a destination that can stand in <...|label>: http or https only, its
// ampersands escaped once, what would end the tag percent-encoded.
func link(s string) string {
	if !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") || len(s) > 2000 {
		return ""
	}
	return linkEscaper.Replace(clean(s))
}

var linkEscaper = strings.NewReplacer("&", "&amp;", "<", "%3C", ">", "%3E", "|", "%7C", " ", "%20", "\n", "%0A", "\t", "%09")
