package slack

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	edge "github.com/postern-dev/postern/shared/edge/slack"
)

// Hook is where our side receives Slack's webhooks.
type Hook struct {
	URL    string
	Client *http.Client
}

// Answer is how our side answered one webhook.
type Answer struct {
	Event  string
	Status int
	Body   []byte
}

// Line is what a person writes.
type Line struct {
	User, Channel string
	Thread        string // time stamp of the thread's first message; empty at the top
	Text          string // as typed; it is escaped on the way
	Mention       bool   // begin with a mention of the agent
	// MentionFirst sends the app_mention before the message: Slack's order is
	// not defined.
	MentionFirst bool
}

// Say lets a person write a message and sends the webhooks for it: message, and
// app_mention as well if it mentions the agent outside a direct chat. The
// message stands even if sending fails.
func (s *Server) Say(ctx context.Context, to Hook, l Line) (Message, []Answer, error) {
	text := escaper.Replace(l.Text)
	if l.Mention {
		text = "<@" + s.cfg.BotUser + "> " + text
	}
	s.mu.Lock()
	m := *s.add(Message{Channel: l.Channel, Thread: l.Thread, User: l.User, Text: text})
	event := s.message(&m, l.Text, l.Mention)
	events := []reply{event}
	if l.Mention && channelType(l.Channel) != "im" {
		events = append(events, mentionOf(event))
		if l.MentionFirst {
			events[0], events[1] = events[1], events[0]
		}
	}
	var bodies [][]byte
	for _, e := range events {
		s.seq++
		bodies = append(bodies, s.envelope(fmt.Sprintf("Ev%06d", s.seq), s.now().Unix(), e))
	}
	s.mu.Unlock()

	var answers []Answer
	for i, body := range bodies {
		a, err := s.Deliver(ctx, to, body)
		a.Event, _ = events[i]["type"].(string)
		answers = append(answers, a)
		if err != nil {
			return m, answers, err
		}
	}
	return m, answers, nil
}

// Press lets a person click button n, from 0, of a message, and sends the
// webhook for it. A message without such a button is an error.
func (s *Server) Press(ctx context.Context, to Hook, user, channel, ts string, n int) (Answer, error) {
	s.mu.Lock()
	m := s.find(channel, ts)
	if m == nil {
		s.mu.Unlock()
		return Answer{}, fmt.Errorf("slack stand-in: press: no message %s in %s", ts, channel)
	}
	buttons := m.Buttons()
	if n < 0 || n >= len(buttons) {
		s.mu.Unlock()
		return Answer{}, fmt.Errorf("slack stand-in: press: message %s has %d buttons, no number %d", ts, len(buttons), n)
	}
	b := buttons[n]
	body := s.click(m, b, user, s.stamp())
	s.presses = append(s.presses, Press{User: user, Channel: channel, TS: ts, Label: b.Label, Value: b.Value, At: s.now()})
	at := len(s.presses) - 1
	s.mu.Unlock()

	a, err := s.Deliver(ctx, to, body)
	a.Event = "block_actions"
	s.mu.Lock()
	s.presses[at].Status = a.Status
	s.mu.Unlock()
	return a, err
}

// Challenge asks our side to prove that the address is its own, as Slack does
// when an address is set.
func (s *Server) Challenge(ctx context.Context, to Hook, challenge string) (Answer, error) {
	a, err := s.Deliver(ctx, to, encode(reply{"type": "url_verification", "token": "unused", "challenge": challenge}))
	a.Event = "url_verification"
	return a, err
}

// Deliver signs any body and sends it: an event of a kind that is not played
// here, or a body sent before once more.
func (s *Server) Deliver(ctx context.Context, to Hook, body []byte) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(body))
	if err != nil {
		return Answer{}, fmt.Errorf("slack stand-in: deliver: %w", err)
	}
	req.Header = edge.Sign(s.cfg.SigningSecret, body, s.now())
	resp, err := to.Client.Do(req)
	if err != nil {
		return Answer{}, fmt.Errorf("slack stand-in: deliver: %w", err)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(io.LimitReader(resp.Body, maxRequest))
	if err != nil {
		return Answer{Status: resp.StatusCode}, fmt.Errorf("slack stand-in: deliver: %w", err)
	}
	return Answer{Status: resp.StatusCode, Body: out}, nil
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// PressOld sends the click of a message as somebody's client still shows it:
// with the buttons of m, whatever the message has become since.
func (s *Server) PressOld(ctx context.Context, to Hook, user string, m Message, n int) (Answer, error) {
	buttons := m.Buttons()
	if n < 0 || n >= len(buttons) {
		return Answer{}, fmt.Errorf("slack stand-in: press: message %s had %d buttons, no number %d", m.TS, len(buttons), n)
	}
	s.mu.Lock()
	body := s.click(&m, buttons[n], user, s.stamp())
	s.mu.Unlock()
	a, err := s.Deliver(ctx, to, body)
	a.Event = "block_actions"
	return a, err
}
