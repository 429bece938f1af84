package permission

import (
	"fmt"
	"strings"

	"github.com/postern-dev/postern/shared/domain/catalog"
)

// Grammar is what mode custom lets pass (P16). Its terms are tool names,
// risk:write_local, capability:files and mcp:server/glob.
type Grammar struct {
	terms []term
}

type term struct {
	text   string
	kind   string // tool, risk, capability, mcp
	value  string // the name, class, id or server
	tool   pattern
	single bool // mcp: it names one tool
}

// NewGrammar reads the terms. One that cannot be, or that names exec or a floor
// tool by class, is an error that names the term.
func NewGrammar(terms []string) (*Grammar, error) {
	var g Grammar
	for i, text := range terms {
		t, err := newTerm(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("custom grammar, term %d (%q): %w", i+1, text, err)
		}
		g.terms = append(g.terms, t)
	}
	return &g, nil
}

func newTerm(text string) (term, error) {
	t := term{text: text}
	kind, value, found := strings.Cut(text, ":")
	if !found {
		kind, value = "tool", text
	}
	t.kind, t.value = kind, value
	switch kind {
	case "tool":
		return t, checkTool(value)
	case "risk":
		r, err := catalog.ParseRisk(value)
		if err == nil && r == Exec {
			err = fmt.Errorf("exec cannot be named by class; name the tool")
		}
		return t, err
	case "capability":
		return t, checkCapability(value)
	case "mcp":
		server, glob, ok := strings.Cut(value, "/")
		if !ok || server == "" || strings.ContainsAny(server, wild) {
			return t, fmt.Errorf("want mcp:server/glob with the server's plain name")
		}
		p, err := newPattern(glob)
		t.value, t.tool, t.single = server, p, p.exact
		return t, err
	}
	return t, fmt.Errorf("want a tool name, or one after risk:, capability: or mcp: as a prefix")
}

func checkTool(name string) error {
	switch tool, _ := catalog.Lookup(name); {
	case name == "" || strings.ContainsAny(name, wild+"/ "):
		return fmt.Errorf("a tool is named whole, without wildcards")
	case tool.Irreversible:
		return fmt.Errorf("%s cannot be undone and always needs a person", name)
	}
	return nil
}

func checkCapability(id string) error {
	c, ok := catalog.Find(id)
	if !ok {
		return fmt.Errorf("there is no capability %q", id)
	}
	for _, t := range c.Tools {
		if t.Risk != Exec {
			return nil
		}
	}
	return fmt.Errorf("exec cannot be named by class; name the tool")
}

// match returns the term that names the call. Floor tools never get here; exec
// passes only by its own name.
func (g *Grammar) match(j *judged, c *Call) (string, bool) {
	if g == nil {
		return "", false
	}
	exec := j.base == Exec || j.effective == Exec
	for i := range g.terms {
		t := &g.terms[i]
		hit := false
		switch t.kind {
		case "tool":
			hit = !j.mcp && c.Tool == t.value
		case "risk":
			hit = !exec && j.effective == Risk(t.value)
		case "capability":
			hit = !exec && j.known && j.tool.Capability == t.value
		case "mcp":
			hit = j.mcp && c.Server == t.value && t.tool.match(c.Tool) && (!exec || t.single)
		}
		if hit {
			return t.text, true
		}
	}
	return "", false
}
