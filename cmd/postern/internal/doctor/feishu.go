package doctor

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/edge/feishu"
)

const feishuChallenge = "postern-doctor"

func (d *doctor) feishu(ctx context.Context, up bool) {
	raw, configured := d.stored(trigger.Feishu)
	e := entrance{platform: trigger.Feishu, name: "Feishu", logical: "FeishuFunction", configured: configured,
		taken: func(a answer) bool { return a.status == 200 && strings.Contains(string(a.body), feishuChallenge) }}
	var client *feishu.Client
	var s feishu.Secrets
	if raw != nil {
		var err error
		s, err = feishu.ParseSecrets(raw)
		_, receives := feishu.NewReceiver(s, make([]byte, 16), d.Now)
		c, sends := feishu.NewClient(s, d.Secrets[trigger.Feishu].Values["api"], d.HTTP, d.Now)
		if !d.incomplete(trigger.Feishu, err, receives, sends) {
			client = c
			e.signed = func() (http.Header, []byte) { // the URL check, which carries no signature (B37)
				plain, _ := json.Marshal(map[string]string{"type": "url_verification", "challenge": feishuChallenge, "token": s.VerificationToken})
				return http.Header{"Content-Type": {"application/json"}}, feishu.Encrypt(s.EncryptKey, plain, [16]byte{1})
			}
		}
	}
	d.knock(ctx, up, e)
	if client != nil {
		d.feishuBot(ctx, client, s)
	}
	d.arrivals(configured, "Feishu", trigger.Feishu,
		"In the developer console, Event Configuration, the request address has to be "+d.URL+"/hooks/feishu, with the event im.message.receive_v1; then publish a version.",
		"Feishu's callback URL is not set",
		"In the developer console it is a page of its own, Callback Configuration: set "+d.URL+"/hooks/feishu there too, add card.action.trigger, and publish a version.")
}

func (d *doctor) feishuBot(ctx context.Context, c *feishu.Client, s feishu.Secrets) {
	id, err := c.AskBot(ctx)
	if err != nil {
		switch code := codeOf(err); {
		case code == "10003" || code == "10014":
			d.bad("feishu.token", "Feishu gives no tenant token ("+code+"): app_id or app_secret is wrong, or the app lives in the other cloud (feishu or lark).",
				"Copy both from Credentials & Basic Info, and check domain: postern setup feishu "+d.Stack)
		case unreached(code):
			d.bad("feishu.silent", "Feishu's API does not answer ("+code+").", "Try again. If it stays so: does this machine reach open.feishu.cn or open.larksuite.com?")
		default:
			d.bad("feishu.bot", "Feishu knows no bot of this app ("+code+").",
				"In the developer console, Add features, turn the Bot on and publish a version: nothing is in force before.")
		}
		return
	}
	if s.BotOpenID != "" && s.BotOpenID != id {
		d.bad("feishu.other", "The secret's bot_open_id is not this app's bot: mentions of the agent are not seen.",
			"Take bot_open_id out of the secret; it is then looked up: postern setup feishu "+d.Stack)
		return
	}
	if !d.listens(trigger.Feishu, func(a string) bool { return a == s.AppID }) {
		d.bad("feishu.app", "The app is "+s.AppID+", and no Source of the policy listens to it.",
			"Put "+s.AppID+" into the accounts of the Feishu Source and apply the policy; people are named by that app's open ids.")
	}
	for _, b := range d.bindings(trigger.Feishu) {
		if b.account != s.AppID {
			d.bad("policy.account", "Queue "+b.queue+" shows its cards by a Feishu app that is not "+s.AppID+".", "Correct account in the queue's binding and apply the policy.")
		}
	}
	d.ok("feishu", "Feishu gives a token to "+s.AppID+", whose bot is on.")
}
