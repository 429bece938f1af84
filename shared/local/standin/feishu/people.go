package feishu

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Speech is what a person says.
type Speech struct {
	Person  string // open_id
	Chat    string // empty: their direct chat with the bot
	Text    string
	Mention bool   // name the bot first
	ReplyTo string // a message's id
	InTopic bool   // reply as a topic, where the chat allows it
	FromBot bool   // another app's bot says it
}

// Say lets a person say something and delivers it. The result names the new
// message; it exists even if the delivery failed, as on the platform.
func (s *Server) Say(ctx context.Context, to Hook, sp Speech) (Result, error) {
	s.mu.Lock()
	m, mentions, err := s.speak(sp)
	if err != nil {
		s.mu.Unlock()
		return Result{}, err
	}
	s.keep(m)
	inside := s.messageEvent(m, mentions, sp)
	s.mu.Unlock()
	res, err := s.Deliver(ctx, to, "im.message.receive_v1", inside)
	res.Message = m.ID
	return res, err
}

func (s *Server) speak(sp Speech) (*Message, []any, error) {
	if sp.Chat == "" {
		sp.Chat = directChat(sp.Person)
	}
	chat := s.chats[sp.Chat]
	if chat == nil {
		return nil, nil, fmt.Errorf("stand-in: no chat %s", sp.Chat)
	}
	m := &Message{Chat: chat.ID, Sender: sp.Person, Kind: "text", Text: sp.Text, State: "posted", At: s.now()}
	if sp.ReplyTo != "" {
		parent := s.find(sp.ReplyTo)
		if parent == nil || parent.Chat != chat.ID {
			return nil, nil, fmt.Errorf("stand-in: no message %s in %s", sp.ReplyTo, chat.ID)
		}
		m.follow(parent)
		if sp.InTopic && m.Topic == "" {
			m.Topic = s.id("omt_")
			parent.Topic = m.Topic
		}
	} else if chat.Kind == TopicGroup {
		m.Topic = s.id("omt_")
	}
	m.ID = s.id("om_")
	var mentions []any
	if sp.Mention {
		m.Text = "@_user_1 " + sp.Text
		mentions = append(mentions, map[string]any{
			"key": "@_user_1", "id": map[string]any{"open_id": s.botID}, "name": s.name(s.botID), "tenant_key": Tenant,
		})
	}
	return m, mentions, nil
}

// messageEvent is the inside of im.message.receive_v1.
func (s *Server) messageEvent(m *Message, mentions []any, sp Speech) map[string]any {
	content, _ := json.Marshal(map[string]string{"text": m.Text})
	w := m.wire()
	delete(w, "msg_type")
	w["message_type"], w["content"], w["chat_type"] = m.Kind, string(content), s.chats[m.Chat].Kind
	w["create_time"] = strconv.FormatInt(m.At.UnixMilli(), 10)
	if mentions != nil {
		w["mentions"] = mentions
	}
	senderType := "user"
	if sp.FromBot {
		senderType = "bot"
	}
	m.Text = strings.Replace(m.Text, "@_user_1", "@"+s.name(s.botID), 1) // as people see it
	return map[string]any{
		"sender":  map[string]any{"sender_id": map[string]any{"open_id": sp.Person}, "sender_type": senderType, "tenant_key": Tenant},
		"message": w,
	}
}

// Click lets a person tap button n (from 0) of a card, delivers the callback
// and shows the answer as the client does: the toast, and the card if one came
// back. If none came back the card is put back to what it was before the tap,
// whatever a PATCH changed meanwhile (B33).
func (s *Server) Click(ctx context.Context, to Hook, person, message string, n int) (Result, error) {
	s.mu.Lock()
	m := s.find(message)
	if m == nil || n < 0 || n >= len(m.Buttons) {
		s.mu.Unlock()
		return Result{}, fmt.Errorf("stand-in: message %s has no button %d", message, n)
	}
	before, b := m.copy(), m.Buttons[n]
	inside := map[string]any{
		"operator": map[string]any{"open_id": person, "tenant_key": Tenant},
		"token":    s.id("c-"),
		"action":   map[string]any{"tag": "button", "value": b.Value},
		"host":     "im_message",
		"context":  map[string]any{"open_message_id": m.ID, "open_chat_id": m.Chat},
	}
	s.mu.Unlock()

	res, err := s.Deliver(ctx, to, "card.action.trigger", inside)
	res.Message = message
	s.mu.Lock()
	defer s.mu.Unlock()
	p := Press{Person: person, Message: message, Button: b.Label, At: s.now()}
	p.show(m, before, res, err, s.now)
	s.presses = append(s.presses, p)
	return res, err
}

func (p *Press) show(m *Message, before Message, res Result, err error, now func() time.Time) {
	var a struct {
		Toast *struct{ Type, Content string }
		Card  *struct {
			Type string
			Data json.RawMessage
		}
	}
	switch {
	case err != nil:
		p.Trouble = "200341"
	case res.Status != 200:
		p.Trouble = "200671"
	case json.Unmarshal(res.Body, &a) != nil:
		p.Trouble = "200672"
	}
	if a.Toast != nil {
		p.Toast, p.ToastType = a.Toast.Content, a.Toast.Type
	}
	if p.Trouble == "" && a.Card != nil {
		next := *m
		if a.Card.Type == "raw" && next.set(string(a.Card.Data)) == 0 {
			next.State, next.Changes, next.Changed = "updated", m.Changes+1, now()
			*m = next
			return
		}
		p.Trouble = "200673"
	}
	if m.Changes != before.Changes {
		*m = before
	}
}
