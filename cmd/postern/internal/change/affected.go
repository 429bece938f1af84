package change

import (
	"fmt"
	"slices"

	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/ticket"
)

// Affected says which open tickets a new policy touches, one line each: those
// whose Source is gone, whose initiator may no longer start work there, or that
// work unasked while unasked work is no longer accepted (G34). It revokes
// nothing: the re-check before a resume may (G41).
func Affected(is policy.Policy, tickets []ticket.Ticket) []string {
	var out []string
	for _, t := range tickets {
		if t.State != ticket.Open || t.Mandate.Withdrawn {
			continue
		}
		if why := touched(is, t.Mandate); why != "" {
			out = append(out, fmt.Sprintf("ticket %s (%s): %s", t.ID, t.Title, why))
		}
	}
	return out
}

func touched(p policy.Policy, m ticket.Mandate) string {
	src, ok := p.Source(m.Source)
	if !ok {
		return "its Source " + m.Source + " is gone"
	}
	i := slices.IndexFunc(src.Scopes, func(s policy.Scope) bool { return s.Name == m.Scope })
	if i < 0 {
		return "its row " + m.Scope + " of Source " + m.Source + " is gone"
	}
	switch {
	case m.Basis == policy.Inferred && p.Accept != policy.Auto:
		return "unasked work is no longer accepted"
	case m.Basis == policy.Explicit && !slices.Contains(src.Listed, m.Initiator.Ref()) && src.Scopes[i].UnlistedNamed != policy.Explicit:
		return m.Initiator.Ref() + ", who asked for it, may no longer start work there"
	}
	return ""
}
