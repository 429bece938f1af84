package permission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/postern-dev/postern/shared/domain/catalog"
)

// Override is a person's class for tools that a pattern names (P3, P4): a plain
// tool name, or server/tool, each a glob if they like. server/* is a server's
// default.
type Override struct {
	Pattern string
	Risk    Risk
}

// Overrides is a set of overrides, ready to be asked. It never changes.
type Overrides struct {
	list  []Override
	exact map[named]Override
	globs []glob // the most specific first
}

type named struct{ server, tool string }

type glob struct {
	mcp          bool
	server, tool pattern
	rule         Override
}

// NewOverrides takes overrides in the order in which they were written. The
// same pattern again replaces the earlier one. An error names the pattern.
func NewOverrides(list []Override) (*Overrides, error) {
	o := &Overrides{exact: map[named]Override{}}
	for _, rule := range list {
		o.list = slices.DeleteFunc(o.list, func(r Override) bool { return r.Pattern == rule.Pattern })
		o.list = append(o.list, rule)
	}
	for _, rule := range o.list {
		if err := o.add(rule); err != nil {
			return nil, fmt.Errorf("override %q: %w", rule.Pattern, err)
		}
	}
	// Later-written first, then stably by literal characters (P4).
	slices.Reverse(o.globs)
	slices.SortStableFunc(o.globs, func(a, b glob) int {
		return b.server.literals + b.tool.literals - a.server.literals - a.tool.literals
	})
	return o, nil
}

func (o *Overrides) add(rule Override) error {
	if _, err := catalog.ParseRisk(string(rule.Risk)); err != nil {
		return err
	}
	server, tool, mcp := strings.Cut(rule.Pattern, "/")
	if !mcp {
		server, tool = "", rule.Pattern
	}
	g := glob{mcp: mcp, rule: rule}
	var err error
	if g.tool, err = newPattern(tool); err != nil {
		return err
	}
	if mcp {
		if g.server, err = newPattern(server); err != nil {
			return err
		}
	}
	if !g.tool.exact || mcp && !g.server.exact {
		o.globs = append(o.globs, g)
		return nil
	}
	if t, ok := catalog.Lookup(tool); ok && !mcp && t.Risk == Exec && rule.Risk.Below(Exec) {
		return fmt.Errorf("%s runs commands; exec is never overridden downwards", tool)
	}
	o.exact[named{server, tool}] = rule
	return nil
}

// Find returns the override for a tool: exact beats glob, then more literal
// characters, then the later-written (P4). A nil set holds nothing.
func (o *Overrides) Find(server, tool string) (Override, bool) {
	if o == nil {
		return Override{}, false
	}
	if rule, ok := o.exact[named{server, tool}]; ok {
		return rule, true
	}
	for i := range o.globs {
		g := &o.globs[i]
		if g.mcp == (server != "") && g.tool.match(tool) && (!g.mcp || g.server.match(server)) {
			return g.rule, true
		}
	}
	return Override{}, false
}

// List returns the overrides in the order in which they were written.
func (o *Overrides) List() []Override {
	if o == nil {
		return nil
	}
	return slices.Clone(o.list)
}
