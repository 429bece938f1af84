package permission

import "time"

// State is what holds for a session at the moment of a call. Each part comes
// from one place, and only people write them (P3).
type State struct {
	Session    string
	Mode       Mode // empty means interactive
	Unattended bool // asking goes to the Inbox (I15)
	Now        time.Time

	Overrides *Overrides  // the person's and the deployment's (P4, P7)
	Roots     []Root      // the first is the primary one (P14)
	Commands  *Commands   // the command allow list (P15)
	Custom    *Grammar    // what mode custom lets pass (P16)
	Allowed   []Allowance // "allow for this session" (P17)

	Task     string     // the task whose run this is, if any
	Standing []Standing // that task's standing approvals (P20)
}

// Root is a folder that a session may read, and write if Writable.
type Root struct {
	Path     string // absolute, symlinks resolved
	Writable bool
}
