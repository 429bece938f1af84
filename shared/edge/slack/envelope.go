package slack

// envelope is what we read of a request of the Events API.
type envelope struct {
	Type           loose
	Challenge      loose
	App            loose
	Team           loose
	ContextTeam    loose
	ID             loose
	Shared         loose // is_ext_shared_channel
	Authorizations []authorization
	Event          message
}

func (e *envelope) field(r reader, name string) error {
	switch name {
	case "type":
		return r.text(&e.Type)
	case "challenge":
		return r.text(&e.Challenge)
	case "api_app_id":
		return r.text(&e.App)
	case "team_id":
		return r.text(&e.Team)
	case "context_team_id":
		return r.text(&e.ContextTeam)
	case "event_id":
		return r.text(&e.ID)
	case "is_ext_shared_channel":
		return r.text(&e.Shared)
	case "authorizations":
		return r.list(func(r reader) error {
			var a authorization
			err := r.object(a.field)
			e.Authorizations = append(e.Authorizations, a)
			return err
		})
	case "event":
		return r.object(e.Event.field)
	}
	return r.skip()
}

// authorization names the installation that a delivery is for.
type authorization struct {
	Enterprise        loose
	Team              loose
	User              loose
	IsBot             loose
	EnterpriseInstall loose
}

func (a *authorization) field(r reader, name string) error {
	switch name {
	case "enterprise_id":
		return r.text(&a.Enterprise)
	case "team_id":
		return r.text(&a.Team)
	case "user_id":
		return r.text(&a.User)
	case "is_bot":
		return r.text(&a.IsBot)
	case "is_enterprise_install":
		return r.text(&a.EnterpriseInstall)
	}
	return r.skip()
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
