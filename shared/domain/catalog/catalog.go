// Package catalog is the closed list of tools that the product vouches for: the
// capabilities that personas name, the tools each brings, and the tool names of
// the common coding agents (P8 to P12).
//
// It says what a tool is: its risk class, which argument names its target, how
// its paths are read out of the arguments. It decides nothing (permission does)
// and runs nothing (edges do), and nobody adds to it at run time (P9).
package catalog

import (
	"encoding/json"
	"slices"
	"time"
)

// Capability is what a persona names: a set of vetted tools and what they need
// (P8).
type Capability struct {
	ID          string
	Name        string
	Description string
	Requires    []string // workspace, runner, connector:<x>, secret:<y>
	Tools       []Tool
}

// Tool is one vetted tool. Its slices are shared and never changed.
type Tool struct {
	Name         string
	Description  string
	Capability   string // the id of the capability it belongs to
	Connector    string // the connector whose account it acts with, if any
	Risk         Risk
	Target       Target          // which argument names what it acts on; zero if none does
	Paths        Paths           // how to read the paths it writes; zero if it has no extractor (P14)
	Command      Command         // exec tools: which argument holds the command (P15)
	Irreversible bool            // never without a person (P6)
	Idempotent   bool            // may run again with the same idempotency key (S8)
	Hosted       bool            // the hosted turn engine has a runner for it
	Elsewhere    bool            // a name that a coding agent uses for a tool of its own (P11)
	Schema       json.RawMessage // JSON Schema of the arguments, nil for Elsewhere
	Timeout      time.Duration   // of one call, 0 for tools that only ask or note
}

// Lookup finds a tool by the name that a call uses. Names of MCP tools
// (mcp__server__tool) are never found: nobody vetted them (P2).
func Lookup(name string) (Tool, bool) {
	if t := Entry(name); t != nil {
		return *t, true
	}
	return Tool{}, false
}

// Entry is Lookup without a copy: nil if there is none, and only ever read. The
// permission decision, which is made for every call, uses it.
func Entry(name string) *Tool { return byName[name] }

// Find finds a capability by its id.
func Find(id string) (Capability, bool) {
	for _, c := range all {
		if c.ID == id {
			return c, true
		}
	}
	return Capability{}, false
}

// All lists the capabilities, in the order in which they are shown.
func All() []Capability { return slices.Clone(all) }

// all is the whole closed set (P9).
var all = join(
	session, github, slack, feishu, email, web, files, shell, git, search, todo,
)

// byName holds every tool, the coding agents' names included.
var byName = index(all, elsewhere)

// join writes each capability's id, and the connector it requires, into its
// tools.
func join(capabilities ...Capability) []Capability {
	for i := range capabilities {
		c := &capabilities[i]
		for k := range c.Tools {
			c.Tools[k].Capability = c.ID
			c.Tools[k].Connector = connectorOf(*c)
		}
	}
	return capabilities
}

func index(capabilities []Capability, more []Tool) map[string]*Tool {
	m := map[string]*Tool{}
	add := func(t *Tool) {
		if _, twice := m[t.Name]; twice {
			panic("catalog: two tools named " + t.Name)
		}
		m[t.Name] = t
	}
	for i := range capabilities {
		for k := range capabilities[i].Tools {
			add(&capabilities[i].Tools[k])
		}
	}
	for i := range more {
		add(&more[i])
	}
	return m
}
