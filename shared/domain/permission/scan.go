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

var errInexact = errors.New("an integer is beyond 9007199254740991 and would be rounded; pass it as a string")

// exact refuses an integer that would change when read as a double.
func exact(number string) error {
	if strings.ContainsAny(number, ".eE") {
		return nil
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if errors.Is(err, strconv.ErrRange) || n > 1<<53-1 || n < -(1<<53-1) {
		return errInexact
	}
	return nil
}
