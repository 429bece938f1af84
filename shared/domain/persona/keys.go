package persona

import (
	"fmt"
	"regexp"

	"github.com/goccy/go-yaml/ast"
	"github.com/postern-dev/postern/shared/domain/catalog"
	"github.com/postern-dev/postern/shared/domain/permission"
)

// keys are the keys of a manifest, each with how it is read (PR1).
var keys = map[string]func(*manifest, entry) error{
	"id":      word(func(p *Persona) *string { return &p.ID }, idForm),
	"inbox":   word(func(p *Persona) *string { return &p.Inbox }, idForm),
	"name":    prose(func(p *Persona) *string { return &p.Name }, 80),
	"icon":    prose(func(p *Persona) *string { return &p.Icon }, 40),
	"tagline": prose(func(p *Persona) *string { return &p.Tagline }, 160),
	"description": func(m *manifest, e entry) (err error) {
		m.p.Description, err = m.text(e, 2000, true)
		return err
	},
	"tools":              words(func(p *Persona) *[]string { return &p.Tools }, capability),
	"connectors":         words(func(p *Persona) *[]string { return &p.Connectors }, plain),
	"mcp":                words(func(p *Persona) *[]string { return &p.MCP }, plain),
	"skills":             words(func(p *Persona) *[]string { return &p.Skills }, plain),
	"recommended_models": words(func(p *Persona) *[]string { return &p.Models }, anything),
	"default_permission_mode": func(m *manifest, e entry) error {
		s, err := m.text(e, 20, false)
		if err != nil {
			return err
		}
		mode, err := permission.ParseMode(s)
		if err != nil {
			return m.at(e.line, e.path, err.Error())
		}
		m.p.Mode = mode
		return nil
	},
	"family": func(m *manifest, e entry) error {
		s, err := m.text(e, 20, false)
		if err != nil {
			return err
		}
		if m.p.Family = Family(s); m.p.Family != Code && m.p.Family != Knowledge {
			return m.at(e.line, e.path, fmt.Sprintf("%q is no family (code, knowledge)", s))
		}
		return nil
	},
	"automations": automations,
}

// powers are keys by which a manifest would grant itself something (P3, I12).
// They are refused by name, so that the error says why.
var powers = map[string]bool{
	"risk_overrides": true, "overrides": true, "override": true, "risk": true, "risks": true,
	"allowed_commands": true, "commands": true, "command_allow_list": true,
	"auto_allow": true, "always_allow": true, "allow": true, "custom": true, "grants": true,
	"standing_approvals": true, "permissions": true, "roots": true, "approvers": true, "unattended": true,
}

var (
	idForm   = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)
	nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
)

func word(field func(*Persona) *string, form *regexp.Regexp) func(*manifest, entry) error {
	return func(m *manifest, e entry) error {
		s, err := m.text(e, 64, false)
		if err == nil && !form.MatchString(s) {
			err = m.at(e.line, e.path, fmt.Sprintf("%q is not made of a-z, 0-9, _ and - alone", s))
		}
		*field(&m.p) = s
		return err
	}
}

func prose(field func(*Persona) *string, most int) func(*manifest, entry) error {
	return func(m *manifest, e entry) (err error) {
		*field(&m.p), err = m.text(e, most, false)
		return err
	}
}

func words(field func(*Persona) *[]string, check func(string) string) func(*manifest, entry) error {
	return func(m *manifest, e entry) (err error) {
		*field(&m.p), err = m.list(e, check)
		return err
	}
}

func capability(id string) string {
	if _, ok := catalog.Find(id); !ok {
		return fmt.Sprintf("there is no capability %q", id)
	}
	return ""
}

func plain(s string) string {
	if !nameForm.MatchString(s) {
		return fmt.Sprintf("%q is not a plain name", s)
	}
	return ""
}

func anything(string) string { return "" }

// automations reads the tasks that a persona suggests.
func automations(m *manifest, e entry) error {
	seq, ok := e.value.(*ast.SequenceNode)
	if !ok {
		return m.at(e.line, e.path, "want a list")
	}
	for i, n := range seq.Values {
		a, err := m.automation(n, fmt.Sprintf("%s[%d]", e.path, i), e.line)
		if err != nil {
			return err
		}
		m.p.Automations = append(m.p.Automations, a)
	}
	return nil
}

func (m *manifest) automation(n ast.Node, path string, at int) (a Automation, err error) {
	if n == nil {
		return a, m.at(at, path, "is empty")
	}
	entries, err := m.mapping(n, path)
	if err != nil {
		return a, err
	}
	fields := map[string]*string{"title": &a.Title, "instructions": &a.Instructions, "cron": &a.Cron, "zone": &a.Zone}
	for _, e := range entries {
		field, ok := fields[e.key]
		switch {
		case powers[e.key]:
			return a, m.at(e.line, e.path, "a manifest cannot grant itself anything; only a person does, in the deployment's own store")
		case !ok:
			return a, m.at(e.line, e.path, "unknown key")
		}
		if *field, err = m.text(e, 4000, e.key == "instructions"); err != nil {
			return a, err
		}
	}
	if a.Title == "" || a.Instructions == "" || a.Cron == "" || a.Zone == "" {
		return a, m.at(line(n), path, "needs title, instructions, cron and zone")
	}
	return a, nil
}
