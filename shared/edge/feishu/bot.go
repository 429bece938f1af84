package feishu

import (
	"context"
	"net/http"
	"time"

	larkcore "github.com/larksuite/oapi-sdk-go/v3/core"
)

// The look-up of the bot's own id happens while a delivery waits for its
// answer, so it is short, and a failed one is not repeated for a while.
const (
	botTimeout = 1500 * time.Millisecond
	botRest    = 30 * time.Second
)

// BotOpenID gives the bot's own open_id: from the secret, or asked for once per
// process. It is empty while not known. It fits Receiver.WithBot.
func (c *Client) BotOpenID() string {
	c.botMu.Lock()
	defer c.botMu.Unlock()
	if c.botID != "" || c.now().Before(c.botRetry) {
		return c.botID
	}
	ctx, cancel := context.WithTimeout(context.Background(), botTimeout)
	defer cancel()
	id, err := c.AskBot(ctx)
	if err != nil {
		c.botRetry = c.now().Add(botRest)
		return ""
	}
	c.botID = id
	return id
}

// AskBot asks the platform for the bot's open_id, each time; `doctor` uses it.
func (c *Client) AskBot(ctx context.Context) (string, error) {
	const op = "bot info"
	var out struct {
		Bot struct { // beside the code, not under "data" (B39)
			OpenID string `json:"open_id"`
		} `json:"bot"`
	}
	err := c.do(ctx, op, larkcore.ApiReq{HttpMethod: http.MethodGet, ApiPath: "/open-apis/bot/v3/info"}, &out)
	if err != nil {
		return "", err
	}
	if out.Bot.OpenID == "" {
		return "", answerError(op, http.StatusOK, nil, noCode)
	}
	return out.Bot.OpenID, nil
}
