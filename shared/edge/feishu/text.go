package feishu

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// encode writes JSON without escaping < > &, as the platform shows examples.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte(`{}`) // only our own types come here; none of them can fail
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// visible makes what a reader would not see readable: control characters and
// marks that turn or hide text become \uXXXX, so that a card shows an approver
// what is really there. Line ends and tabs stay.
func visible(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden keeps the joiners of emoji and of some scripts (U+200C, U+200D).
func hidden(r rune) bool {
	switch r {
	case '\n', '\t', 0x200C, 0x200D:
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// cut shortens a line of text to at most max bytes, at a rune's edge.
func cut(s string, max int) string {
	s = visible(s)
	if len(s) <= max {
		return s
	}
	return s[:edge(s, max-len("…"))] + "…"
}

// cutMore is cut for long text: it says how much is missing and where it is.
func cutMore(s string, max int) string {
	s = visible(s)
	if len(s) <= max {
		return s
	}
	at := edge(s, max)
	return s[:at] + fmt.Sprintf("\n[cut: %d bytes more, the rest behind the link]", len(s)-at)
}

// edge is the last rune's edge in s at or before at.
func edge(s string, at int) int {
	if at <= 0 {
		return 0
	}
	for at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	return at
}

// plain makes a text safe for a message of type text, in which <at ...>, <b>
// and [words](address) are live: a zero width space breaks them, nothing else
// changes (Q7).
func plain(s string) string {
	s = visible(s)
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		b.WriteByte(s[i])
		if i+1 == len(s) {
			break
		}
		next := s[i+1]
		if (s[i] == '<' && (next == '/' || letter(next))) || (s[i] == ']' && next == '(') {
			b.WriteString("\u200B")
		}
	}
	return b.String()
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
