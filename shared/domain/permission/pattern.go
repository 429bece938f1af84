package permission

import (
	"errors"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// wild are the characters that make a pattern a glob.
const wild = `*?[]\`

// pattern is one name or a glob over names: * any run, ? one character, [a-z]
// and [^a-z] one of a set. A slash is a character like any other.
type pattern struct {
	text     string // as path.Match reads it, slashes hidden
	prefix   string // what every match starts with
	suffix   string // and ends with
	tail     bool   // it is prefix and one * at the end
	exact    bool
	literals int // characters that stand for themselves (P4)
}

// MaxPattern is the longest pattern, in bytes.
const MaxPattern = 200

func newPattern(s string) (pattern, error) {
	switch {
	case s == "":
		return pattern{}, errors.New("the pattern is empty")
	case len(s) > MaxPattern:
		return pattern{}, errors.New("the pattern is longer than 200 bytes")
	case !utf8.ValidString(s) || strings.ContainsFunc(s, unprintable):
		return pattern{}, errors.New("the pattern has characters that cannot be shown")
	case strings.ContainsAny(s, `\`) || strings.Contains(s, "[!"):
		return pattern{}, errors.New(`write a set as [a-z] or [^a-z]; ! and \ have no meaning here`)
	}
	p := pattern{text: hideSlashes(s), exact: !strings.ContainsAny(s, wild)}
	if _, err := path.Match(p.text, ""); err != nil {
		return pattern{}, errors.New("the pattern has a set that is not closed or not complete")
	}
	if p.prefix = p.text; !p.exact {
		p.prefix = p.text[:strings.IndexAny(p.text, wild)]
		p.suffix = p.text[strings.LastIndexAny(p.text, wild)+1:]
		p.tail = p.text == p.prefix+"*"
	}
	p.literals = literals(s)
	return p, nil
}

func (p *pattern) match(name string) bool {
	if strings.IndexByte(name, '/') >= 0 {
		name = hideSlashes(name)
	}
	if !strings.HasPrefix(name, p.prefix) || !strings.HasSuffix(name, p.suffix) {
		return false
	}
	switch {
	case p.exact:
		return len(name) == len(p.prefix)
	case p.tail:
		return true
	}
	ok, err := path.Match(p.text, name)
	return ok && err == nil
}

// literals counts what is outside * ? and sets.
func literals(s string) (n int) {
	inSet := false
	for _, r := range s {
		switch {
		case r == '[':
			inSet = true
		case r == ']' && inSet:
			inSet = false
		case r == '*' || r == '?' || inSet:
		default:
			n++
		}
	}
	return n
}

// hideSlashes keeps path.Match, which stops * at a slash, from doing so.
func hideSlashes(s string) string { return strings.ReplaceAll(s, "/", "\x01") }

func unprintable(r rune) bool { return !unicode.IsPrint(r) }
