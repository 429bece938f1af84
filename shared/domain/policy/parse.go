package policy

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// MaxText is the most bytes of a policy file.
const MaxText = 256 << 10

// Limits that keep the YAML parser's work small, whatever the text. A whole
// policy written in brackets has five open at once.
const (
	maxNesting = 16   // open brackets
	maxIndent  = 64   // columns before the first word of a line
	maxLine    = 2000 // bytes of a line
)

// Parse reads policy.yaml (U12). It is strict: an unknown key, a key twice, a
// value of the wrong sort, a cell that its row may not have, or a name that
// nothing answers to is an error, never a guess. The error is Problems, each
// with the file's name, the line and the key, and says what is allowed.
// Version and Paused are not in the file.
func Parse(name string, text []byte) (Policy, error) {
	r := &reader{file: name, lines: map[string]int{}}
	body := r.document(text)
	if len(r.found) > 0 {
		return Policy{}, r.problems()
	}
	r.shape(body, "", 1, policyType)
	if len(r.found) > 0 {
		return Policy{}, r.problems()
	}
	var p Policy
	if err := yaml.NodeToValue(body, &p, yaml.Strict()); err != nil {
		r.add("", "cannot be read: "+firstLine(err))
		return Policy{}, r.problems()
	}
	r.policy(p)
	if len(r.found) > 0 {
		return Policy{}, r.problems()
	}
	return p, nil
}

// document gives the one YAML document of a text, or notes why there is none.
func (r *reader) document(text []byte) ast.Node {
	if len(text) > MaxText {
		r.addLine(1, "", fmt.Sprintf("the file is %d bytes long; at most %d are allowed", len(text), MaxText))
		return nil
	}
	text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	if line, say := unreasonable(text); line > 0 {
		r.addLine(line, keyAt(text, line), say)
		return nil
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		line, say := 1, firstLine(err)
		var at yaml.Error
		if errors.As(err, &at) {
			say = at.GetMessage()
			if t := at.GetToken(); t != nil && t.Position != nil {
				line = t.Position.Line
			}
		}
		r.addLine(line, keyAt(text, line), "not valid YAML: "+say)
		return nil
	}
	switch {
	case len(file.Docs) == 0 || file.Docs[0].Body == nil:
		r.addLine(1, "", "the file is empty; it takes the keys "+strings.Join(keysOf(policyType), ", "))
		return nil
	case len(file.Docs) > 1:
		r.addLine(lineOf(file.Docs[1].Body, 1), "", "a second document; one file holds one policy")
		return nil
	}
	return file.Docs[0].Body
}

// unreasonable gives the first line beyond one of the limits, with which, or 0.
// Brackets in texts and comments count, too; no sane policy has that many.
func unreasonable(text []byte) (line int, say string) {
	depth := 0
	for l := range bytes.Lines(text) {
		line++
		if len(l) > maxLine {
			return line, fmt.Sprintf("the line is longer than %d bytes", maxLine)
		}
		if len(l)-len(bytes.TrimLeft(l, " \t-?")) > maxIndent {
			return line, fmt.Sprintf("indented by more than %d columns", maxIndent)
		}
		for _, c := range l {
			switch c {
			case '[', '{':
				depth++
			case ']', '}':
				depth = max(0, depth-1)
			}
			if depth > maxNesting {
				return line, fmt.Sprintf("more than %d brackets are open", maxNesting)
			}
		}
	}
	return 0, ""
}

// keyAt is the key that a line, or the nearest before it, begins with.
func keyAt(text []byte, line int) string {
	lines := strings.Split(string(text), "\n")
	for i := min(line, len(lines)) - 1; i >= 0; i-- {
		key, _, ok := strings.Cut(strings.TrimLeft(lines[i], " \t-"), ":")
		if ok && key != "" && !strings.ContainsAny(key, " \t#\"'[]{}") {
			return key
		}
	}
	return ""
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// Marshal writes a policy as policy.yaml, which Parse reads back.
func Marshal(p Policy) ([]byte, error) {
	var out bytes.Buffer
	if err := yaml.NewEncoder(&out, yaml.IndentSequence(true)).Encode(p); err != nil {
		return nil, fmt.Errorf("policy: marshal: %w", err)
	}
	return out.Bytes(), nil
}
