package policy

import (
	"strings"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// Facts are what the gate knows about the Trigger's Thread.
type Facts struct {
	// HasTicket: a live Ticket subscribes to the Thread as its own.
	HasTicket bool
	// OnlyContext: the Thread is followed for context only, which gives no
	// follow-up strength (G16). It wins over HasTicket.
	OnlyContext bool
}

// Admission is how a Trigger was judged (G14).
type Admission struct {
	Source   string // the Source and the row that judged; empty if none receives it
	Scope    string
	Strength string // Explicit, Inferred, NotAdmitted
	Cell     string // the cell of the table that decided, if one did
	Reason   string // in words, with the rule
	Listed   bool   // the sender is a listed person
	Received bool   // false: it is as if it never came (G19, G20)
}

// Admit judges a Trigger's sender and naming by the policy (G14 to G22). It
// reads nothing of the message's text. Anything it does not know (a kind of
// sender, a way of naming, a cell's value, an accept mode) admits nobody.
func Admit(p Policy, t trigger.Trigger, f Facts) Admission {
	src, row := p.locate(t)
	if row == nil {
		return Admission{Strength: NotAdmitted, Reason: "no Source receives this place (G20)"}
	}
	a := Admission{Source: src.Name, Scope: row.Name, Strength: NotAdmitted}
	named := t.Named == trigger.Mention || t.Named == trigger.Direct
	if reason := refuses(row, named); reason != "" {
		a.Reason = reason
		return a
	}
	a.Received = true
	off := p.Accept != "" && p.Accept != Observe && p.Accept != Auto
	switch {
	case isBot(t.Sender):
		return a.bot(src.hasBot(t.Sender), off)
	case row.Name == CI:
		return a.cell(UnlistedUnnamed, row.UnlistedUnnamed, off)
	case t.Sender.Kind != actor.Human:
		a.Reason = "the sender is not a person and not a bot"
		return a
	}
	a.Listed = src.lists(t.Sender)
	return a.person(row, named, f.HasTicket && !f.OnlyContext, off)
}

// refuses says why a row does not receive a message at all, or "" (G19, G20).
func refuses(row *Scope, named bool) string {
	all := row.Receive == All
	switch row.Name {
	case Direct:
		all = false
	case Other:
		if row.Receive != Mentions {
			return "other chats are off unless their row says receive: mentions (G20)"
		}
	case CI:
		if !all {
			return "a CI result names nobody, and its row does not say receive: all (G19)"
		}
	default:
		if !all && row.Receive != Mentions && row.Receive != "" {
			return "the row is off"
		}
	}
	if !named && !all {
		return "it does not name the agent, and this place is received only when it does (G19)"
	}
	return ""
}

// person judges a human sender in the order of G14 and G15.
func (a Admission) person(row *Scope, named, follows, off bool) Admission {
	switch {
	case a.Listed && named:
		a.Strength, a.Reason = Explicit, "a listed person names the agent (G18)"
	case a.Listed && follows:
		a.Strength, a.Reason = Explicit, "a listed person follows up on a Thread that has a Ticket (G14)"
	case a.Listed:
		value := row.ListedUnnamed
		if value == "" {
			value = Inferred
		}
		return a.cell(ListedUnnamed, value, off)
	case named && row.UnlistedNamed == Explicit:
		return a.cell(UnlistedNamed, Explicit, off)
	case follows && off:
		a.Reason = "an unlisted person's follow-up is inferred, and the accept mode is off (G15)"
	case follows:
		a.Strength, a.Reason = Inferred, "an unlisted person follows up on a Thread that has a Ticket (G15)"
	case named:
		return a.cell(UnlistedNamed, row.UnlistedNamed, off)
	default:
		return a.cell(UnlistedUnnamed, row.UnlistedUnnamed, off)
	}
	return a
}

// cell lets a cell of the table decide (G17). Only the cell of unlisted people
// who name the agent can be explicit.
func (a Admission) cell(name, value string, off bool) Admission {
	a.Cell = name
	switch {
	case value == Explicit && name == UnlistedNamed:
		a.Strength, a.Reason = Explicit, "cell "+name+" is explicit (G15)"
	case value == Inferred && off:
		a.Reason = "cell " + name + " is inferred, and the accept mode is off (G30)"
	case value == Inferred:
		a.Strength, a.Reason = Inferred, "cell "+name+" is inferred (G17)"
	default:
		a.Reason = "cell " + name + " is ignore (G17)"
	}
	return a
}

// bot judges a bot, which no cell does and which is never explicit (G19, G22).
func (a Admission) bot(listed, off bool) Admission {
	switch {
	case !listed:
		a.Reason = "the bot is not on the Source's bot list (G22)"
	case off:
		a.Reason = "a listed bot is inferred, and the accept mode is off (G30)"
	default:
		a.Strength, a.Reason = Inferred, "a bot on the Source's bot list (G22)"
	}
	return a
}

// isBot is the host's knowledge of bots (G22); edges set the kind.
func isBot(s actor.Actor) bool { return s.Kind == actor.Bot || isApp(s) }

// isApp: a GitHub login that ends in "[bot]", which people cannot take.
func isApp(s actor.Actor) bool {
	return s.Provider == trigger.GitHub && strings.HasSuffix(s.Name, "[bot]")
}
