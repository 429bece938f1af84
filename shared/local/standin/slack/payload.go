package slack

import (
	"encoding/json"
	"net/url"
	"strings"
)

// envelope is an Events API request for the played workspace.
func (s *Server) envelope(id string, at int64, event reply) []byte {
	return encode(reply{
		"token": "unused", "team_id": s.cfg.Team, "context_team_id": s.cfg.Team, "api_app_id": s.cfg.App,
		"type": "event_callback", "event_id": id, "event_time": at, "event_context": "4-" + id,
		"is_ext_shared_channel": false,
		"authorizations": []reply{{
			"enterprise_id": nil, "team_id": s.cfg.Team, "user_id": s.cfg.BotUser, "is_bot": true, "is_enterprise_install": false,
		}},
		"event": event,
	})
}

// message is the message event of a person's line. Its rich text mirrors its
// text, as Slack's does.
func (s *Server) message(m *Message, words string, mention bool) reply {
	parts := []reply{}
	if mention {
		parts = append(parts, reply{"type": "user", "user_id": s.cfg.BotUser}, reply{"type": "text", "text": " "})
	}
	parts = append(parts, reply{"type": "text", "text": words})
	e := reply{
		"type": "message", "user": m.User, "team": s.teamOf(m.User), "text": m.Text, "ts": m.TS, "event_ts": m.TS,
		"channel": m.Channel, "channel_type": channelType(m.Channel), "client_msg_id": "c-" + m.TS,
		"blocks": []reply{{"type": "rich_text", "block_id": "b1", "elements": []reply{
			{"type": "rich_text_section", "elements": parts},
		}}},
	}
	if m.Thread != "" {
		e["thread_ts"] = m.Thread
	}
	if team := s.teamOf(m.User); team != s.cfg.Team {
		e["user_team"], e["source_team"] = team, team
	}
	return e
}

// mentionOf is the app_mention that comes beside a message: the same message,
// without a channel type.
func mentionOf(message reply) reply {
	e := reply{}
	for k, v := range message {
		if k != "channel_type" {
			e[k] = v
		}
	}
	e["type"] = "app_mention"
	return e
}

// click is the form body of a person's click on a button.
func (s *Server) click(m *Message, b Button, user, actionTS string) []byte {
	container := reply{"type": "message", "message_ts": m.TS, "channel_id": m.Channel, "is_ephemeral": m.To != ""}
	if m.Thread != "" {
		container["thread_ts"] = m.Thread
	}
	p := s.cfg.People[user]
	payload := encode(reply{
		"type": "block_actions", "api_app_id": s.cfg.App, "token": "unused",
		"user":      reply{"id": user, "username": p.Name, "name": p.Name, "team_id": s.teamOf(user)},
		"team":      reply{"id": s.cfg.Team, "domain": "dev"},
		"channel":   reply{"id": m.Channel, "name": s.cfg.Channels[m.Channel]},
		"container": container, "message": s.object(m),
		"enterprise": nil, "is_enterprise_install": false,
		"trigger_id": "1." + actionTS, "response_url": "https://hooks.slack.com/actions/unused",
		"actions": []reply{{
			"type": "button", "block_id": "b1", "action_id": b.ActionID, "value": b.Value, "action_ts": actionTS,
			"text": reply{"type": "plain_text", "text": b.Label},
		}},
	})
	return []byte("payload=" + url.QueryEscape(string(payload)))
}

func (s *Server) teamOf(user string) string {
	if p := s.cfg.People[user]; p.Team != "" {
		return p.Team
	}
	return s.cfg.Team
}

func channelType(channel string) string {
	if strings.HasPrefix(channel, "D") {
		return "im"
	}
	return "channel"
}

func encode(v reply) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only strings, booleans, numbers and lists go in
	}
	return b
}
