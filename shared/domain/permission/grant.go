package permission

// Grant is what an approval allows: one call of one item, bound to what was
// shown (P25). It is spent once.
type Grant struct {
	Item       string
	Session    string
	Generation int64 // of the session when the item was raised
	Server     string
	Tool       string
	Digest     string // of the canonical arguments that were shown
	Target     string
	Account    string
	State      GrantState
}

// GrantState is where a grant stands. Only Open can be spent.
type GrantState string

const (
	Open           GrantState = "open"
	GrantSpent     GrantState = "spent"
	GrantWithdrawn GrantState = "withdrawn"
)

// Today is what a grant is spent against, read in the same commit (P25).
type Today struct {
	Session    string
	Generation int64
	Executor   bool // the session works on a ticket
	TicketOpen bool // for an executor
	Mandate    bool // for an executor: its mandate is valid
}

// GrantFor is the grant that approving this call would make.
func GrantFor(item, session string, generation int64, c Call) Grant {
	return Grant{
		Item: item, Session: session, Generation: generation,
		Server: c.Server, Tool: c.Tool, Digest: c.Digest,
		Target: c.Target, Account: c.Account, State: Open,
	}
}

// MaySpend says why a grant may not be spent on a call, or "" if it may. d is
// the decision of today's state on that very call: a denial wins, asking is
// what the grant answers (P25). The caller's conditional write makes it once.
func MaySpend(g Grant, c Call, d Decision, now Today) Refusal {
	switch {
	case g.State == GrantSpent:
		return Spent
	case g.State == GrantWithdrawn:
		return Withdrawn
	case g.State != Open || g.Item == "":
		return NotApproved
	case g.Session == "" || g.Session != now.Session:
		return OtherSession
	case g.Generation != now.Generation:
		return SessionGone
	case g.Server != c.Server || g.Tool != c.Tool:
		return OtherTool
	case g.Digest == "" || g.Digest != c.Digest || d.Digest != c.Digest:
		return OtherArguments
	case g.Account != c.Account:
		return OtherAccount
	case g.Target != c.Target:
		return OtherTarget
	case now.Executor && !now.TicketOpen:
		return TicketEnded
	case now.Executor && !now.Mandate:
		return NoMandate
	case d.Outcome != Allow && !d.Outcome.Asks():
		return DeniedToday
	}
	return ""
}

// MayWithdraw says why a grant can no longer be withdrawn, or "" if it can: an
// unspent one, by whoever may answer its item (the caller checks who).
func MayWithdraw(g Grant) Refusal {
	switch g.State {
	case Open:
		return ""
	case GrantSpent:
		return Spent
	case GrantWithdrawn:
		return Withdrawn
	}
	return NotApproved
}
