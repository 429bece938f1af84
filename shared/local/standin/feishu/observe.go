package feishu

import (
	"slices"
	"strings"
	"time"
)

// Fault is something that goes wrong with the next calls of an operation.
type Fault struct {
	On         string // one of the Op constants; empty is any
	Times      int    // 0 is once
	Status     int    // of HTTP; 0 is 400
	Code       int    // the platform's
	RetryAfter int    // seconds
	// After lets the call take effect first: an answer that got lost. The
	// caller sees HTTP 504 unless Status says otherwise.
	After bool
}

// Inject adds a fault. Faults are used up in the order they came.
func (s *Server) Inject(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
}

// takeFault uses a fault up; s.mu is held.
func (s *Server) takeFault(op string) *Fault {
	for i, f := range s.faults {
		if f.On != "" && f.On != op {
			continue
		}
		if f.Times--; f.Times <= 0 {
			s.faults = slices.Delete(s.faults, i, i+1)
		}
		return f
	}
	return nil
}

func (f *Fault) answer() answer {
	a := refused(f.Code)
	switch {
	case f.Status != 0:
		a.status = f.Status
	case f.After:
		a.status = 504
	}
	a.wait = f.RetryAfter
	return a
}

// RevokeTokens makes every token given so far invalid: calls with one get HTTP
// 400 and 99991663.
func (s *Server) RevokeTokens() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tokens)
}

// SetAppSecret changes the app's secret, as a rotation in the console does.
func (s *Server) SetAppSecret(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secrets.AppSecret = secret
}

// Recall takes a message back.
func (s *Server) Recall(message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.find(message); m != nil {
		m.State = "recalled"
	}
}

// Calls counts the calls of an operation; empty counts all.
func (s *Server) Calls(op string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if op != "" {
		return s.calls[op]
	}
	n := 0
	for _, c := range s.calls {
		n += c
	}
	return n
}

// Messages lists the messages of a chat, oldest first; empty lists all.
func (s *Server) Messages(chat string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Message
	for _, m := range s.messages {
		if chat == "" || m.Chat == chat {
			out = append(out, m.copy())
		}
	}
	return out
}

// Message gives one message.
func (s *Server) Message(id string) (Message, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.find(id); m != nil {
		return m.copy(), true
	}
	return Message{}, false
}

func (m *Message) copy() Message {
	c := *m
	c.Card, c.Buttons = slices.Clone(m.Card), slices.Clone(m.Buttons)
	return c
}

// Chats lists the chats, by id.
func (s *Server) Chats() []Chat {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Chat, 0, len(s.chats))
	for _, c := range s.chats {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b Chat) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// Name is a person's or the bot's name.
func (s *Server) Name(openID string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.name(openID)
}

func (s *Server) name(openID string) string {
	if openID == s.botID {
		return "Postern"
	}
	return s.people[openID]
}

// Press is one tap on a card, and what the person saw of it.
type Press struct {
	Person, Message, Button string
	At                      time.Time
	Toast, ToastType        string
	// Trouble is the code that the client shows when the callback went wrong:
	// 200341 no answer, 200671 not HTTP 200, 200672 not the expected format,
	// 200673 a bad card. Empty if all was well.
	Trouble string
}

// Presses lists all taps, oldest first.
func (s *Server) Presses() []Press {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.presses)
}

// Delivered is one webhook that was sent, and how it was answered.
type Delivered struct {
	EventID, Event string
	Status         int // 0: no answer
	At             time.Time
	plain          []byte
}

// Deliveries lists the webhooks sent so far, oldest first.
func (s *Server) Deliveries() []Delivered {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.deliveries)
}
