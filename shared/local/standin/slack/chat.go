package slack

import (
	"encoding/json"
	"net/url"
)

// postMessage is chat.postMessage. A thread that is not known is taken as it
// is, so that a webhook made elsewhere can be answered here. The lock is held.
func (s *Server) postMessage(v url.Values) reply {
	m, bad := s.content(v)
	if bad != nil {
		return bad
	}
	return s.shown(s.add(m))
}

// postEphemeral is chat.postEphemeral.
func (s *Server) postEphemeral(v url.Values) reply {
	m, bad := s.content(v)
	if bad != nil {
		return bad
	}
	if _, ok := s.cfg.People[v.Get("user")]; !ok {
		return refuse("user_not_in_channel")
	}
	m.To = v.Get("user")
	return reply{"ok": true, "message_ts": s.add(m).TS}
}

// update is chat.update. Blocks that are left out stay; an empty list removes them.
func (s *Server) update(v url.Values) reply {
	m, bad := s.content(v)
	if bad != nil {
		return bad
	}
	old := s.find(m.Channel, v.Get("ts"))
	switch {
	case old == nil || old.To != "":
		return refuse("message_not_found")
	case old.User != s.cfg.BotUser:
		return refuse("cant_update_message")
	}
	if v.Has("text") {
		old.Text = m.Text
	}
	if v.Has("blocks") {
		old.Blocks = m.Blocks
	}
	old.Edits++
	out := s.shown(old)
	out["text"] = old.Text
	return out
}

// delete is chat.delete.
func (s *Server) delete(v url.Values) reply {
	old := s.find(v.Get("channel"), v.Get("ts"))
	switch {
	case old == nil || old.To != "":
		return refuse("message_not_found")
	case old.User != s.cfg.BotUser:
		return refuse("cant_delete_message")
	}
	old.Deleted = true
	return reply{"ok": true, "channel": old.Channel, "ts": old.TS}
}

// content reads what shall be shown, and where, or gives the refusal.
func (s *Server) content(v url.Values) (Message, reply) {
	m := Message{Channel: v.Get("channel"), Thread: v.Get("thread_ts"), User: s.cfg.BotUser, Text: cutText(v.Get("text"))}
	if _, ok := s.cfg.Channels[m.Channel]; !ok {
		return m, refuse("channel_not_found")
	}
	if v.Get("blocks") != "" {
		var list []json.RawMessage
		if json.Unmarshal([]byte(v.Get("blocks")), &list) != nil {
			return m, refuse("invalid_blocks_format")
		}
		if bad := checkBlocks(list); bad != nil {
			return m, bad
		}
		if len(list) > 0 {
			m.Blocks = json.RawMessage(v.Get("blocks"))
		}
	}
	if m.Text == "" && m.Blocks == nil {
		return m, refuse("no_text")
	}
	return m, nil
}

// shown is how Slack describes a message it has just posted or changed.
func (s *Server) shown(m *Message) reply {
	return reply{"ok": true, "channel": m.Channel, "ts": m.TS, "message": s.object(m)}
}

// object is a message of the app as it stands in answers and in clicks.
func (s *Server) object(m *Message) reply {
	o := reply{"type": "message", "user": m.User, "bot_id": s.cfg.BotID, "app_id": s.cfg.App,
		"team": s.cfg.Team, "text": m.Text, "ts": m.TS}
	if m.Thread != "" {
		o["thread_ts"] = m.Thread
	}
	if m.Blocks != nil {
		o["blocks"] = m.Blocks
	}
	return o
}

func cutText(s string) string {
	r := []rune(s)
	if len(r) > 40000 {
		return string(r[:40000])
	}
	return s
}
