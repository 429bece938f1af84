// Package actor says who did something: a person, a bot, a key, a timer or
// Postern itself, always by an identity that somebody proved (I13).
//
// It only names actors. What an actor may do is decided in policy and inbox.
package actor

import "strings"

// Kind is the sort of an actor (I28).
type Kind string

const (
	Human   Kind = "human"
	Bot     Kind = "bot"
	Key     Kind = "key"     // an API key of an agent elsewhere
	Timer   Kind = "timer"   // a clock: expiry, a schedule, the reconciler
	Postern Kind = "postern" // the system's own rule or mode
	None    Kind = "none"    // no sender, as of a CI result
)

// Actor is (provider, workspace, immutable id), proved by the platform's
// signature or a person's sign-in. Name is for display and decides nothing.
type Actor struct {
	Provider  string `json:"provider"`  // slack, feishu, github, panel, key, postern
	Workspace string `json:"workspace"` // Slack team, Feishu tenant, empty for GitHub
	ID        string `json:"id"`        // immutable id there
	Name      string `json:"name,omitempty"`
	Kind      Kind   `json:"kind"`
}

// Ref is the actor's identity as one word, the form that lists in a policy
// hold: "slack:T1/U1", "feishu:cli_1/ou_1", "github:583231", "panel:ada".
func (a Actor) Ref() string {
	if a.ID == "" {
		return ""
	}
	if a.Workspace == "" {
		return a.Provider + ":" + a.ID
	}
	return a.Provider + ":" + a.Workspace + "/" + a.ID
}

// ParseRef reads what Ref writes. ok is false for anything else.
func ParseRef(s string) (a Actor, ok bool) {
	provider, rest, found := strings.Cut(s, ":")
	if !found || provider == "" || rest == "" {
		return Actor{}, false
	}
	a.Provider, a.ID = provider, rest
	if ws, id, found := strings.Cut(rest, "/"); found {
		a.Workspace, a.ID = ws, id
	}
	return a, a.ID != ""
}

// System is Postern acting by a rule of its own.
func System(name string) Actor {
	return Actor{Provider: "postern", ID: name, Name: name, Kind: Postern}
}
