// Package session holds an agent's life as rows: the session, its lease, its
// mailbox, its transcript, and the calls it made (S1 to S9).
//
// Pure: types and decisions about them. Loading and committing is in store and
// flow/turn.
package session

import (
	"encoding/json"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// Session is born of one persona version and never changes it (S1).
type Session struct {
	ID             string
	Persona        string
	PersonaVersion string
	Title          string
	Mode           string // permission mode: discuss, plan, interactive, custom, auto
	Unattended     bool   // I15: a switch of the session, not of power
	Queue          string // the Inbox queue its items go to
	Owner          string // actor ref
	Asked          actor.Actor
	Origin         *trigger.Place // the Thread it came from, if any (I20 "origin")
	Ticket         string         // the ticket it executes, if it is an executor
	Elsewhere      bool           // an agent that runs elsewhere and calls the gate (S14)
	Roots          []string       // Elsewhere: the folders it may write in (P14), as it was opened with
	Model          string         // "provider:model"
	Correlation    string         // D8: from the first delivery to the outcome
	Generation     int64          // S2: every writer checks it
	Deleted        bool
	Created        time.Time
	Version        int64
}

// Liveness is what a person sees as a dot (I19).
type Liveness string

const (
	Working  Liveness = "working"
	Sleeping Liveness = "sleeping" // a wake is pending
	Parked   Liveness = "parked"   // waits for a person
	Idle     Liveness = "idle"
	Gone     Liveness = "deleted"
)

// Lease is the right to run one turn of a session (S3). Turns write this row;
// senders write the mailbox head, so that messages never conflict with steps.
type Lease struct {
	Session string
	Token   int64     // fencing: grows with each taking; a commit checks it
	Holder  string    // the invocation that holds it, empty when given back
	Until   time.Time // zero when given back
	State   Liveness
	Item    string // the first waiting call's item while Parked
	Run     string // the stretch from waking to idle, parks included (I3)
	Read    int64  // the mailbox's count up to which all mail was read when the lease was written
	Strikes int64  // pauses in a row because the model could not be reached (S11)
	Closed  bool   // the executor's ticket has ended: its turns spend no grant (P25)
	Deleted bool
	Version int64
}

// Usage counts what a run spent (S6, W7).
type Usage struct {
	Iterations int64
	Input      int64 // tokens
	Output     int64 // tokens
	Micros     int64 // money in millionths of a dollar
	Started    time.Time
}

// LeaseTime is how long a lease lasts unless renewed (S3).
const LeaseTime = 90 * time.Second

// Head is the mailbox's counter: it grows with each mail put in (S3). Going
// idle is conditional on its Seq being the one last read (S9).
type Head struct {
	Session string
	Seq     int64
	Deleted bool
}

// MailKind says why a session was woken.
type MailKind string

const (
	Message MailKind = "message" // a person or a bot wrote
	Woke    MailKind = "wake"    // a timer or an event fired
	Note    MailKind = "note"    // Postern says something
)

// Mail is one entry of a session's mailbox. It is deleted in the transaction
// that appends it to the transcript, hence read exactly once. A resolution is
// no mail: the settled item is its own entry until the agent has read it (I7).
type Mail struct {
	Session string
	ID      string // sorts by the time it was put there
	Kind    MailKind
	From    actor.Actor
	Listed  bool   // the sender is on the Source's allow list (G2)
	Text    string // framed for the model when it is appended
	Wake    string // Woke: the wake
	Trigger string // Message: the Trigger's logical id
	At      time.Time
}

// Role is who speaks in a step.
type Role string

const (
	User      Role = "user"
	Assistant Role = "assistant"
	Result    Role = "result"
)

// Step is one row of the transcript, appended before the next begins (S7).
type Step struct {
	Session string
	N       int64
	Role    Role
	Text    string
	Calls   []Call // Assistant
	Of      int64  // Result: the assistant step it answers
	Pos     int    // Result: the position of the call in that step
	OK      bool   // Result: the call ran and succeeded
	From    string // User: display of the sender; Result: tool name
	Mail    string // User: id of the mail it came from
	Denied  string // Result: who refused it: ByPerson or ByRule (P27)
	Model   string // Assistant: what spoke
	Run     string // Assistant: the run it belongs to (I3)
	Used    Usage  // Assistant: of this call
	At      time.Time
}

// Who refused a call.
const (
	ByPerson = "person"
	ByRule   = "rule"
)

// Call is one tool call of a model's message, by the canonical arguments and
// their digest (P25). The provider's own id is kept for the provider only and
// is never a key (I3).
type Call struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"` // RFC 8785 canonical; empty if Bad
	Digest    string          `json:"digest"`
	Bad       string          `json:"bad,omitempty"` // why the arguments could not be read
}

// Attempt is the intent row before and, completed, the outcome after one
// consequential call (S8). Its key exists once per call, so writing it is
// spending the grant.
type Attempt struct {
	Session  string
	Step     int64
	Pos      int
	Tool     string
	Digest   string
	Item     string    // the item whose grant it spent, if any
	Key      string    // idempotency key given to the tool
	Writer   string    // who may write the outcome
	Deadline time.Time // nobody judges it earlier
	State    AttemptState
	Result   string
	Ended    time.Time
	Places   []trigger.Place // that show the item, and have to show how the call ended
	// Correlation follows the call from the first delivery to its outcome (D8).
	Correlation string
	Version     int64
}

// AttemptState is where a call stands.
type AttemptState string

const (
	Intended AttemptState = "intended"
	Ran      AttemptState = "ok"
	Failed   AttemptState = "failed"
	Unknown  AttemptState = "unknown" // a person has to say (S8)
)
