package slack

import (
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// loose is a string field that takes whatever comes: a string as it is, null as
// empty, anything else as its JSON text. So an odd type never loses an event,
// and never hides one either: a bot_id that is a number is still a bot_id.
type loose string

// UnmarshalJSON never fails on well-formed JSON.
func (l *loose) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) == 0 || string(b) == "null":
		*l = ""
	case b[0] != '"':
		*l = loose(b)
	case plain(b):
		*l = loose(b[1 : len(b)-1])
	default:
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*l = loose(s)
	}
	return nil
}

// plain reports whether a JSON string holds no escape and nothing to repair.
func plain(b []byte) bool {
	for _, c := range b {
		if c == '\\' {
			return false
		}
	}
	return utf8.Valid(b)
}

func (l loose) on() bool { return l != "" && l != "false" }

// envelope is what we read of a request of the Events API.
type envelope struct {
	Type           loose           `json:"type"`
	Challenge      loose           `json:"challenge"`
	App            loose           `json:"api_app_id"`
	Team           loose           `json:"team_id"`
	ContextTeam    loose           `json:"context_team_id"`
	ID             loose           `json:"event_id"`
	Shared         loose           `json:"is_ext_shared_channel"`
	Authorizations []authorization `json:"authorizations"`
	Event          message         `json:"event"`
}

// authorization names the installation that a delivery is for.
type authorization struct {
	Enterprise        loose `json:"enterprise_id"`
	Team              loose `json:"team_id"`
	User              loose `json:"user_id"`
	IsBot             loose `json:"is_bot"`
	EnterpriseInstall loose `json:"is_enterprise_install"`
}

// message is what we read of the inner event.
type message struct {
	Type        loose     `json:"type"`
	Subtype     loose     `json:"subtype"`
	Channel     loose     `json:"channel"`
	ChannelType loose     `json:"channel_type"`
	User        loose     `json:"user"`
	UserTeam    loose     `json:"user_team"`
	SourceTeam  loose     `json:"source_team"`
	Team        loose     `json:"team"`
	Username    loose     `json:"username"`
	Text        loose     `json:"text"`
	TS          loose     `json:"ts"`
	ThreadTS    loose     `json:"thread_ts"`
	BotID       loose     `json:"bot_id"`
	App         loose     `json:"app_id"`
	BotProfile  *profile  `json:"bot_profile"`
	Blocks      []element `json:"blocks"`
}

type profile struct {
	App  loose `json:"app_id"`
	Name loose `json:"name"`
}

// decode reads JSON and forgives fields of another type than ours: the decoder
// leaves those empty and reads on. It reports whether the text is JSON at all.
func decode(raw []byte, into any) bool {
	err := json.Unmarshal(raw, into)
	var odd *json.UnmarshalTypeError
	return err == nil || errors.As(err, &odd)
}

// bot is the bot user of the installation this delivery is for, empty if the
// delivery does not say. Whoever compares with it must not take empty for a match.
func (e *envelope) bot() loose {
	if len(e.Authorizations) == 0 || e.Authorizations[0].IsBot != "true" {
		return ""
	}
	return e.Authorizations[0].User
}

// installation is the workspace, or the organisation of an org-wide
// installation, that this delivery is for. The outer team can be the partner's
// in a shared channel, so there it is not used (B27).
func (e *envelope) installation() loose {
	if len(e.Authorizations) > 0 {
		a := e.Authorizations[0]
		if a.EnterpriseInstall == "true" {
			return a.Enterprise
		}
		if a.Team != "" {
			return a.Team
		}
	}
	if e.ContextTeam != "" || e.Shared.on() {
		return e.ContextTeam
	}
	return e.Team
}

// id reports whether s looks like one of Slack's ids: letters and digits. All
// that goes into a key passes here, so no value can imitate another's key.
func id(s loose) bool { return only(s, func(c byte) bool { return alnum(c) }) }

// stamp reports whether s looks like a message's ts, which stays a string.
func stamp(s loose) bool {
	return only(s, func(c byte) bool { return c >= '0' && c <= '9' || c == '.' })
}

func only(s loose, ok func(byte) bool) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		if !ok(s[i]) {
			return false
		}
	}
	return true
}

func alnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
