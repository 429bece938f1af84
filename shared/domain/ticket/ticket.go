// Package ticket holds accepted work: the ticket, the mandate it works under,
// and the decision that made it (gate.md, Words).
package ticket

import (
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// State of a ticket.
type State string

const (
	Open  State = "open"
	Ended State = "ended"
)

// Ending says why a ticket ended.
type Ending string

const (
	Done    Ending = "done"
	Failed  Ending = "failed"  // its run failed, and says so (S11)
	Stopped Ending = "stopped" // a person stopped it: it stays ended (G38)
	Revoked Ending = "revoked" // a re-check failed (G41)
)

// Ticket is one accepted piece of work.
type Ticket struct {
	ID      string
	Session string // its executor
	Thread  trigger.Place
	Title   string
	State   State
	Ending  Ending
	Mandate Mandate
	Created time.Time
	Closed  time.Time
	Version int64
}

// Mandate is the authority under which a ticket works (G37: only accept, a
// person's stop and a failed re-check change it).
type Mandate struct {
	Basis     string      `json:"basis"` // "explicit", later "inferred"
	Policy    int64       `json:"policy"`
	Rules     []string    `json:"rules,omitempty"`
	Source    string      `json:"source"`
	Scope     string      `json:"scope"`
	Initiator actor.Actor `json:"initiator"`
	Trigger   string      `json:"trigger"`
	Withdrawn bool        `json:"withdrawn,omitempty"`
}

// Subscribed is one ticket that listens to a Thread, as the Thread row names it.
type Subscribed struct {
	Ticket  string `json:"ticket"`
	Session string `json:"session"`
	Own     bool   `json:"own"` // false: context only (G13)
	Stopped bool   `json:"stopped,omitempty"`
}

// Thread is one conversation's row. Every change of its subscriptions bumps
// Version, and the gate's commit is conditional on it (G48).
type Thread struct {
	Key         string
	Place       trigger.Place
	Subscribers []Subscribed
	Version     int64
}

// Decision is the record of how a Trigger was judged; never rewritten.
type Decision struct {
	ID       string
	Thread   string
	Trigger  string
	Source   string
	Scope    string
	Strength string // explicit, inferred, not_admitted
	Cell     string
	Reason   string
	Outcome  string // accepted, delivered, not_admitted, ignored, unavailable
	Ticket   string
	Sender   actor.Actor
	Policy   int64
	At       time.Time
}
