package setup

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/postern-dev/postern/infra"
	"github.com/postern-dev/postern/shared/edge/feishu"
	"github.com/postern-dev/postern/shared/edge/github"
	"github.com/postern-dev/postern/shared/edge/slack"
)

// Key is one key of a connector's secret and how it is asked for.
type Key struct {
	Name   string
	Ask    string // the question, with where the value is found
	Hidden bool   // it is not shown while it is typed
	File   bool   // the answer is a path, and the file's content the value
	Made   bool   // an empty answer makes one
	Need   bool   // the secret is not complete without it
	// When says whether it belongs to the secret that the other answers make;
	// nil: always. One that does not is neither asked for nor kept.
	When func(map[string]string) bool
	// Before is the key that keeps the value before this one, which is
	// accepted beside it while it is rotated (D3).
	Before string
}

// Connector is what setup knows of one connector.
type Connector struct {
	Name, Title string
	Parameter   string // of the stack: its secret's address
	Keys        []Key
	// First says what to do before the answers can be known, for a deployment
	// at an address.
	First func(url string) string
	// Then says what is left to do.
	Then  func(url string) string
	check func(raw []byte) error
}

// Connectors by name.
var Connectors = map[string]Connector{
	"slack": {
		Name: "slack", Title: "Slack", Parameter: "SlackSecretArn",
		First: func(url string) string {
			return "Slack: at https://api.slack.com/apps?new_app=1 choose \"From a manifest\" and paste this. Slack says that\n" +
				"it cannot verify the address yet; that is as it should be. Then install the app to the workspace.\n\n" + infra.SlackManifest(url)
		},
		Then: func(url string) string {
			return "In the app's settings, Event Subscriptions, press Retry beside the Request URL: Slack now finds the address\nverified. Invite the bot to the channels that the policy names: /invite @agent"
		},
		Keys: []Key{
			{Name: "signing_secret", Ask: "Signing Secret (Basic Information, App Credentials)", Hidden: true, Need: true, Before: "signing_secret_previous"},
			{Name: "bot_token", Ask: "Bot User OAuth Token, xoxb-... (OAuth & Permissions)", Hidden: true, Need: true},
		},
		check: func(raw []byte) error {
			s, err := slack.ParseSecrets(raw)
			_, receives := slack.NewReceiver(s, make([]byte, 16), time.Now)
			_, sends := slack.NewClient(s, "", http.DefaultClient)
			return errors.Join(err, receives, sends)
		},
	},
	"feishu": {
		Name: "feishu", Title: "Feishu or Lark", Parameter: "FeishuSecretArn",
		First: infra.FeishuChecklist,
		Then: func(url string) string {
			return "Now steps 6 and 7: both addresses, each on its own page, are " + url + "/hooks/feishu; then publish a version."
		},
		Keys: []Key{
			{Name: "domain", Ask: "feishu or lark"},
			{Name: "app_id", Ask: "App ID, cli_... (Credentials & Basic Info)", Need: true},
			{Name: "app_secret", Ask: "App Secret (the same page)", Hidden: true, Need: true},
			{Name: "encrypt_key", Ask: "Encrypt Key (Events & Callbacks, Encryption Strategy)", Hidden: true, Need: true, Before: "encrypt_key_before"},
			{Name: "verification_token", Ask: "Verification Token (the same page)", Hidden: true, Need: true, Before: "verification_token_before"},
		},
		check: func(raw []byte) error {
			s, err := feishu.ParseSecrets(raw)
			_, receives := feishu.NewReceiver(s, make([]byte, 16), time.Now)
			_, sends := feishu.NewClient(s, "", http.DefaultClient, time.Now)
			return errors.Join(err, receives, sends)
		},
	},
	"github": {
		Name: "github", Title: "GitHub", Parameter: "GithubSecretArn",
		First: func(url string) string {
			return "GitHub: open this link as the owner of the account or, with /organizations/ORG before /settings, of the\n" +
				"organisation. Type the webhook's secret into the form (an empty answer below makes one), make the App,\n" +
				"generate a private key at the bottom of its page, and install it on the repositories.\n\n" +
				github.AppLink("", "postern-agent", url, url+"/hooks/github")
		},
		Then: func(string) string {
			return "Delete the file of the private key: it is stored now. The App's webhook secret has to be the one that was stored."
		},
		Keys: []Key{
			{Name: "webhook_secret", Ask: "the webhook's secret, as in the App's form", Hidden: true, Made: true, Need: true, Before: "webhook_secret_previous"},
			{Name: "slug", Ask: "the App's slug, as in github.com/apps/SLUG; with a token its account's login", Need: true},
			{Name: "app_id", Ask: "App ID (empty: by a token instead)"},
			{Name: "installation_id", Ask: "Installation ID (the end of the installation's address)", Need: true, When: byApp},
			{Name: "private_key", Ask: "file of the App's private key (.pem)", File: true, Need: true, When: byApp},
			{Name: "token", Ask: "token", Hidden: true, Need: true, When: byToken},
		},
		check: func(raw []byte) error {
			s, err := github.ParseSecrets(raw)
			_, receives := github.NewReceiver(s, nil, time.Now)
			_, sends := github.NewClient(s, github.API, http.DefaultClient, time.Now)
			return errors.Join(err, receives, sends)
		},
	},
	"model": {
		Name: "model", Title: "Model", Parameter: "ModelSecretArn",
		First: func(string) string { return "" },
		Then:  func(string) string { return "" },
		Keys: []Key{
			{Name: "api_key", Ask: "the provider's API key", Hidden: true, Need: true},
			{Name: "base_url", Ask: "base URL (empty: the provider's own)"},
		},
		check: func(raw []byte) error {
			var v map[string]string
			if err := json.Unmarshal(raw, &v); err != nil || v["api_key"] == "" {
				return errors.New("model: api_key is empty")
			}
			return nil
		},
	},
}

// Names lists the connectors in the order they are asked for.
var Names = []string{"slack", "feishu", "github", "model"}

func byApp(v map[string]string) bool   { return strings.TrimSpace(v["app_id"]) != "" }
func byToken(v map[string]string) bool { return !byApp(v) }
