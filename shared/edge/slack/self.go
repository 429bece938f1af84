package slack

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/postern-dev/postern/shared/domain/delivery"
)

// Scopes are those of a bot token that the app needs, and no more;
// infra/slack/manifest.yaml asks for them.
var Scopes = []string{"app_mentions:read", "channels:history", "chat:write", "groups:history", "im:history", "mpim:history"}

// Self is who a token belongs to and what it may do.
type Self struct {
	Team, User string
	Bot        string // empty: no bot's token
	Scopes     []string
}

// Self asks Slack whose token it is; `doctor` uses it (U4).
func (c *Client) Self(ctx context.Context) (Self, error) {
	r, err := c.api.AuthTestContext(ctx)
	if err != nil {
		return Self{}, outcome("", err)
	}
	s := Self{Team: r.TeamID, User: r.UserID, Bot: r.BotID}
	for _, x := range strings.Split(r.Header.Get("X-OAuth-Scopes"), ",") {
		if x = strings.TrimSpace(x); x != "" {
			s.Scopes = append(s.Scopes, x)
		}
	}
	return s, nil
}

// Chat is how the bot stands to a channel.
type Chat struct {
	Member   bool
	Archived bool
}

// Chat looks at one channel; `doctor` uses it (U4). conversations.info takes
// scopes that the app does not ask for. Without them it asks for the channel's
// messages from now on, of which there are none, and whose refusal says who is
// not in the channel; whether it is archived is then not known.
func (c *Client) Chat(ctx context.Context, channel string, now time.Time) (Chat, error) {
	info, err := c.api.GetConversationInfoContext(ctx, &slack.GetConversationInfoInput{ChannelID: channel})
	if err == nil {
		return Chat{Member: info.IsMember || info.IsIM, Archived: info.IsArchived}, nil
	}
	if code(outcome("", err)) != "missing_scope" {
		return Chat{}, outcome("", err)
	}
	_, err = c.api.GetConversationHistoryContext(ctx, &slack.GetConversationHistoryParameters{
		ChannelID: channel, Oldest: strconv.FormatInt(now.Unix(), 10) + ".000000", Limit: 1})
	if err == nil {
		return Chat{Member: true}, nil
	}
	if e := outcome("", err); code(e) != "not_in_channel" {
		return Chat{}, e
	}
	return Chat{}, nil
}

func code(err error) string {
	var s *delivery.SendError
	if errors.As(err, &s) {
		return s.Code
	}
	return ""
}
