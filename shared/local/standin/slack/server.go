// Package slack stands in for Slack: it speaks the Web API over HTTP, so that
// Slack's own client libraries talk to it unmodified, and it plays the people,
// whose messages and clicks it sends as signed webhooks.
//
// It is for tests, the demo and development, and keeps everything in memory. It
// knows nothing of sessions or items: what a button means is our side's business.
package slack

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Config is the workspace that is played.
type Config struct {
	Team, TeamName string
	App            string
	BotUser, BotID string
	BotToken       string
	SigningSecret  string
	Scopes         string            // of the bot token, comma-separated
	Channels       map[string]string // id to name
	People         map[string]Person // user id to who that is
}

// Person is somebody with an account.
type Person struct {
	Name string
	Team string // empty: the workspace's own
}

// Server is the stand-in. It is an http.Handler, to be mounted anywhere: the
// last part of the path is the method. Safe for concurrent use.
type Server struct {
	cfg Config
	now func() time.Time

	mu       sync.Mutex
	messages []*Message
	presses  []Press
	calls    []Call
	faults   []queued
	seq      int64
}

// New makes a stand-in. The clock is used for time stamps and signatures only.
func New(cfg Config, now func() time.Time) *Server { return &Server{cfg: cfg, now: now} }

// Message is one message in a channel, as it stands now.
type Message struct {
	Channel string          `json:"channel"`
	TS      string          `json:"ts"`
	Thread  string          `json:"thread_ts,omitempty"`
	User    string          `json:"user"` // the bot's user for what the app posted
	Text    string          `json:"text"`
	Blocks  json.RawMessage `json:"blocks,omitempty"`
	// To is set on an ephemeral message: the only person who sees it.
	To      string `json:"to,omitempty"`
	Edits   int    `json:"edits"`
	Deleted bool   `json:"deleted,omitempty"`
}

// State is posted, updated, ephemeral or deleted.
func (m Message) State() string {
	switch {
	case m.Deleted:
		return "deleted"
	case m.To != "":
		return "ephemeral"
	case m.Edits > 0:
		return "updated"
	}
	return "posted"
}

// Press is a click that a person made.
type Press struct {
	User, Channel, TS string
	Label, Value      string
	At                time.Time
	Status            int // of our side's HTTP answer, 0 if there was none
}

// Call is a call of the Web API that came in, without its token.
type Call struct {
	Method string
	Error  string // what was answered, empty if it went well
}

// Messages are all messages in the order they were first posted, the people's
// as well, each as it stands now.
func (s *Server) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Message, len(s.messages))
	for i, m := range s.messages {
		out[i] = *m
		out[i].Blocks = slices.Clone(m.Blocks)
	}
	return out
}

// Posted are the messages of the app itself that stand in a channel, ephemeral
// ones left out.
func (s *Server) Posted(channel string) []Message {
	return slices.DeleteFunc(s.Messages(), func(m Message) bool {
		return m.Channel != channel || m.User != s.cfg.BotUser || m.To != "" || m.Deleted
	})
}

// Told are the ephemeral messages that a person got.
func (s *Server) Told(user string) []Message {
	return slices.DeleteFunc(s.Messages(), func(m Message) bool { return m.To != user })
}

// Presses are the clicks made so far.
func (s *Server) Presses() []Press {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.presses)
}

// Calls are the API calls that came in so far.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Config is what this stand-in plays.
func (s *Server) Config() Config { return s.cfg }

// find gives the message in that channel. The lock is held.
func (s *Server) find(channel, ts string) *Message {
	for _, m := range s.messages {
		if m.Channel == channel && m.TS == ts && !m.Deleted {
			return m
		}
	}
	return nil
}

// add stores a message under a time stamp of its own. The lock is held.
func (s *Server) add(m Message) *Message {
	m.TS = s.stamp()
	s.messages = append(s.messages, &m)
	return &m
}

// stamp is unique and grows, as Slack's do. The lock is held.
func (s *Server) stamp() string {
	s.seq++
	return fmt.Sprintf("%d.%06d", s.now().Unix(), s.seq)
}
