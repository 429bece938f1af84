package github

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// maxTitle is the most bytes of a title: GitHub takes 256 characters.
const maxTitle = 1 << 10

// cut keeps a text within max bytes, and within max plus a quarter once it is
// written as JSON, where one byte of markup may take six (B50). What is longer
// ends with a marker that says how much is missing.
func cut(s string, max int) string {
	const room = 40 // for the marker
	if len(s) <= max/6 {
		return s
	}
	limit := max + max/4
	end, encoded := -1, 0
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		encoded += jsonSize(c, size)
		if end < 0 && (i+size > max-room || encoded > limit-room) {
			end = i
		}
		i += size
		if i > max || encoded > limit {
			return s[:end] + "\n[cut: " + strconv.Itoa(len(s)-end) + " more bytes]"
		}
	}
	return s
}

// jsonSize is what one character takes in encoding/json's default form.
func jsonSize(c rune, size int) int {
	switch {
	case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t':
		return 2
	case c < 0x20 || c == '<' || c == '>' || c == '&' || c == '\u2028' || c == '\u2029' || c == utf8.RuneError && size == 1:
		return 6
	}
	return size
}

// fullName is "owner/repo" in lower case, and nothing else.
func fullName(s string) (string, bool) {
	owner, name, ok := strings.Cut(s, "/")
	if !ok || !isLogin(owner) || !isRepo(name) {
		return "", false
	}
	return strings.ToLower(s), true
}

func isRepo(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !isAlnum(c) && c != '_' && c != '-' && c != '.' {
			return false
		}
	}
	return s != "" && s != "." && s != ".." && len(s) <= 100
}

// repoID is the repository's immutable id, or its name where a delivery has
// no id that can be read.
func repoID(r repository, account string) string {
	if r.ID > 0 {
		return r.ID.String()
	}
	return account
}

// at is the platform's time stamp, or now if it cannot be read.
func (r *Receiver) at(stamp string) time.Time {
	if t := parseTime(stamp); !t.IsZero() {
		return t
	}
	return r.now().UTC()
}
