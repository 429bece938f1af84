package permission

// Outcome of a decision. Only Allow lets a call run; anything else, the empty
// word included, does not.
type Outcome string

const (
	Allow Outcome = "allow"
	Deny  Outcome = "deny"  // a result for the agent, nobody is asked
	Ask   Outcome = "ask"   // a person is asked, inline
	Route Outcome = "route" // a person is asked, in the Inbox
)

// Asks reports whether a person has to answer first.
func (o Outcome) Asks() bool { return o == Ask || o == Route }

// By is what decided.
type By struct {
	Kind ByKind
	Name string // which one: the mode, the pattern, the path, the approval
}

// ByKind is the sort of thing that decided.
type ByKind string

const (
	ByMode     ByKind = "mode"
	ByScope    ByKind = "scope"    // the session's folders
	ByFloor    ByKind = "floor"    // the tool is irreversible
	ByCatalog  ByKind = "catalog"  // the tool's class
	ByOverride ByKind = "override" // a person's override of the class
	ByCommand  ByKind = "command"  // the command allow list
	BySession  ByKind = "session"  // allowed for this session
	ByStanding ByKind = "standing" // a standing approval
	ByCustom   ByKind = "custom"   // the custom grammar
	ByRefusal  ByKind = "refusal"  // a person refused the same call in this run
)

// String is the form that rows and pages hold, such as "override notion/*".
func (b By) String() string {
	if b.Name == "" {
		return string(b.Kind)
	}
	return string(b.Kind) + " " + b.Name
}

// Decision is what Evaluate says of one call (P18).
type Decision struct {
	Outcome   Outcome
	Reason    string // in words, for people and for the agent
	By        By
	Step      int  // of P13, 1 to 10
	Base      Risk // what the catalog says
	Effective Risk // after the overrides
	Target    string
	Digest    string
}

// Consequential reports whether the decision belongs in the audit (P18).
func (d Decision) Consequential() bool {
	return d.Base.Consequential() || d.Effective.Consequential()
}
