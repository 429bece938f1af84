package permission

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// TOML writes the portable form, which ParseOverrides reads back to the same
// rules in the same order of strength: in tables by server where that keeps the
// order, else with the keys in full.
func (o *Overrides) TOML() string {
	if text := o.tables(); o.sameOrder(text) {
		return text
	}
	var b strings.Builder
	for _, r := range o.List() {
		server, tool, _ := cutPattern(r.Pattern)
		b.WriteString(fullKey(server, tool) + " = " + quote(string(r.Risk)) + "\n")
	}
	return b.String()
}

func (o *Overrides) tables() string {
	groups, order := o.groups()
	var b strings.Builder
	for _, server := range order {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		writeGroup(&b, server, groups[server])
	}
	return b.String()
}

// sameOrder reports whether the text ranks its globs as o does.
func (o *Overrides) sameOrder(text string) bool {
	read, err := ParseOverrides("", text)
	return err == nil && slices.Equal(read.strength(), o.strength())
}

// strength lists the globs, the most specific first.
func (o *Overrides) strength() (rules []Override) {
	if o == nil {
		return nil
	}
	for _, g := range o.globs {
		rules = append(rules, g.rule)
	}
	return rules
}

// groups puts the rules of each server together; "" holds the plain tools.
func (o *Overrides) groups() (groups map[string][]Override, order []string) {
	groups = map[string][]Override{}
	for _, r := range o.List() {
		server, _, _ := cutPattern(r.Pattern)
		if groups[server] == nil {
			order = append(order, server)
		}
		groups[server] = append(groups[server], r)
	}
	return groups, order
}

// writeGroup writes one server's rules, its default first, or the plain tools.
func writeGroup(b *strings.Builder, server string, rules []Override) {
	head := "[tools]\n"
	if server != "" {
		head = "[mcp." + bare(server) + ".tools]\n"
		for _, r := range rules {
			if _, tool, _ := cutPattern(r.Pattern); tool == "*" {
				b.WriteString("[mcp." + bare(server) + "]\ndefault = " + quote(string(r.Risk)) + "\n")
				head = "\n" + head
			}
		}
	}
	for _, r := range rules {
		if _, tool, mcp := cutPattern(r.Pattern); !mcp || tool != "*" {
			b.WriteString(head + bare(tool) + " = " + quote(string(r.Risk)) + "\n")
			head = ""
		}
	}
}

func fullKey(server, tool string) string {
	switch {
	case server == "":
		return "tools." + bare(tool)
	case tool == "*":
		return "mcp." + bare(server) + ".default"
	}
	return "mcp." + bare(server) + ".tools." + bare(tool)
}

func cutPattern(p string) (server, tool string, mcp bool) {
	if server, tool, mcp = strings.Cut(p, "/"); mcp {
		return server, tool, true
	}
	return "", p, false
}

var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func bare(key string) string {
	if bareKey.MatchString(key) {
		return key
	}
	return quote(key)
}

// quote writes a basic string. Patterns have printable characters only, for
// which JSON's escapes are TOML's.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
