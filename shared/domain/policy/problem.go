package policy

import (
	"fmt"
	"sort"
	"strings"
)

// Problem is one thing wrong with a policy file.
type Problem struct {
	File string
	Line int    // from 1
	Key  string // such as sources[0].scopes[1].receive; empty for the whole file
	Say  string // what is wrong and what is allowed
}

func (p Problem) Error() string {
	if p.Key == "" {
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Say)
	}
	return fmt.Sprintf("%s:%d: %s: %s", p.File, p.Line, p.Key, p.Say)
}

// Problems is the error of Parse: everything that one reading found, in the
// file's order.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// reader remembers where each key stands and what was found wrong.
type reader struct {
	file  string
	lines map[string]int // by key
	found Problems
}

func (r *reader) addLine(line int, key, say string) {
	r.found = append(r.found, Problem{File: r.file, Line: line, Key: key, Say: say})
}

// add notes a problem of a key; one that is absent is reported at the line of
// the nearest thing that holds it.
func (r *reader) add(key, say string) {
	at := key
	for at != "" && r.lines[at] == 0 {
		at = at[:max(0, strings.LastIndexAny(at, ".["))]
	}
	r.addLine(max(1, r.lines[at]), key, say)
}

func (r *reader) problems() error {
	sort.SliceStable(r.found, func(i, j int) bool { return r.found[i].Line < r.found[j].Line })
	return r.found
}

// oneOf notes a value that is not among the allowed ones.
func (r *reader) oneOf(key, value string, allowed ...string) bool {
	for _, a := range allowed {
		if value == a {
			return true
		}
	}
	say := fmt.Sprintf("%q is not allowed; ", value)
	if value == "" {
		say = "is missing; "
	}
	r.add(key, say+"write "+orList(allowed))
	return false
}

// orList joins words as in "a, b or c".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
