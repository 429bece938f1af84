// Package raise makes the actions by which an item comes to wait for a person
// (I1 to I3): head, body, one row per place that shall show it, and the audit
// row. The head rings for itself (store.Rings).
//
// It commits nothing itself: turn and api put the actions into the one
// transaction of their step (O2).
package raise

import (
	"fmt"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// Ask is one prompt for a person, before it is an item.
type Ask struct {
	ID     string
	Kind   inbox.Kind
	Title  string
	Tool   string
	Risk   string
	Digest string
	Run    string
	Step   int64
	Pos    int
	Body   inbox.Body
	Rule   string // what decided that a person is asked, for the audit
}

// Raised is what a commit needs to raise one item.
type Raised struct {
	Item    inbox.Item
	Actions []table.Action // all but the body; the first one is the item: lost if it was raised before
	Body    table.Action   // may be committed before (store.NewBody)
}

// All is the whole item as one commit's actions.
func (r Raised) All() []table.Action {
	return append(r.Actions[:len(r.Actions):len(r.Actions)], r.Body)
}

// Nobody says why an item of this queue could be answered by nobody, or is
// empty (I12, R23): it is an error at creation, not an item that waits for ever.
func Nobody(p policy.Policy, queue string) string {
	refs, from := p.Approvers(queue)
	if len(refs) > 0 {
		return ""
	}
	return fmt.Sprintf("nobody may answer in queue %q: the list of %s is empty; an owner has to set it in the policy", queue, from)
}

// New makes the actions that raise one item; auditID names its audit row. The
// row of what an agent elsewhere asked (store.Asks) is the caller's.
func New(s session.Session, a Ask, p policy.Policy, auditID string, now time.Time) Raised {
	x := inbox.Item{
		ID: a.ID, Session: s.ID, Persona: s.Persona, Kind: a.Kind, Title: line(a.Title), Queue: s.Queue,
		Tool: a.Tool, Risk: a.Risk, Digest: a.Digest, Run: a.Run, Step: a.Step, Pos: a.Pos,
		Severity: "normal", Places: Places(s, a.Kind, p), Generation: s.Generation,
		Elsewhere: s.Elsewhere, Correlation: s.Correlation, Created: now, Expires: p.Expiry(s.Queue, now),
	}
	a.Body.Item, a.Body.Asked, a.Body.Mode = a.ID, s.Asked, s.Mode

	r := Raised{Item: x, Actions: []table.Action{store.NewHead(x)}, Body: store.NewBody(a.Body)}
	r.Actions = append(r.Actions, store.NewAudit(store.Audit{
		ID: auditID, Chain: "session#" + s.ID, What: "asked", Actor: actor.System(a.Rule), Item: a.ID,
		Tool: a.Tool, Digest: a.Digest, Rule: a.Rule, Policy: p.Version, Is: string(inbox.Pending),
		Reason: a.Body.Why, Arguments: Redact(a.Body.Arguments), At: now,
	}))
	for _, place := range x.Places {
		r.Actions = append(r.Actions, store.NewShown(x.ID, place, private(p, s.Queue, place), now))
	}
	return r
}

// Places is where an item is shown besides the panel (I20): an approval in the
// queue's places; a question where the work came from, if it came from a
// Thread, else in the queue's places.
func Places(s session.Session, k inbox.Kind, p policy.Policy) []trigger.Place {
	if k == inbox.Question && s.Origin != nil {
		return []trigger.Place{*s.Origin}
	}
	var out []trigger.Place
	for _, b := range p.Places(s.Queue) {
		out = append(out, trigger.Place{Surface: b.Surface, Account: b.Account, Channel: b.Channel})
	}
	return out
}

// private reports whether only those who may answer read at a place (I22). A
// question asked where the work came from shows its text there: it is said to
// the people of that Thread.
func private(p policy.Policy, queue string, at trigger.Place) bool {
	for _, b := range p.Places(queue) {
		if b.Surface == at.Surface && b.Account == at.Account && b.Channel == at.Channel {
			return b.Private
		}
	}
	return at.Thread != ""
}

func line(s string) string {
	for i, r := range s {
		if r == '\n' || i > 116 {
			return s[:i] + "…"
		}
	}
	return s
}
