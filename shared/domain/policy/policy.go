// Package policy holds what the people who run Postern decided: Sources and
// their admission tables, queues and approvers, owners, accept mode (gate.md;
// inbox.md I12, I20). It judges a Trigger's admission.
//
// Pure. A policy is one immutable version; saving is in store.
package policy

// Policy is one version of everything (G32).
type Policy struct {
	Version int64    `json:"version" yaml:"-"`
	Accept  string   `json:"accept,omitempty" yaml:"accept,omitempty"` // off, observe (default), auto (G30)
	Owners  []string `json:"owners" yaml:"owners"`                     // actor refs
	Sources []Source `json:"sources" yaml:"sources"`
	Queues  []Queue  `json:"queues" yaml:"queues"`
	// Paused Sources, or "all": they receive and keep, and start nothing (G51).
	Paused []string `json:"paused,omitempty" yaml:"-"`
}

// Source is a configured place that messages come from, with its admission
// table (gate.md, Words).
type Source struct {
	Name     string `json:"name" yaml:"name"`
	Platform string `json:"platform" yaml:"platform"` // slack, feishu, github
	// Accounts are the Slack team ids, Feishu app ids, or GitHub "owner" or
	// "owner/repo" names that this Source listens to. GitHub's are compared
	// without case, and "owner/repo" goes before "owner".
	Accounts []string `json:"accounts" yaml:"accounts"`
	// Scopes are the rows of the admission table.
	Scopes []Scope `json:"scopes" yaml:"scopes"`
	// Listed people, as actor refs. An absent or empty list means nobody (G18, Q8).
	Listed []string `json:"listed" yaml:"listed"`
	// Bots whose messages may become inferred, never more (G22): actor refs, or
	// on GitHub the login of an App, which ends in "[bot]".
	Bots []string `json:"bots,omitempty" yaml:"bots,omitempty"`

	Persona string `json:"persona,omitempty" yaml:"persona,omitempty"` // default cowork
	Mode    string `json:"mode,omitempty" yaml:"mode,omitempty"`       // default interactive
	Queue   string `json:"queue,omitempty" yaml:"queue,omitempty"`     // default "default"
	Model   string `json:"model,omitempty" yaml:"model,omitempty"`
	// TellRefused says whether somebody who named the agent and was not
	// admitted is told so (G24); off by default.
	TellRefused bool `json:"tell_refused,omitempty" yaml:"tell_refused,omitempty"`
}

// Scope is one row of a Source's admission table (G17).
type Scope struct {
	// Name is what the row covers: a chat or channel id; "other" for other
	// chats in which the agent was named; "direct" for private chats; on GitHub
	// "issues", "pull_requests", "comments", "ci".
	Name string `json:"name" yaml:"name"`
	// Receive is "all", "mentions" (the default) or "off": whether messages
	// that do not name the agent are received at all (G19). The row "other" is
	// "off" unless it says "mentions" (G20); "ci" is "all", since a CI result
	// names nobody; "direct" takes no value, since a private chat always names
	// the agent.
	Receive string `json:"receive,omitempty" yaml:"receive,omitempty"`

	ListedUnnamed   string `json:"listed_unnamed,omitempty" yaml:"listed_unnamed,omitempty"`     // inferred (default), ignore
	UnlistedNamed   string `json:"unlisted_named,omitempty" yaml:"unlisted_named,omitempty"`     // explicit, inferred, ignore (default)
	UnlistedUnnamed string `json:"unlisted_unnamed,omitempty" yaml:"unlisted_unnamed,omitempty"` // inferred, ignore (default)
}

// Queue is a named Inbox queue (I12, I20).
type Queue struct {
	Name string `json:"name" yaml:"name"`
	// Approvers as actor refs. nil falls through to the owners; an empty list
	// means nobody (I12).
	Approvers *[]string `json:"approvers,omitempty" yaml:"approvers,omitempty"`
	Bindings  []Binding `json:"bindings,omitempty" yaml:"bindings,omitempty"`
	// Expiry of its items: a duration such as "48h", "never", or empty for 7
	// days (I10).
	Expiry string `json:"expiry,omitempty" yaml:"expiry,omitempty"`
	// NoSelf: the requester may not approve his own (I14).
	NoSelf bool `json:"no_self,omitempty" yaml:"no_self,omitempty"`
}

// Binding is one place where a queue's cards are shown (I20).
type Binding struct {
	Surface string `json:"surface" yaml:"surface"` // slack, feishu, github
	Account string `json:"account" yaml:"account"`
	Channel string `json:"channel" yaml:"channel"`
	// Private says that only approvers read there, so the card may show the
	// arguments (I22). False shows tool, risk and link only.
	Private bool `json:"private,omitempty" yaml:"private,omitempty"`
}
