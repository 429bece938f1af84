package doctor

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/edge/slack"
)

const slackChallenge = "postern-doctor"

func (d *doctor) slack(ctx context.Context, up bool) {
	raw, configured := d.stored(trigger.Slack)
	e := entrance{platform: trigger.Slack, name: "Slack", logical: "SlackFunction", configured: configured,
		taken: func(a answer) bool { return a.status == 200 && strings.Contains(string(a.body), slackChallenge) }}
	var client *slack.Client
	if raw != nil {
		s, err := slack.ParseSecrets(raw)
		_, receives := slack.NewReceiver(s, make([]byte, 16), d.Now)
		c, sends := slack.NewClient(s, d.Secrets[trigger.Slack].Values["api"], d.HTTP)
		if !d.incomplete(trigger.Slack, err, receives, sends) {
			client = c
			e.signed = func() (http.Header, []byte) {
				body := []byte(`{"type":"url_verification","challenge":"` + slackChallenge + `"}`)
				h := slack.Sign(s.SigningSecret, body, d.Now())
				h.Set("Content-Type", "application/json")
				return h, body
			}
		}
	}
	d.knock(ctx, up, e)
	if client != nil {
		d.slackToken(ctx, client)
	}
	d.arrivals(configured, "Slack", trigger.Slack,
		"In the app's settings, Event Subscriptions, the Request URL has to be "+d.URL+"/hooks/slack, and the bot has to be in the channel: /invite it.",
		"Slack's interactivity is not set up",
		"In the app's settings, Interactivity & Shortcuts, turn it on and set the Request URL to "+d.URL+"/hooks/slack.")
}

func (d *doctor) slackToken(ctx context.Context, c *slack.Client) {
	me, err := c.Self(ctx)
	if err != nil {
		if code := codeOf(err); unreached(code) {
			d.bad("slack.silent", "Slack's API does not answer ("+code+").", "Try again. If it stays so: does this machine reach slack.com?")
		} else {
			d.bad("slack.token", "Slack refuses the bot token ("+code+").",
				"In the app's settings, OAuth & Permissions, install the app to the workspace again and copy the Bot User OAuth Token: postern setup slack "+d.Stack)
		}
		return
	}
	if me.Bot == "" {
		d.bad("slack.bot", "The token is not a bot's: cards would come from a person.",
			"Copy the Bot User OAuth Token (it begins with xoxb-), not a user's: postern setup slack "+d.Stack)
		return
	}
	lacks := slices.DeleteFunc(slices.Clone(slack.Scopes), func(s string) bool { return slices.Contains(me.Scopes, s) })
	if len(lacks) > 0 {
		d.bad("slack.scopes", "The bot token lacks the scopes "+strings.Join(lacks, ", ")+".",
			"In the app's settings, OAuth & Permissions, add them under Bot Token Scopes and install the app again. infra/slack/manifest.yaml has them all.")
	}
	if !d.listens(trigger.Slack, func(a string) bool { return a == me.Team }) {
		d.bad("slack.team", "The token is of the workspace "+me.Team+", and no Source of the policy listens to it.",
			"Put "+me.Team+" into the accounts of the Slack Source and apply the policy; or this is another workspace's token.")
	}
	if len(lacks) == 0 {
		d.ok("slack", "The token is of the bot "+me.Bot+" in "+me.Team+", with every scope that is needed.")
	}
	for _, b := range d.bindings(trigger.Slack) {
		d.slackChannel(ctx, c, b.channel, b.queue, b.account == me.Team)
	}
}

func (d *doctor) slackChannel(ctx context.Context, c *slack.Client, channel, queue string, ours bool) {
	if !ours {
		d.bad("policy.account", "Queue "+queue+" shows its cards in "+channel+" of a Slack workspace that the token is not of.",
			"Correct account in the queue's binding and apply the policy.")
		return
	}
	chat, err := c.Chat(ctx, channel, d.Now())
	switch code := ""; {
	case err != nil:
		if code = codeOf(err); unreached(code) {
			d.note("slack.channel.unknown", "Whether the bot is in "+channel+" could not be seen ("+code+").", "")
			return
		}
		d.bad("slack.channel", "Queue "+queue+" shows its cards in "+channel+", which the bot cannot see ("+code+").",
			"Is it the channel's id, and not its name? To a private channel the bot has to be invited: /invite @agent")
	case !chat.Member:
		d.bad("slack.outside", "Queue "+queue+" shows its cards in "+channel+", and the bot is not in it.", "In that channel: /invite @agent")
	case chat.Archived:
		d.bad("slack.archived", "Queue "+queue+" shows its cards in "+channel+", which is archived.", "Unarchive it, or name another channel in the policy.")
	default:
		d.ok("slack.channel", "The bot is in "+channel+", where queue "+queue+" shows its cards.")
	}
}
