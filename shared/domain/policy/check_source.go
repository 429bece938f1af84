package policy

import (
	"fmt"
	"strings"

	"github.com/postern-dev/postern/shared/domain/trigger"
)

// source notes what is wrong with one Source. claimed holds the rows of those
// before it: two Sources may share an account, not a row of it, since a Trigger
// is judged by one (G20).
func (r *reader) source(key string, s Source, claimed map[string]string) {
	if !r.oneOf(key+".platform", s.Platform, platforms...) {
		return
	}
	if len(s.Accounts) == 0 {
		r.add(key+".accounts", "names nothing to listen to; write "+accountForm[s.Platform])
	}
	for i, a := range s.Accounts {
		if !account[s.Platform].MatchString(a) {
			r.add(fmt.Sprintf("%s.accounts[%d]", key, i), badForm(a, accountForm[s.Platform]))
		}
	}
	if len(s.Scopes) == 0 {
		r.add(key+".scopes", "the table has no row, so nothing is received; write one or leave the Source out")
	}
	for i, row := range s.Scopes {
		at := fmt.Sprintf("%s.scopes[%d]", key, i)
		r.row(at, s.Platform, row)
		for j, a := range s.Accounts {
			if s.Platform == trigger.GitHub {
				a = strings.ToLower(a)
			}
			id := s.Platform + " " + a + " " + row.Name
			if before, ok := claimed[id]; ok && row.Name != "" {
				r.add(at+".name", fmt.Sprintf("%s already has a row %q for %s; one row judges a message", before, row.Name, s.Accounts[j]))
			}
			claimed[id] = key
		}
	}
	for i, ref := range s.Listed {
		r.listed(fmt.Sprintf("%s.listed[%d]", key, i), s, ref)
	}
	for i, ref := range s.Bots {
		r.bot(fmt.Sprintf("%s.bots[%d]", key, i), s, ref)
	}
	if s.Mode != "" {
		r.oneOf(key+".mode", s.Mode, "discuss", "plan", "interactive", "custom", "auto")
	}
	if s.Persona != "" && !namePattern.MatchString(s.Persona) {
		r.add(key+".persona", badForm(s.Persona, "1 to 63 of a-z, 0-9, - and _"))
	}
	if s.Model != "" && !modelPattern.MatchString(s.Model) {
		r.add(key+".model", badForm(s.Model, "provider:model"))
	}
}

// row notes a row its platform does not have, and cells the row may not have
// (G17, G19, G20).
func (r *reader) row(key, platform string, s Scope) {
	if !rowName[platform].MatchString(s.Name) {
		r.add(key+".name", badForm(s.Name, rowForm[platform]))
		return
	}
	receive := key + ".receive"
	all := s.Receive == All
	switch {
	case s.Name == Direct && s.Receive != "":
		r.add(receive, "a private chat always names the agent; leave it out (G19)")
	case s.Name == Direct:
	case s.Name == Other:
		r.oneOf(receive, s.Receive, Mentions, Off)
		all = false
	case s.Name == CI:
		r.oneOf(receive, s.Receive, All, Off)
	case s.Receive != "":
		r.oneOf(receive, s.Receive, All, Mentions, Off)
	}
	noName := "exists only where everything is received; write receive: all, or leave it out (G19)"
	if s.Name == Direct || s.Name == Other {
		noName = fmt.Sprintf("the row %q has no such cell; leave it out (G19)", s.Name)
	}
	named := ""
	unnamedListed := noName
	if s.Name == CI {
		named = "a CI result has no sender: its row has only the cell " + UnlistedUnnamed + " (G19)"
		unnamedListed = named
	}
	r.cell(key, ListedUnnamed, s.ListedUnnamed, all && s.Name != CI, unnamedListed, Inferred, Ignore)
	r.cell(key, UnlistedNamed, s.UnlistedNamed, named == "", named, Explicit, Inferred, Ignore)
	r.cell(key, UnlistedUnnamed, s.UnlistedUnnamed, all, noName, Inferred, Ignore)
}

// cell notes a cell that its row does not have, with why, or a value that the
// cell does not take.
func (r *reader) cell(row, name, value string, exists bool, why string, allowed ...string) {
	switch {
	case value == "":
	case !exists:
		r.add(row+"."+name, why)
	default:
		r.oneOf(row+"."+name, value, allowed...)
	}
}
