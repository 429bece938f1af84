// Package persona reads persona manifests: Markdown with YAML front matter, the
// body being the system prompt (PR1), and holds those built in (PR3).
//
// A manifest asks for things and grants itself nothing: it carries no code, and
// a key that would relax a permission is an error (P3). What a person enabled,
// and with which power, is kept elsewhere.
package persona

import (
	"slices"

	"github.com/postern-dev/postern/shared/domain/catalog"
	"github.com/postern-dev/postern/shared/domain/permission"
)

// Persona is one version of a persona. It never changes: another text is
// another version (PR2).
type Persona struct {
	ID          string
	Version     string // from the text, 32 hex digits
	Name        string
	Icon        string
	Tagline     string
	Description string
	Family      Family
	Tools       []string // capability ids
	Connectors  []string
	MCP         []string // names of servers
	Skills      []string
	Models      []string // recommended
	Mode        permission.Mode
	Inbox       string // queue of its sessions' items, empty for the default
	Automations []Automation
	Prompt      string
}

// Family says what a persona works on.
type Family string

const (
	Code      Family = "code"
	Knowledge Family = "knowledge"
)

// Automation is a task that the persona suggests; a person makes it one (A1).
type Automation struct {
	Title        string
	Instructions string
	Cron         string
	Zone         string // IANA
}

// Capabilities are the capability ids that the persona's sessions ask for: its
// tools, and those its connectors bring along (P10).
func (p Persona) Capabilities() []string {
	return catalog.WithConnectors(p.Tools, p.Connectors)
}

// Reserved reports whether an id belongs to a built-in persona, and so to no
// other (PR2).
func Reserved(id string) bool { return slices.Contains(builtinIDs, id) }

// StartMode is the mode of a new session: the manifest's, never above what the
// person who enabled the persona allowed (PR4).
func (p Persona) StartMode(allowed permission.Mode) permission.Mode {
	if p.Mode.Within(allowed) {
		return p.Mode
	}
	return allowed
}
