// Package inbox holds the items that wait for a person, and decides whether an
// answer settles one (inbox.md). Each item has one authoritative state and is
// resolved once.
//
// Pure: loading, committing and showing belong to store, flow/resolve and
// flow/deliver.
package inbox

import (
	"encoding/json"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// Kind of an item (I1).
type Kind string

const (
	Approval     Kind = "approval"
	Question     Kind = "question"
	Notification Kind = "notification"
	Directory    Kind = "directory"
	Plan         Kind = "plan"
)

// State of an item. Everything but Pending is terminal, and the terminal
// states stay distinct everywhere (I4).
type State string

const (
	Pending    State = "pending"
	Approved   State = "approved"
	Denied     State = "denied"
	Answered   State = "answered"
	Expired    State = "expired"
	Cancelled  State = "cancelled"
	Superseded State = "superseded"
)

// Terminal reports whether no answer can change the item any more.
func (s State) Terminal() bool { return s != Pending && s != "" }

// Item is the head row of an item: what lists and conditions read, under 1 KB
// (I2). Its id is derived, so raising the same prompt again gives the same
// item (I3).
type Item struct {
	ID          string
	Session     string
	Persona     string
	Kind        Kind
	Title       string // one line, at most 120 bytes
	Queue       string
	Tool        string
	Risk        string
	Digest      string
	Run         string
	Step        int64 // the assistant step and position that asked
	Pos         int
	Severity    string // normal, high
	Places      []trigger.Place
	Generation  int64 // of the session
	Elsewhere   bool  // asked by an agent that runs elsewhere
	Correlation string

	State   State
	Created time.Time
	Expires time.Time // Never if it does not
	Version int64     // grows with every change; what a place must show

	// Set once, by the resolution.
	Choice     string
	Reason     string // free text with a choice, or the answer itself
	By         actor.Actor
	Via        string // surface: slack, feishu, github, panel, api, timer
	Delivery   string // the platform's id of the click
	Resolution string // id of the resolving attempt: a retry of it is the win (I5)
	Resolved   time.Time
	Policy     int64

	// Told says that the agent has read the resolution, where no call that ran
	// says so (I7).
	Told bool
}

// AgentKnows reports whether nothing is owed to the agent for an item any more:
// it has read the resolution, or the call it allowed was begun and ended (ran
// is how; empty if it was not begun). An agent elsewhere asks itself; one whose
// item was cancelled is not told.
func (x Item) AgentKnows(ran string) bool {
	switch {
	case !x.State.Terminal():
		return false
	case x.Elsewhere || x.State == Cancelled || x.Told:
		return true
	}
	return x.State == Approved && Ended(ran)
}

// Ended reports whether a call's state is an outcome, not an intent.
func Ended(ran string) bool { return ran != "" && ran != "intended" }

// Never is the expiry of an item that does not expire (I10).
var Never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// DefaultExpiry is how long an item waits unless its queue says otherwise (I10).
const DefaultExpiry = 7 * 24 * time.Hour

// Body is the immutable row beside the head (I2).
type Body struct {
	Item      string
	Text      string          // what approving does, or the question
	Arguments json.RawMessage // canonical
	Options   []Option
	AllowText bool
	Multi     bool
	Asked     actor.Actor // on whose behalf the agent works
	Mode      string
	Why       string // the permission decision's reason
}

// Option is one choice of a question. Value is short and plain ("o1"), since it
// travels in a button; Label is what people read.
type Option struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

// Answer is what a person says to an item. It names the item and the digest
// they saw (I8).
type Answer struct {
	Item     string
	Digest   string
	Choice   string // allow, deny, open, or an option's value; empty with Text alone
	Text     string // reason, or free text
	Actor    actor.Actor
	Via      string
	Delivery string
	// Shown is the message that was clicked, so that it is settled even if its
	// reference was never stored (I23).
	Shown Reference
	// ID of this attempt: the same attempt again is the same answer (I5).
	ID string
}

// Reference names a message on a surface that shows an item.
type Reference struct {
	Place   trigger.Place `json:"place"`
	Message string        `json:"message"` // Slack ts, Feishu message id, GitHub comment id
}

// PlaceOf finds the item's own place for a message that was clicked. A click
// may leave the thread out (Feishu) or name the viewer's team instead of ours
// (Slack Connect), so where no place fits exactly the channel decides: its id
// is unique on a chat platform. A message the item knows nothing of keeps its
// own place.
func (x Item) PlaceOf(r Reference) trigger.Place {
	at := r.Place
	for _, p := range x.Places {
		if p.Key() == r.Place.Key() {
			return p
		}
		if p.Surface == r.Place.Surface && p.Surface != trigger.GitHub && p.Channel == r.Place.Channel {
			at = p
		}
	}
	return at
}

// Choices of an approval (I9).
const (
	Allow = "allow"
	Deny  = "deny"
)

// Open is what the button Open of a card says (I22). It answers nothing: it
// asks for a sign-in link of the clicker's own. No option of a question is
// called so.
const Open = "open"
