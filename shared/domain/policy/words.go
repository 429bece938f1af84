package policy

// Strengths of an admitted Trigger (G14).
const (
	Explicit    = "explicit"
	Inferred    = "inferred"
	NotAdmitted = "not_admitted"
)

// Accept modes (G30). An absent one is Observe; an unknown one works as Off.
const (
	Off     = "off"
	Observe = "observe"
	Auto    = "auto"
)

// What a row receives (G19, G20); Off receives nothing.
const (
	All      = "all"
	Mentions = "mentions"
)

// Ignore is the cell value that admits nobody.
const Ignore = "ignore"

// The cells of a row, by their key in the file (G17).
const (
	ListedUnnamed   = "listed_unnamed"
	UnlistedNamed   = "unlisted_named"
	UnlistedUnnamed = "unlisted_unnamed"
)

// The rows that are not a chat's id.
const (
	Other        = "other"  // chats without a row of their own
	Direct       = "direct" // chats private with the agent
	Channel      = "channel"
	Issues       = "issues"
	PullRequests = "pull_requests"
	Comments     = "comments"
	CI           = "ci"
)

// DefaultQueue is the queue of whoever names none (I20).
const DefaultQueue = "default"
