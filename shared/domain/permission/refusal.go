package permission

// Refusal says why something was not done: a value, not an error (P18). The
// empty one means it may be done.
type Refusal string

const (
	// Of minting (P21, P22).
	NotAPerson     Refusal = "not_a_person"
	NoTask         Refusal = "no_task"
	NoTarget       Refusal = "no_target"
	IsExec         Refusal = "is_exec"
	IsFloor        Refusal = "is_irreversible"
	IsRead         Refusal = "is_read"
	MoreThanTarget Refusal = "more_than_target"

	// Of spending a grant (P25).
	NotApproved    Refusal = "not_approved"
	Spent          Refusal = "spent"
	Withdrawn      Refusal = "withdrawn"
	OtherSession   Refusal = "other_session"
	SessionGone    Refusal = "session_changed"
	OtherTool      Refusal = "other_tool"
	OtherArguments Refusal = "other_arguments"
	OtherAccount   Refusal = "other_account"
	OtherTarget    Refusal = "other_target"
	TicketEnded    Refusal = "ticket_ended"
	NoMandate      Refusal = "mandate_invalid"
	DeniedToday    Refusal = "denied_today"
)

var refusalWords = map[Refusal]string{
	NotAPerson:     "only a person makes a standing approval",
	NoTask:         "a standing approval belongs to a task, and there is none",
	NoTarget:       "the tool names no certain target",
	IsExec:         "commands have no standing approvals",
	IsFloor:        "what cannot be undone needs a person every time",
	IsRead:         "reading needs no approval",
	MoreThanTarget: "the call reaches more than its target",
	NotApproved:    "the item is not approved",
	Spent:          "the approval was already used",
	Withdrawn:      "the approval was withdrawn",
	OtherSession:   "the approval belongs to another session",
	SessionGone:    "the session was deleted or made anew since",
	OtherTool:      "the approval is for another tool",
	OtherArguments: "the approval is for other arguments",
	OtherAccount:   "the approval is for another account",
	OtherTarget:    "the approval is for another target",
	TicketEnded:    "the ticket has ended",
	NoMandate:      "the ticket's mandate is no longer valid",
	DeniedToday:    "the rules of today deny the call",
}

// Words is the refusal for people and for the agent.
func (r Refusal) Words() string {
	if w, ok := refusalWords[r]; ok {
		return w
	}
	return string(r)
}
