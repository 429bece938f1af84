package slack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/slack-go/slack"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// ToolSendMessage is the name of the tool that SendMessage runs.
const ToolSendMessage = "slack_send_message"

// sendArguments are the tool's arguments.
type sendArguments struct {
	Channel  string `json:"channel"`
	Text     string `json:"text"`
	ThreadTS string `json:"thread_ts,omitempty"`
}

// SendMessage runs the tool slack_send_message {channel, text, thread_ts?} and
// gives {"ok":true,"channel","ts"}. It sends what was asked or nothing: a text
// that is too long is an error, never cut, since somebody may have approved it
// as it stood. Mentions and links in the text are shown as typed. channel is an
// id; a name can come to mean another channel. Errors as of Client; what is
// wrong with the arguments is final and says what.
func (c *Client) SendMessage(ctx context.Context, args json.RawMessage, key string) (string, error) {
	a, err := parseSend(args)
	if err != nil {
		return "", &delivery.SendError{Code: "invalid_arguments", Final: true, Err: err}
	}
	place := trigger.Place{Surface: trigger.Slack, Channel: a.Channel, Thread: a.ThreadTS}
	ts, err := c.post(ctx, place, slack.MsgOptionText(escape(a.Text), false))
	if err != nil {
		return "", err
	}
	out, err := json.Marshal(struct {
		OK      bool   `json:"ok"`
		Channel string `json:"channel"`
		TS      string `json:"ts"`
	}{true, a.Channel, ts})
	if err != nil {
		return "", fmt.Errorf("slack: send message: %w", err)
	}
	return string(out), nil
}

func parseSend(args json.RawMessage) (sendArguments, error) {
	var a sendArguments
	d := json.NewDecoder(bytes.NewReader(args))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil || d.More() {
		return a, errors.New("want an object with channel, text and perhaps thread_ts, all strings, and nothing else")
	}
	switch {
	case target(trigger.Place{Surface: trigger.Slack, Channel: a.Channel}) != nil:
		return a, errors.New("channel must be a channel's id, such as C0123456789")
	case a.ThreadTS != "" && !stamp(loose(a.ThreadTS)):
		return a, errors.New("thread_ts must be a message's time stamp, such as 1700000000.000100")
	case strings.TrimSpace(a.Text) == "":
		return a, errors.New("text is empty")
	case units(escape(a.Text)) > maxReply:
		return a, fmt.Errorf("text is longer than %d characters: send it in parts", maxReply)
	}
	return a, nil
}
