package permission

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// simpleCommand parses shell text and returns its argument list if it is one
// simple command whose every word means exactly what it says; else why not
// (P15). Any operator, substitution, redirection, assignment, pattern,
// expansion or comment makes it more than that.
func simpleCommand(text string) (argv []string, why string) {
	if len(text) > 16<<10 {
		return nil, "the command is too long to be judged"
	}
	if strings.ContainsFunc(text, control) || strings.Contains(text, "\\\n") {
		return nil, "it has characters that the parser skips" // control characters, joined lines
	}
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	file, err := parser.Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, "the command cannot be read as shell"
	}
	if len(file.Stmts) != 1 || len(file.Last) > 0 || len(file.Stmts[0].Comments) > 0 {
		return nil, "it is not one simple command"
	}
	stmt := file.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	switch {
	case !ok || stmt.Negated || stmt.Background || stmt.Coprocess || stmt.Disown || stmt.Semicolon.IsValid():
		return nil, "it has an operator"
	case len(stmt.Redirs) > 0:
		return nil, "it has a redirection"
	case len(call.Assigns) > 0 || len(call.Args) == 0:
		return nil, "it has an assignment"
	}
	for _, w := range call.Args {
		s, ok := literal(w)
		if !ok {
			return nil, "it has a word that the shell would expand"
		}
		argv = append(argv, s)
	}
	return argv, ""
}

// literal is the text of a word that stands for itself in every POSIX-like
// shell.
func literal(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if !plainWord(p.Value) {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			s, ok := quoted(p)
			if !ok {
				return "", false
			}
			b.WriteString(s)
		default:
			return "", false
		}
	}
	s := b.String()
	return s, !strings.HasPrefix(s, "=")
}

// quoted is the text inside double quotes if nothing in it is expanded.
func quoted(q *syntax.DblQuoted) (string, bool) {
	if q.Dollar {
		return "", false
	}
	var b strings.Builder
	for _, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok || strings.ContainsAny(lit.Value, "\\!$`") {
			return "", false
		}
		b.WriteString(lit.Value)
	}
	return b.String(), true
}

// plainWord reports whether an unquoted piece has only characters that no shell
// treats specially.
func plainWord(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r > 0x7f:
			return false
		}
		return !strings.ContainsRune("_-./:,@%+=", r)
	})
}

func control(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' || r == 0x7f }
