// Package change says in words how one policy differs from another, and which
// open tickets a new one touches (U12, G34).
//
// Pure: it reads two policies and decides nothing.
package change

import (
	"fmt"
	"slices"
	"strings"

	"github.com/postern-dev/postern/shared/domain/policy"
)

// Words lists what differs in force, one line each, in the order of the file.
// No line means that the two do the same.
func Words(was, is policy.Policy) []string {
	var c changes
	c.value("accept mode", or(was.Accept, policy.Observe), or(is.Accept, policy.Observe))
	c.list("owners", was.Owners, is.Owners)
	pair(&c, "Source", was.Sources, is.Sources, func(s policy.Source) string { return s.Name }, c.source)
	pair(&c, "queue", was.Queues, is.Queues, func(q policy.Queue) string { return q.Name }, c.queue)
	c.list("paused", was.Paused, is.Paused)
	return c
}

type changes []string

func (c *changes) add(format string, a ...any) { *c = append(*c, fmt.Sprintf(format, a...)) }

// value notes a single value that differs.
func (c *changes) value(what, was, is string) {
	if was != is {
		c.add("%s: %s, was %s", what, or(is, "none"), or(was, "none"))
	}
}

// list notes what a list has gained and lost. Its order says nothing.
func (c *changes) list(what string, was, is []string) {
	for _, x := range is {
		if !slices.Contains(was, x) {
			c.add("%s: %s is new", what, x)
		}
	}
	for _, x := range was {
		if !slices.Contains(is, x) {
			c.add("%s: %s is gone", what, x)
		}
	}
}

// pair compares two lists of named things: new ones, gone ones, changed ones.
func pair[T any](c *changes, sort string, was, is []T, name func(T) string, each func(what string, was, is T)) {
	find := func(list []T, n string) (T, bool) {
		i := slices.IndexFunc(list, func(x T) bool { return name(x) == n })
		if i < 0 {
			var none T
			return none, false
		}
		return list[i], true
	}
	for _, x := range is {
		what := sort + " " + name(x)
		old, had := find(was, name(x))
		if !had {
			c.add("%s is new", what)
		}
		each(what, old, x)
	}
	for _, x := range was {
		if _, has := find(is, name(x)); !has {
			c.add("%s %s is gone", sort, name(x))
		}
	}
}

func (c *changes) source(what string, was, is policy.Source) {
	c.value(what+", platform", was.Platform, is.Platform)
	c.list(what+", accounts", was.Accounts, is.Accounts)
	pair(c, what+", row", was.Scopes, is.Scopes, func(s policy.Scope) string { return s.Name }, c.scope)
	c.list(what+", listed people", was.Listed, is.Listed)
	c.list(what+", bots", was.Bots, is.Bots)
	if was.Name == "" {
		was = policy.Source{Persona: "cowork", Mode: "interactive", Queue: policy.DefaultQueue}
	}
	c.value(what+", persona", or(was.Persona, "cowork"), or(is.Persona, "cowork"))
	c.value(what+", mode", or(was.Mode, "interactive"), or(is.Mode, "interactive"))
	c.value(what+", queue", or(was.Queue, policy.DefaultQueue), or(is.Queue, policy.DefaultQueue))
	c.value(what+", model", was.Model, is.Model)
	if was.TellRefused != is.TellRefused {
		c.add("%s: who named the agent and is not admitted is %s", what, yes(is.TellRefused, "told so", "no longer told so"))
	}
}

func (c *changes) scope(what string, was, is policy.Scope) {
	c.value(what+", receive", receive(was), receive(is))
	c.value(what+", listed people who do not name the agent", or(was.ListedUnnamed, policy.Inferred), or(is.ListedUnnamed, policy.Inferred))
	c.value(what+", others who name the agent", or(was.UnlistedNamed, policy.Ignore), or(is.UnlistedNamed, policy.Ignore))
	c.value(what+", others who do not name the agent", or(was.UnlistedUnnamed, policy.Ignore), or(is.UnlistedUnnamed, policy.Ignore))
}

// receive is what a row receives where the file does not say (G19, G20). A row
// that is not there receives nothing.
func receive(s policy.Scope) string {
	switch {
	case s.Receive != "":
		return s.Receive
	case s.Name == "" || s.Name == policy.Other:
		return policy.Off
	case s.Name == policy.CI:
		return policy.All
	}
	return policy.Mentions
}

func (c *changes) queue(what string, was, is policy.Queue) {
	switch a, b := was.Approvers, is.Approvers; {
	case a == nil && b == nil:
	case b == nil:
		c.add("%s, approvers: the owners now", what)
	case a == nil:
		c.add("%s, approvers: %s now, instead of the owners", what, or(strings.Join(*b, ", "), "nobody"))
	default:
		c.list(what+", approvers", *a, *b)
		if len(*b) == 0 && len(*a) > 0 {
			c.add("%s: nobody can answer in it now", what)
		}
	}
	c.list(what+", shown at", bindings(was), bindings(is))
	c.value(what+", expiry", or(was.Expiry, "7 days"), or(is.Expiry, "7 days"))
	if was.NoSelf != is.NoSelf {
		c.add("%s: requesters may %s approve their own", what, yes(is.NoSelf, "not", "now"))
	}
}

func bindings(q policy.Queue) []string {
	var out []string
	for _, b := range q.Bindings {
		out = append(out, fmt.Sprintf("%s %s %s %s", b.Surface, b.Account, b.Channel, yes(b.Private, "with arguments", "without arguments")))
	}
	return out
}

func yes(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
