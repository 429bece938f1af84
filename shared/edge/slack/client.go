package slack

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// API is where Slack's Web API is.
const API = "https://slack.com/api/"

const (
	timeout   = 10 * time.Second
	maxReply  = 3900
	cutInTalk = "\n[cut: the rest is in the session]"
)

// Client says and shows things in Slack. Each call is one request: it retries
// nothing, deliver does. Every error is a *delivery.SendError.
//
// Slack takes no key with a post: one that was lost on the way back may be
// posted again by a retry. Both are settled then, since a click names the
// message it was made on (I23).
type Client struct{ api *slack.Client }

// NewClient makes a Client for one app's bot token. base is API, or a
// stand-in's address. The http client is used as a copy that follows no
// redirect, since the token travels in the body, and that gives up after 10
// seconds unless it has a time-out of its own.
func NewClient(cfg Secrets, base string, hc *http.Client) (*Client, error) {
	if err := cfg.token(); err != nil {
		return nil, err
	}
	if hc == nil {
		return nil, errors.New("slack: no HTTP client")
	}
	own := *hc
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if own.Timeout == 0 {
		own.Timeout = timeout
	}
	if base == "" {
		base = API
	}
	base = strings.TrimSuffix(base, "/") + "/"
	return &Client{api: slack.New(cfg.BotToken, slack.OptionAPIURL(base), slack.OptionHTTPClient(&own))}, nil
}

// Post shows a card and gives the message's time stamp, which is its id in the
// place's channel.
func (c *Client) Post(ctx context.Context, place trigger.Place, card inbox.Card, key string) (string, error) {
	r := RenderCard(card)
	return c.post(ctx, place, slack.MsgOptionText(r.Text, false), slack.MsgOptionBlocks(r.Blocks...))
}

// Update makes a message show the card's present state, whole: its buttons go
// when the card has none.
func (c *Client) Update(ctx context.Context, ref inbox.Reference, card inbox.Card) error {
	if err := target(ref.Place); err != nil {
		return err
	}
	if !stamp(loose(ref.Message)) {
		return final("message_not_found")
	}
	r := RenderCard(card)
	_, ts, _, err := c.api.UpdateMessageContext(ctx, ref.Place.Channel, ref.Message,
		slack.MsgOptionText(r.Text, false), slack.MsgOptionBlocks(r.Blocks...))
	return outcome(ts, err)
}

// Say posts plain words in the place's thread, escaped, cut at about 4,000
// characters.
func (c *Client) Say(ctx context.Context, place trigger.Place, text, key string) (string, error) {
	words, _ := clamp(escape(text), maxReply, cutInTalk)
	return c.post(ctx, place, slack.MsgOptionText(words, false))
}

// Tell says something in the place that only this person sees.
func (c *Client) Tell(ctx context.Context, place trigger.Place, user actor.Actor, text string) error {
	if err := target(place); err != nil {
		return err
	}
	if user.Provider != trigger.Slack || !id(loose(user.ID)) {
		return final("user_not_found")
	}
	words, _ := clamp(escape(text), maxReply, cutInTalk)
	ts, err := c.api.PostEphemeralContext(ctx, place.Channel, user.ID, inThread(place, slack.MsgOptionText(words, false))...)
	return outcome(ts, err)
}

func (c *Client) post(ctx context.Context, place trigger.Place, what ...slack.MsgOption) (string, error) {
	if err := target(place); err != nil {
		return "", err
	}
	_, ts, err := c.api.PostMessageContext(ctx, place.Channel, inThread(place, what...)...)
	if err := outcome(ts, err); err != nil {
		return "", err
	}
	return ts, nil
}

// inThread adds the thread, and that nothing in the text is unfurled or linked.
func inThread(place trigger.Place, what ...slack.MsgOption) []slack.MsgOption {
	what = append(what, slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl())
	if place.Thread != "" {
		what = append(what, slack.MsgOptionTS(place.Thread))
	}
	return what
}

// target refuses a place that no message can be updated in later: a channel's
// name, or a person's id where the chat's own is needed (B21).
func target(p trigger.Place) error {
	switch {
	case p.Surface != trigger.Slack:
		return final("wrong_surface")
	case !id(loose(p.Channel)) || p.Channel[0] != 'C' && p.Channel[0] != 'D' && p.Channel[0] != 'G':
		return final("channel_is_no_id")
	case p.Thread != "" && !stamp(loose(p.Thread)):
		return final("thread_not_found")
	}
	return nil
}

func final(code string) error { return &delivery.SendError{Code: code, Final: true} }
