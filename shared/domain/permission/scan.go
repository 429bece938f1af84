package permission

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// scan looks over JSON text for what the canonicaliser accepts and we do not:
// deep nesting, and integers that a double cannot hold. It need not judge the
// syntax, which the canonicaliser does.
func scan(raw []byte) error {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			i = endOfString(raw, i)
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return fmt.Errorf("nested deeper than %d", MaxDepth)
			}
		case c == '}' || c == ']':
			depth--
		case c == '-' || c >= '0' && c <= '9':
			end := endOfNumber(raw, i)
			if err := exact(string(raw[i:end])); err != nil {
				return err
			}
			i = end - 1
		}
	}
	return nil
}

// endOfString returns the index of the quote that closes the string at i, or
// the text's last index.
func endOfString(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(raw)
}

func endOfNumber(raw []byte, i int) int {
	for i < len(raw) && strings.IndexByte("+-.0123456789eE", raw[i]) >= 0 {
		i++
	}
	return i
}

var errInexact = errors.New("an integer has more digits than a double holds and would be rounded; pass it as a string")

// exact refuses an integer that would change when read as a double and written
// again.
func exact(number string) error {
	if len(number) < 16 || strings.ContainsAny(number, ".eE") {
		return nil // below 10^15, or written as a fraction
	}
	f, err := strconv.ParseFloat(number, 64)
	if err == nil && strconv.FormatFloat(f, 'f', -1, 64) != number {
		return errInexact
	}
	return nil // what is no number is the canonicaliser's to refuse
}
