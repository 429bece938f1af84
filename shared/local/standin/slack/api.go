package slack

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
)

const maxRequest = 1 << 20

type reply map[string]any

// ServeHTTP answers a call of the Web API: form or JSON in, JSON out, status
// 200 with ok false for what Slack refuses.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := path.Base(r.URL.Path)
	r.Body = http.MaxBytesReader(w, r.Body, maxRequest)
	values, ok := arguments(r)
	if !ok {
		answer(w, http.StatusOK, reply{"ok": false, "error": "invalid_form_data"})
		return
	}
	s.mu.Lock()
	fault, failing := s.take(method)
	if failing && !fault.Lost {
		s.calls = append(s.calls, Call{method, word(fault)})
		s.mu.Unlock()
		fault.write(w)
		return
	}
	out := s.call(method, values)
	code, _ := out["error"].(string)
	s.calls = append(s.calls, Call{method, code})
	s.mu.Unlock()
	if failing {
		panic(http.ErrAbortHandler) // done, and the answer is lost
	}
	if method == "auth.test" {
		w.Header().Set("X-OAuth-Scopes", s.cfg.Scopes)
	}
	answer(w, http.StatusOK, out)
}

func word(f Fault) string {
	if f.Error == "" {
		return "http"
	}
	return f.Error
}

// call does what a method does. The lock is held.
func (s *Server) call(method string, v url.Values) reply {
	if method == "api.test" {
		return reply{"ok": true}
	}
	switch v.Get("token") {
	case s.cfg.BotToken:
	case "":
		return refuse("not_authed")
	default:
		return refuse("invalid_auth")
	}
	switch method {
	case "auth.test":
		return reply{"ok": true, "url": "https://dev.slack.example/", "team": s.cfg.TeamName, "team_id": s.cfg.Team,
			"user": "agent", "user_id": s.cfg.BotUser, "bot_id": s.cfg.BotID, "is_enterprise_install": false}
	case "chat.postMessage":
		return s.postMessage(v)
	case "chat.postEphemeral":
		return s.postEphemeral(v)
	case "chat.update":
		return s.update(v)
	case "chat.delete":
		return s.delete(v)
	case "conversations.info":
		name, ok := s.cfg.Channels[v.Get("channel")]
		if !s.may("channels:read") {
			return refuse("missing_scope")
		}
		if !ok {
			return refuse("channel_not_found")
		}
		return reply{"ok": true, "channel": reply{"id": v.Get("channel"), "name": name, "is_member": true}}
	case "conversations.history":
		if _, ok := s.cfg.Channels[v.Get("channel")]; !ok {
			return refuse("channel_not_found")
		}
		if !s.may("channels:history") {
			return refuse("missing_scope")
		}
		return reply{"ok": true, "messages": s.since(v.Get("channel"), v.Get("oldest")), "has_more": false}
	case "users.info":
		p, ok := s.cfg.People[v.Get("user")]
		if !ok {
			return refuse("user_not_found")
		}
		return reply{"ok": true, "user": reply{"id": v.Get("user"), "team_id": s.teamOf(v.Get("user")), "name": p.Name}}
	case "views.open":
		if v.Get("trigger_id") == "" {
			return refuse("invalid_trigger_id")
		}
		return reply{"ok": true, "view": reply{"id": "V" + strings.ReplaceAll(s.stamp(), ".", "")}}
	}
	return refuse("unknown_method")
}

// arguments reads the arguments of a call: a form, or JSON with the token in a
// header. What is not a string in JSON is kept as its text.
func arguments(r *http.Request) (url.Values, bool) {
	v := url.Values{}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		raw, err := io.ReadAll(r.Body)
		var fields map[string]json.RawMessage
		if err != nil || json.Unmarshal(raw, &fields) != nil {
			return nil, false
		}
		for k, f := range fields {
			var text string
			if json.Unmarshal(f, &text) != nil {
				text = string(f)
			}
			v.Set(k, text)
		}
	} else {
		if r.ParseForm() != nil {
			return nil, false
		}
		v = r.Form
	}
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		v.Set("token", bearer)
	}
	return v, true
}

func refuse(code string) reply { return reply{"ok": false, "error": code} }

func answer(w http.ResponseWriter, status int, out reply) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(out)
}
