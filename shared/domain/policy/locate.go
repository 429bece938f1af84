package policy

import (
	"strings"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// locate finds the one row that judges a Trigger. A GitHub "owner/repo" goes
// before "owner", a chat's own row before "other"; of equals (which Parse
// refuses) the first in the file. Both are nil if there is none.
func (p Policy) locate(t trigger.Trigger) (src *Source, row *Scope) {
	best := 0
	for i := range p.Sources {
		s := &p.Sources[i]
		if s.Platform != t.Platform {
			continue
		}
		account := s.listensTo(t.Account)
		if account == 0 {
			continue
		}
		for j := range s.Scopes {
			r := &s.Scopes[j]
			if rank := covers(r.Name, t); rank > 0 && 10*rank+account > best {
				best, src, row = 10*rank+account, s, r
			}
		}
	}
	return src, row
}

// covers ranks how closely a row fits: 2 its own, 1 "other", 0 not at all.
func covers(row string, t trigger.Trigger) int {
	own := false
	switch {
	case t.Platform == trigger.GitHub:
		own = row == t.Kind && gitHubRow(row)
	case t.Kind == Direct:
		own = row == Direct
	case t.Kind != Channel || row == Direct || row == "":
	case row == Other:
		return 1
	default:
		own = row == t.Thread.Channel
	}
	if own {
		return 2
	}
	return 0
}

func gitHubRow(name string) bool {
	switch name {
	case Issues, PullRequests, Comments, CI:
		return true
	}
	return false
}

// listensTo ranks how closely the Source names an account: 2 exactly, 1 by a
// GitHub owner, 0 not at all.
func (s *Source) listensTo(account string) int {
	if account == "" {
		return 0
	}
	best := 0
	for _, a := range s.Accounts {
		if s.Platform != trigger.GitHub {
			if a == account {
				return 2
			}
			continue
		}
		if strings.EqualFold(a, account) {
			return 2
		}
		if owner, _, ok := strings.Cut(account, "/"); ok && strings.EqualFold(a, owner) {
			best = 1
		}
	}
	return best
}

// lists says whether a person is on the allow list; an empty list lists nobody.
func (s *Source) lists(who actor.Actor) bool { return holds(s.Listed, who) }

// hasBot says whether a bot is on the bot list, by its ref or, on GitHub, by
// an App's login.
func (s *Source) hasBot(who actor.Actor) bool {
	if holds(s.Bots, who) {
		return true
	}
	if who.Kind != actor.Bot || !isApp(who) {
		return false
	}
	for _, b := range s.Bots {
		if strings.EqualFold(b, who.Name) {
			return true
		}
	}
	return false
}

// holds compares refs in place, so that a long list costs no allocation.
func holds(refs []string, who actor.Actor) bool {
	if who.ID == "" || len(refs) == 0 {
		return false
	}
	var room [96]byte
	ref := append(append(room[:0], who.Provider...), ':')
	if who.Workspace != "" {
		ref = append(append(ref, who.Workspace...), '/')
	}
	ref = append(ref, who.ID...)
	for _, r := range refs {
		if r == string(ref) {
			return true
		}
	}
	return false
}
