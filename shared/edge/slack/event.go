package slack

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// event reads a request of the Events API. It classifies before anything is
// claimed, so that a message which starts nothing cannot use up the identity of
// its twin (B05).
func (r *Receiver) event(body []byte) (delivery.Delivery, error) {
	d := delivery.Delivery{Platform: trigger.Slack}
	var e envelope
	if !read(body, e.field) {
		return d, delivery.Unreadable("body is not a JSON object")
	}
	d.Event, d.ID = short(e.Type), short(e.ID)
	switch e.Type {
	case "url_verification":
		d.Reply = &delivery.Reply{
			Status: http.StatusOK, ContentType: "text/plain; charset=utf-8", Body: []byte(e.Challenge),
		}
	case "event_callback":
		d.Event = short(e.Event.Type)
		d.Trigger, d.Drop = r.trigger(&e)
	case "app_rate_limited":
		d.Drop = "Slack limited this app's events"
	default:
		d.Drop = "unknown event"
	}
	return d, nil
}

// trigger makes a Trigger of a message by somebody else, or says why not.
func (r *Receiver) trigger(e *envelope) (*trigger.Trigger, string) {
	m, bot, account := &e.Event, e.bot(), e.installation()
	switch {
	case m.Type != "message" && m.Type != "app_mention":
		return nil, "unknown event"
	case own(e, bot):
		return nil, "own message"
	case !spoken(m.Subtype):
		return nil, "not something somebody said: " + short(m.Subtype)
	case strings.TrimSpace(string(m.Text)) == "":
		return nil, "no text"
	case !id(account):
		return nil, "names no installation"
	case !id(e.App) && e.App != "", !id(m.Channel), !stamp(m.TS), m.ThreadTS != "" && !stamp(m.ThreadTS):
		return nil, "lacks a readable app, channel or time stamp"
	}
	sender, ok := sender(e)
	if !ok {
		return nil, "names no sender"
	}
	kind := kindOf(m)
	return &trigger.Trigger{
		Platform: trigger.Slack,
		Account:  string(account),
		Kind:     kind,
		Thread: trigger.Place{
			Surface: trigger.Slack, Account: string(account),
			Channel: string(m.Channel), Thread: string(cmp.Or(m.ThreadTS, m.TS)),
		},
		Sender:   sender,
		Named:    named(m, bot, kind),
		Text:     text(string(m.Text)),
		ID:       identity(e.App, account, m.Channel, m.TS),
		Message:  string(m.TS),
		Delivery: short(e.ID),
		Event:    string(m.Type),
		At:       r.at(m.TS),
	}, ""
}

// identity is the message's logical identity. A mention and the message that
// holds it, and a repeated delivery under a new event id, share it (G47, B03).
func identity(app, account, channel, ts loose) string {
	return "slack:" + string(app) + ":" + string(account) + ":" + string(channel) + ":" + string(ts)
}

// own reports whether we wrote it ourselves: by app, or by bot user (B11).
func own(e *envelope, bot loose) bool {
	m := &e.Event
	if e.App != "" && (m.App == e.App || m.BotProfile != nil && m.BotProfile.App == e.App) {
		return true
	}
	return bot != "" && m.User == bot
}

// spoken reports whether a subtype is a message somebody wrote. Edits,
// deletions, joins and the rest are not (B07, B08).
func spoken(subtype loose) bool {
	switch subtype {
	case "", "file_share", "thread_broadcast", "me_message", "bot_message":
		return true
	}
	return false
}

// sender is who wrote it, with the workspace that is the writer's own: in a
// channel shared with another company that is not ours (B27). A bot is known by
// any sign of one, since bots' posts have no subtype nowadays (G22), and goes by
// its app.
func sender(e *envelope) (actor.Actor, bool) {
	m := &e.Event
	a := actor.Actor{Provider: trigger.Slack, Kind: actor.Human}
	team := cmp.Or(m.UserTeam, m.SourceTeam, m.Team)
	if team == "" && !e.Shared.on() {
		team = cmp.Or(e.Team, e.installation())
	}
	if !id(team) {
		team = "unknown" // on no list, since ids are upper case
	}
	who := m.User
	if m.BotID != "" || m.BotProfile != nil || m.App != "" || m.Subtype == "bot_message" || m.User == "USLACKBOT" {
		a.Kind = actor.Bot
		who = cmp.Or(m.App, m.BotID, m.User)
		if m.BotProfile != nil {
			who = cmp.Or(m.App, m.BotProfile.App, m.BotID, m.User)
			a.Name = short(m.BotProfile.Name)
		}
	}
	if !id(who) {
		return actor.Actor{}, false
	}
	a.Workspace, a.ID = string(team), string(who)
	if a.Name == "" {
		a.Name = short(m.Username)
	}
	return a, true
}

// kindOf says channel or direct. A mention carries no channel_type; only then
// does the id's first letter count, since elsewhere it is not reliable.
func kindOf(m *message) string {
	switch m.ChannelType {
	case "im", "app_home":
		return "direct"
	case "":
		if strings.HasPrefix(string(m.Channel), "D") {
			return "direct"
		}
	}
	return "channel"
}

// at is when the message was written, by its ts; now if that says nothing.
func (r *Receiver) at(ts loose) time.Time {
	whole, _, _ := strings.Cut(string(ts), ".")
	if n, ok := unixSeconds(whole); ok {
		return time.Unix(n, 0).UTC()
	}
	return r.now().UTC()
}

// short bounds a platform's word that goes into a record or a log.
func short(s loose) string {
	if len(s) > 64 {
		return strings.ToValidUTF8(string(s[:64]), "")
	}
	return string(s)
}
