package panel

import (
	"slices"
	"strings"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/store"
)

// Roles (U9).
const (
	Owner    = "owner"
	Approver = "approver"
	Auditor  = "auditor"
	Viewer   = "viewer"
	Guest    = store.Guest // by a card's own link (I22)
)

// viewer is who looks at a page.
type viewer struct {
	browser store.Browser
	actor   actor.Actor
	waiting int // attention, in total
	dev     string
}

func (v *viewer) form() string { return v.browser.Form }

// reads reports whether the viewer sees more than the audit (I28).
func (v *viewer) reads() bool { return v.browser.Role != Auditor }

// guest reports whether the viewer came by a card's own link, as anybody can
// who reads where a card is: he is shown nothing that is not for himself.
func (v *viewer) guest() bool { return v.browser.Role == Guest }

// mayRead reports whether somebody may read a session's text (S1): its owner,
// the deployment's owners, those whom its Source admits, and those who may
// answer in the queue it asks in.
func mayRead(v *viewer, p policy.Policy, queue string, s *session.Session) bool {
	if v.browser.Role == Owner || resolve.Who(p, queue).May(v.actor) {
		return true
	}
	return s != nil && (s.Owner == v.browser.Person || s.Origin != nil && admits(p, *s.Origin, v.browser.Person))
}

// admits reports whether somebody is listed by a Source that a place belongs to.
func admits(p policy.Policy, at trigger.Place, ref string) bool {
	for _, s := range p.Sources {
		listens := slices.ContainsFunc(s.Accounts, func(a string) bool {
			return strings.EqualFold(a, at.Account) ||
				at.Surface == trigger.GitHub && strings.HasPrefix(strings.ToLower(at.Account), strings.ToLower(a)+"/")
		})
		if s.Platform == at.Surface && listens && slices.Contains(s.Listed, ref) {
			return true
		}
	}
	return false
}
