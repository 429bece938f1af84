package panel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// plain is somebody's text without what is not seen: control characters and
// signs that turn the direction of writing are shown as U+FFFD, so that nobody
// is shown other words than the agent uses.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if hidden(r) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "\uFFFD"))
}

// pretty is JSON as people read it, over several lines.
func pretty(raw json.RawMessage) string { return readable(raw, "  ") }

// short is JSON as people read it, in one line.
func short(raw json.RawMessage) string { return readable(raw, "") }

// readable is JSON digit by digit as it is. What would not be seen is written
// as JSON's own escape.
func readable(raw json.RawMessage, indent string) string {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if d.Decode(&v) != nil || e.Encode(v) != nil {
		return plain(string(raw))
	}
	var out strings.Builder
	for _, r := range strings.TrimSpace(b.String()) {
		if hidden(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
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
