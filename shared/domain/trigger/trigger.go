// Package trigger holds what comes in: one message or event on a Thread, in
// the product's own words (G1).
//
// Edges make Triggers from verified deliveries; the gate judges them. Nothing
// here knows a platform's wire format, and no text in a Trigger is ever more
// than input to a decision.
package trigger

import (
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
)

// Named says how a message names the agent (G1).
type Named string

const (
	Mention Named = "mention"
	Direct  Named = "direct" // the chat is private with the agent
	NotAt   Named = "none"
)

// Platforms.
const (
	Slack  = "slack"
	Feishu = "feishu"
	GitHub = "github"
)

// Trigger is one inbound message or event on a Thread.
type Trigger struct {
	// Source and Scope are filled by the gate from the policy, not by the edge.
	Source string `json:"source,omitempty"`
	Scope  string `json:"scope,omitempty"`

	Platform string `json:"platform"`
	// Account is what the delivery was addressed to: Slack team, Feishu app,
	// GitHub repository full name in lower case.
	Account string `json:"account"`
	// Kind is the scope's kind as the edge saw it: "channel" or "direct" on
	// chats; "issues", "pull_requests", "comments" or "ci" on GitHub.
	Kind string `json:"kind"`

	Thread Place       `json:"thread"`
	Sender actor.Actor `json:"sender"`
	Named  Named       `json:"named"`
	Title  string      `json:"title,omitempty"` // of an issue or pull request
	Text   string      `json:"text"`            // unescaped, mentions of the agent left in, cut at MaxText
	// ID is the message's logical identity (webhook fact: a mention and the
	// message that holds it arrive as two events with one identity), never the
	// delivery's (G47).
	ID       string    `json:"id"`
	Message  string    `json:"message,omitempty"` // the platform's id of the message, to reply to
	Delivery string    `json:"delivery"`          // the platform's id of this delivery
	Event    string    `json:"event"`             // the platform's name of the event
	At       time.Time `json:"at"`
}

// MaxText is the most bytes of a message that a Trigger carries. What is
// longer is cut with a marker, so that a queue message stays far under 256 KB.
const MaxText = 48 << 10

// Place is where something can be said or shown: a Slack channel or thread, a
// Feishu chat or message, a GitHub issue or pull request.
type Place struct {
	Surface string `json:"surface"`          // slack, feishu, github
	Account string `json:"account"`          // Slack team, Feishu app, GitHub "owner/repo"
	Channel string `json:"channel"`          // Slack channel, Feishu chat, GitHub issue number
	Thread  string `json:"thread,omitempty"` // Slack thread_ts; Feishu message id to reply to; empty on GitHub
	// Topic is set on Feishu where the Thread is a topic, so that replies stay in it.
	Topic bool `json:"topic,omitempty"`
}

// Key is the place as one word: the id of a Thread, and the group that keeps
// what is said there in order (O1).
func (p Place) Key() string {
	k := p.Surface + ":" + p.Account + ":" + p.Channel
	if p.Thread != "" {
		k += ":" + p.Thread
	}
	return k
}

// Correlation names the work that a Trigger begins, from its first delivery to
// the outcome, in every function's log (D8).
func (t Trigger) Correlation() string { return t.Platform + ":" + t.Delivery }
