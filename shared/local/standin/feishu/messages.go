package feishu

import (
	"encoding/json"
	"strings"
	"time"
)

// Message is one message of a chat, as it looks now.
type Message struct {
	ID, Chat, Root, Parent string
	Topic                  string // the topic's id, if it is in one
	Sender                 string // open_id
	FromBot                bool
	Kind                   string // text or interactive
	Text                   string // of a text; of a card all its words
	Card                   json.RawMessage
	Buttons                []Button
	State                  string // posted, updated, recalled
	Changes                int    // how often a card was changed
	At, Changed            time.Time
}

// Limits of the platform.
const (
	maxText   = 150 << 10
	maxCard   = 30 << 10
	uuidHours = time.Hour
	patchDays = 14 * 24 * time.Hour
)

// find gives a message, or nil; s.mu is held.
func (s *Server) find(id string) *Message { return s.byID[id] }

// keep stores a new message; s.mu is held.
func (s *Server) keep(m *Message) {
	s.messages = append(s.messages, m)
	s.byID[m.ID] = m
}

// create sends to a chat or to a person.
func (s *Server) create(idType string, body map[string]json.RawMessage) answer {
	to := str(body["receive_id"])
	var chat *Chat
	switch {
	case idType == "chat_id":
		chat = s.chats[to]
	case idType == "open_id" && s.people[to] != "":
		chat = s.chats[directChat(to)]
	case idType == "open_id":
		return refused(230013)
	default:
		return refused(230001)
	}
	if chat == nil {
		return refused(230002)
	}
	m := &Message{Chat: chat.ID}
	if chat.Kind == TopicGroup {
		m.Topic = s.id("omt_") // a message at the top of a topic group is a topic
	}
	return s.add(m, body)
}

// reply answers a message, in its topic if it has one or is asked to start one.
func (s *Server) reply(to string, body map[string]json.RawMessage) answer {
	if !strings.HasPrefix(to, "om_") {
		return refused(99992354)
	}
	parent := s.find(to)
	if parent == nil || parent.State == "recalled" {
		return refused(230011)
	}
	var inTopic bool
	_ = json.Unmarshal(body["reply_in_thread"], &inTopic)
	m := &Message{Chat: parent.Chat}
	m.follow(parent)
	if inTopic && m.Topic == "" {
		if s.chats[parent.Chat].Kind == Direct {
			return refused(230071)
		}
		m.Topic = s.id("omt_")
		parent.Topic = m.Topic
	}
	return s.add(m, body)
}

// follow makes m a reply to parent.
func (m *Message) follow(parent *Message) {
	m.Parent, m.Root, m.Topic = parent.ID, parent.Root, parent.Topic
	if m.Root == "" {
		m.Root = parent.ID
	}
	if m.Topic != "" {
		m.Parent = m.Root // inside a topic both are the topic's first message
	}
}

// add checks the content and stores the bot's message. The same uuid within an
// hour is the same message.
func (s *Server) add(m *Message, body map[string]json.RawMessage) answer {
	content, uuid := str(body["content"]), str(body["uuid"])
	if len(uuid) > 50 {
		return refused(230001)
	}
	if o, seen := s.sent[uuid]; uuid != "" && seen && s.now().Sub(o.at) < uuidHours {
		return ok(s.find(o.message).wire())
	}
	m.Kind = str(body["msg_type"])
	if code := m.set(content); code != 0 {
		return refused(code)
	}
	m.ID, m.Sender, m.FromBot, m.State, m.At = s.id("om_"), s.botID, true, "posted", s.now()
	s.keep(m)
	if uuid != "" {
		s.sent[uuid] = once{m.ID, m.At}
	}
	return ok(m.wire())
}

// set reads a content, or gives the code of what is wrong with it.
func (m *Message) set(content string) int {
	switch m.Kind {
	case "text":
		var c struct{ Text *string }
		if len(content) > maxText {
			return 230025
		}
		if json.Unmarshal([]byte(content), &c) != nil || c.Text == nil || *c.Text == "" {
			return 230001
		}
		m.Text = *c.Text
	case "interactive":
		quoted, _ := json.Marshal(content)
		if len(quoted) > maxCard {
			return 230025
		}
		words, buttons, good := readCard([]byte(content))
		if !good {
			return 230099
		}
		m.Card, m.Text, m.Buttons = json.RawMessage(content), words, buttons
	default:
		return 230001
	}
	return 0
}

// patch changes a card. A card that is not update_multi, before and after,
// stays as it is without an error (B34).
func (s *Server) patch(id string, body map[string]json.RawMessage) answer {
	if !strings.HasPrefix(id, "om_") {
		return refused(99992354)
	}
	m := s.find(id)
	switch {
	case m == nil || m.State == "recalled":
		return refused(230011)
	case !m.FromBot || m.Kind != "interactive":
		return refused(230054)
	case s.now().Sub(m.At) > patchDays:
		return refused(230031)
	}
	next := *m
	if code := next.set(str(body["content"])); code != 0 {
		return refused(code)
	}
	if updatable(m.Card) && updatable(next.Card) {
		next.State, next.Changes, next.Changed = "updated", m.Changes+1, s.now()
		*m = next
	}
	return ok(map[string]any{})
}

func (m *Message) wire() map[string]any {
	w := map[string]any{"message_id": m.ID, "chat_id": m.Chat, "msg_type": m.Kind}
	for k, v := range map[string]string{"root_id": m.Root, "parent_id": m.Parent, "thread_id": m.Topic} {
		if v != "" {
			w[k] = v
		}
	}
	return w
}
