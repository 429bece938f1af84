package github

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// blankWidth stands behind an "@" so that GitHub notifies nobody, and behind a
// "#" so that it refers to nothing.
const blankWidth = "\u200b"

// plain writes a string of somebody else's so that Markdown shows it as it is:
// no formatting, no HTML, no link and no mention.
func plain(s string) string {
	s = strings.Map(func(c rune) rune { // first, so that it cannot part what belongs together
		switch {
		case c == '\t':
			return ' '
		case c != '\n' && misleads(c):
			return -1
		}
		return c
	}, s)
	var b strings.Builder
	var last rune = '\n'
	for i, c := range s {
		switch {
		case last == '\n' && c == ' ':
			continue // an indented line would be code
		case means(last, c, s[i:]):
			b.WriteByte('\\')
		}
		b.WriteRune(c)
		if c == '@' || c == '#' {
			b.WriteString(blankWidth)
		}
		last = c
	}
	return b.String()
}

// means reports whether a character can be markup behind the one before.
func means(last, c rune, rest string) bool {
	switch c {
	case '\\', '`', '*', '_', '[', ']', '<', '>', '|', '~', '#', '@', '&', '$', '!':
		return true
	case '-', '+', '=': // a list, a line, a heading
		return last == '\n'
	case '.', ')': // "1." and "www."
		return last >= '0' && last <= '9' || last == 'w' || last == 'W'
	case ':':
		return strings.HasPrefix(rest, "://")
	}
	return false
}

// line is plain for what has to stay on one line.
func line(s string) string { return plain(strings.Join(strings.Fields(s), " ")) }

// misleads finds characters that no reader sees and that change what he reads:
// controls, and those that turn the direction of writing around.
func misleads(c rune) bool {
	return unicode.IsControl(c) || c == 0x061c || c >= 0x200b && c <= 0x200f || c >= 0x202a && c <= 0x202e || c >= 0x2060 && c <= 0x206f || c == 0xfeff || c == 0x2028 || c == 0x2029
}

// span writes a short string as inline code.
func span(s string) string {
	return "`" + strings.NewReplacer("`", "'").Replace(strings.Join(strings.Fields(visible(s)), " ")) + "`"
}

// block writes a text as a fenced block which its own fences cannot end.
func block(s, language string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + language + "\n" + s + "\n" + fence
}

// indented is JSON on several lines, with what misleads written out.
func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return visible(string(raw))
	}
	return visible(b.String())
}

func visible(s string) string {
	var b strings.Builder
	for _, c := range s {
		if misleads(c) && c != '\n' {
			fmt.Fprintf(&b, `\u%04x`, c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// clamp keeps an escaped text within max bytes, and cuts inside no character
// and no escape.
func clamp(s string, max int) string {
	if len(s) <= max {
		return s
	}
	n := max - len(cutMark)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	s = s[:n]
	if n := len(s) - len(strings.TrimRight(s, `\`)); n%2 == 1 {
		s = s[:len(s)-1]
	}
	return s + cutMark
}

const cutMark = " …"

// quiet takes mentions and HTML out of a Markdown text and leaves its
// formatting, and its code, alone. What was code may be none any more once the
// HTML before it is gone, so it looks again until nothing changes.
func quiet(s string) string {
	s = s[:min(len(s), maxRead)]
	for range 4 {
		q := quietOnce(s, partsOf(s))
		if q == s {
			return s
		}
		s = q
	}
	return quietOnce(s, make([]part, len(s)))
}

func quietOnce(s string, parts []part) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		left := parts[i] == code || parts[i] == link
		switch {
		case s[i] == '<' && !left:
			b.WriteString("&lt;")
		case s[i] == '@' && !left && i+1 < len(s) && isAlnum(s[i+1]):
			b.WriteString("@" + blankWidth)
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// webAddress is an address that may stand behind a link, or empty.
func webAddress(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ""
	}
	return strings.NewReplacer("<", "%3C", ">", "%3E", "(", "%28", ")", "%29", `\`, "%5C", " ", "%20", "`", "%60").Replace(u.String())
}
