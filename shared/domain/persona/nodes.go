package persona

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml/ast"
)

// entry is one key of a mapping with its value.
type entry struct {
	key   string // as in the mapping
	path  string // from the top, for errors
	line  int
	value ast.Node
}

// mapping reads a mapping with plain keys, none twice.
func (m *manifest) mapping(n ast.Node, path string) ([]entry, error) {
	var values []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		values = n.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	default:
		return nil, m.at(line(n), path, "want keys and values")
	}
	var entries []entry
	seen := map[string]bool{}
	for _, v := range values {
		key, ok := v.Key.(*ast.StringNode)
		if !ok {
			return nil, m.at(line(v.Key), path, "a key is one plain word")
		}
		e := entry{key: key.Value, path: key.Value, line: line(v.Key), value: v.Value}
		if path != "" {
			e.path = path + "." + key.Value
		}
		if seen[e.key] {
			return nil, m.at(e.line, e.path, "the key is there twice")
		}
		seen[e.key] = true
		entries = append(entries, e)
	}
	return entries, nil
}

// text reads a string of at most most characters, without control characters
// but line breaks if lines is set.
func (m *manifest) text(e entry, most int, lines bool) (string, error) {
	var s string
	switch n := e.value.(type) {
	case *ast.StringNode:
		s = n.Value
	case *ast.LiteralNode:
		if n.Value != nil {
			s = n.Value.Value
		}
	default:
		return "", m.at(e.line, e.path, "want text; quote it if it looks like something else")
	}
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return "", m.at(e.line, e.path, "is empty")
	case len([]rune(s)) > most:
		return "", m.at(e.line, e.path, fmt.Sprintf("is longer than %d characters", most))
	case strings.ContainsFunc(s, func(r rune) bool { return (unicode.IsControl(r) || r == '\ufffd') && !(lines && r == '\n') }):
		return "", m.at(e.line, e.path, "has control characters")
	}
	return s, nil
}

// list reads a list of texts, none twice.
func (m *manifest) list(e entry, check func(string) string) ([]string, error) {
	seq, ok := e.value.(*ast.SequenceNode)
	if !ok {
		return nil, m.at(e.line, e.path, "want a list")
	}
	var out []string
	seen := map[string]bool{}
	for i, n := range seq.Values {
		item := entry{path: fmt.Sprintf("%s[%d]", e.path, i), line: e.line, value: n}
		if n != nil {
			item.line = line(n)
		}
		s, err := m.text(item, 200, false)
		if err != nil {
			return nil, err
		}
		if why := check(s); why != "" {
			return nil, m.at(item.line, item.path, why)
		}
		if seen[s] {
			return nil, m.at(item.line, item.path, s+" is there twice")
		}
		seen[s] = true
		out = append(out, s)
	}
	return out, nil
}
