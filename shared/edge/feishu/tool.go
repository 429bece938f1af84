package feishu

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/postern-dev/postern/shared/domain/trigger"
)

// SendMessage runs the tool feishu_send_message, {"chat", "text"}: one text
// message to a chat of this app. key makes a repeat the same message. Whether
// the call may run was decided before. The result is JSON with the message_id.
func (c *Client) SendMessage(ctx context.Context, args json.RawMessage, key string) (string, error) {
	var a struct {
		Chat string `json:"chat"`
		Text string `json:"text"`
	}
	d := json.NewDecoder(bytes.NewReader(args))
	d.DisallowUnknownFields()
	if d.Decode(&a) != nil {
		return "", errors.New(`feishu_send_message: the arguments must be {"chat", "text"}, both strings`)
	}
	switch {
	case !isID(a.Chat, "oc_"):
		return "", errors.New("feishu_send_message: chat must be a chat's id, which begins with oc_")
	case strings.TrimSpace(a.Text) == "":
		return "", errors.New("feishu_send_message: text is empty")
	case len(a.Text) > maxSay:
		return "", errors.New("feishu_send_message: text is longer than 32 KB")
	}
	id, err := c.Say(ctx, trigger.Place{Surface: trigger.Feishu, Account: c.app, Channel: a.Chat}, a.Text, key)
	if err != nil {
		return "", err
	}
	return string(encode(map[string]string{"message_id": id})), nil
}
