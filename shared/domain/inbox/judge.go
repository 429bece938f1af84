package inbox

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
)

// Result is what became of an answer. The four ways not to win are different
// answers everywhere (U10, R11).
type Result string

const (
	Won     Result = "won"
	Late    Result = "already_resolved" // Outcome.Item says by whom, what and when
	Overdue Result = "expired"
	Refused Result = "not_allowed"
	Invalid Result = "invalid" // not a choice of this item, or not what was shown
	NoItem  Result = "unknown"
	Opened  Result = "opened" // no answer: a sign-in link was asked for (I22)
)

// Verdict is the decision on one answer.
type Verdict struct {
	Result Result
	Reason string // in words, for whoever answered
	Next   Item   // the item as it should become: Won and Overdue only
	// Evidence is what the decision on the person was based on, for the audit.
	Evidence string
}

// Approvers is who may answer an item, from a strong read just before (I4, I12).
type Approvers struct {
	Refs   []string // actor refs; empty means nobody
	From   string   // where the list comes from: "queue ops", "owners"
	NoSelf bool     // the requester may not approve his own (I14)
	// Same gives the other identities that a person has proved are his (I13).
	Same   map[string][]string
	Policy int64
}

// May reports whether an actor is among the approvers, by his own identity or
// one that he linked.
func (a Approvers) May(who actor.Actor) bool {
	if who.Kind != actor.Human {
		return false
	}
	for _, ref := range append([]string{who.Ref()}, a.Same[who.Ref()]...) {
		if slices.Contains(a.Refs, ref) {
			return true
		}
	}
	return false
}

// Judge decides on one answer to an item as it was read (I4, I8, I9, I12). It
// is pure; the write that follows repeats the conditions that can change.
//
// The order is fixed: who comes first, so that somebody who may not answer
// learns nothing about the item but that; then whether it is settled, then
// whether it is overdue, then whether the answer fits.
func Judge(x Item, b *Body, a Answer, who Approvers, now time.Time) Verdict {
	if v := mayAnswer(x, b, a, who); v.Result != "" {
		return v
	}
	if x.State.Terminal() {
		if x.Resolution != "" && x.Resolution == a.ID {
			return Verdict{Result: Won, Reason: "recorded", Next: x}
		}
		if x.State == Expired {
			return Verdict{Result: Overdue, Reason: Told(x), Next: x}
		}
		return Verdict{Result: Late, Reason: Told(x)}
	}
	if !x.Expires.After(now) {
		return Verdict{Result: Overdue, Reason: "it expired before an answer came", Next: Expire(x, now)}
	}
	if a.Digest != x.Digest {
		return Verdict{Result: Invalid, Reason: "the card shows other arguments than the request has now; open it again"}
	}
	state, reason := fits(x, b, a)
	if reason != "" {
		return Verdict{Result: Invalid, Reason: reason}
	}
	n := x
	n.State, n.Choice, n.Reason = state, a.Choice, clip(a.Text, 500)
	n.By, n.Via, n.Delivery, n.Resolution = a.Actor, a.Via, a.Delivery, a.ID
	n.Resolved, n.Policy = now, who.Policy
	return Verdict{Result: Won, Reason: "recorded", Next: n, Evidence: "listed by " + who.From}
}

func mayAnswer(x Item, b *Body, a Answer, who Approvers) Verdict {
	ref := a.Actor.Ref()
	if ref == "" || a.Actor.Kind != actor.Human {
		return Verdict{Result: Refused, Reason: "only a person who is signed in can answer", Evidence: "no proved person"}
	}
	if !who.May(a.Actor) {
		return Verdict{Result: Refused, Evidence: "not listed by " + who.From,
			Reason: fmt.Sprintf("you are not among those who may answer in queue %q (%s)", x.Queue, who.From)}
	}
	if who.NoSelf && b != nil && b.Asked.Ref() != "" {
		mine := append([]string{ref}, who.Same[ref]...)
		if slices.Contains(mine, b.Asked.Ref()) {
			return Verdict{Result: Refused, Reason: "in this queue nobody approves his own request", Evidence: "requester"}
		}
	}
	return Verdict{}
}

// fits validates an answer by kind (I9). An empty reason means it fits.
func fits(x Item, b *Body, a Answer) (State, string) {
	switch x.Kind {
	case Approval, Plan, Directory:
		switch a.Choice {
		case Allow:
			return Approved, ""
		case Deny:
			return Denied, ""
		}
		return "", fmt.Sprintf("%q is no answer to an approval; it takes %q or %q", a.Choice, Allow, Deny)
	case Question:
		if b == nil {
			return "", "the question could not be read"
		}
		return fitsQuestion(b, a)
	}
	return "", fmt.Sprintf("a %s takes no answer", x.Kind)
}

func fitsQuestion(b *Body, a Answer) (State, string) {
	if a.Choice == "" && strings.TrimSpace(a.Text) == "" {
		return "", "the answer is empty"
	}
	if a.Choice == "" {
		if !b.AllowText {
			return "", "this question takes one of its options, no free text"
		}
		return Answered, ""
	}
	chosen := []string{a.Choice}
	if b.Multi {
		chosen = strings.Split(a.Choice, ",")
	}
	for _, c := range chosen {
		if !slices.ContainsFunc(b.Options, func(o Option) bool { return o.Value == c }) {
			return "", fmt.Sprintf("%q is not one of the options", c)
		}
	}
	return Answered, ""
}

// Expire makes a pending item expired, by the clock (I10).
func Expire(x Item, now time.Time) Item {
	return settle(x, Expired, actor.Actor{Provider: "postern", ID: "expiry", Name: "expiry", Kind: actor.Timer}, "timer", now)
}

// Cancel makes a pending item cancelled, because its session was deleted or
// its ticket stopped (I4).
func Cancel(x Item, by actor.Actor, via string, now time.Time) Item {
	return settle(x, Cancelled, by, via, now)
}

// Withdraw makes a pending item superseded: a person withdrew the call so that
// the turn can go on (S9).
func Withdraw(x Item, by actor.Actor, via string, now time.Time) Item {
	return settle(x, Superseded, by, via, now)
}

func settle(x Item, s State, by actor.Actor, via string, now time.Time) Item {
	x.State, x.By, x.Via, x.Resolved = s, by, via, now
	x.Resolution = string(s)
	return x
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
