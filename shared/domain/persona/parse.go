package persona

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/postern-dev/postern/shared/domain/permission"
)

// MaxManifest is the largest manifest, in bytes; MaxFront its front matter's.
const (
	MaxManifest = 64 << 10
	MaxFront    = 8 << 10
)

// Parse reads a manifest. file is for errors, each of which is an *Error with
// line and key. Parsing is strict: an unknown key, a key twice, a value of
// another kind, anchors, aliases and tags are errors.
func Parse(file string, src []byte) (Persona, error) {
	if len(src) > MaxManifest {
		return Persona{}, &Error{File: file, Line: 1, Err: errors.New("the manifest is larger than 64 KB")}
	}
	if !utf8.Valid(src) {
		return Persona{}, &Error{File: file, Line: 1, Err: errors.New("the manifest is not valid UTF-8")}
	}
	text := strings.ReplaceAll(string(src), "\r\n", "\n")
	front, body, err := split(file, text)
	if err != nil {
		return Persona{}, err
	}
	m := &manifest{file: file, p: Persona{Family: Knowledge, Mode: permission.Interactive}}
	if err := m.front(front); err != nil {
		return Persona{}, err
	}
	sum := sha256.Sum256([]byte(text))
	m.p.Version = hex.EncodeToString(sum[:16])
	m.p.Prompt = strings.TrimSpace(body)
	return m.p, nil
}

// split takes the manifest apart at its two lines of three dashes.
func split(file, text string) (front, body string, err error) {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return "", "", &Error{File: file, Line: 1, Err: errors.New("the first line is not ---: a manifest begins with its front matter")}
	}
	front, body, ok = strings.Cut("\n"+rest, "\n---\n")
	if !ok {
		if front, ok = strings.CutSuffix("\n"+rest, "\n---"); !ok {
			return "", "", &Error{File: file, Line: 1, Err: errors.New("the front matter has no closing line ---")}
		}
	}
	if len(front) > MaxFront {
		return "", "", &Error{File: file, Line: 1, Err: errors.New("the front matter is larger than 8 KB")}
	}
	if i := strings.IndexFunc(front, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); i >= 0 {
		line := 1 + strings.Count(front[:i], "\n")
		return "", "", &Error{File: file, Line: line, Err: errors.New("the front matter has control characters")}
	}
	if strings.TrimSpace(body) == "" {
		line := 2 + strings.Count(front, "\n") // of the closing dashes
		return "", "", &Error{File: file, Line: line, Err: errors.New("the body is empty: it is the system prompt")}
	}
	return front, body, nil // front begins with a line break: lines count as in the file
}

// manifest is a persona being read.
type manifest struct {
	file string
	p    Persona
}

func (m *manifest) front(text string) error {
	doc, err := parser.ParseBytes([]byte(text), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return m.syntax(err)
	}
	if len(doc.Docs) != 1 || doc.Docs[0].Body == nil {
		return m.at(1, "", "the front matter is empty")
	}
	top, err := m.mapping(doc.Docs[0].Body, "")
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, e := range top {
		read, ok := keys[e.key]
		switch {
		case powers[e.key]:
			return m.at(e.line, e.key, "a manifest cannot grant itself anything; only a person does, in the deployment's own store")
		case !ok:
			return m.at(e.line, e.key, "unknown key")
		}
		seen[e.key] = true
		if err := read(m, e); err != nil {
			return err
		}
	}
	for _, need := range []string{"id", "name"} {
		if !seen[need] {
			return m.at(1, need, "is missing")
		}
	}
	return nil
}

func (m *manifest) at(line int, key, message string) error {
	return &Error{File: m.file, Line: max(line, 1), Key: key, Err: errors.New(message)}
}

// syntax turns the parser's error into one of ours.
func (m *manifest) syntax(err error) error {
	var y yaml.Error
	if errors.As(err, &y) {
		line := 1
		if tk := y.GetToken(); tk != nil && tk.Position != nil {
			line = tk.Position.Line
		}
		return m.at(line, "", y.GetMessage())
	}
	return m.at(1, "", "the front matter is not YAML")
}

// line is where a node begins.
func line(n ast.Node) int {
	if tk := n.GetToken(); tk != nil && tk.Position != nil {
		return tk.Position.Line
	}
	return 1
}
