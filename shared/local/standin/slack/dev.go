package slack

import edge "github.com/postern-dev/postern/shared/edge/slack"

// DevSecrets are the secrets of the played app. They protect nothing.
func DevSecrets() edge.Secrets {
	return edge.Secrets{SigningSecret: "dev-slack-signing-secret", BotToken: "xoxb-dev"}
}

// DevConfig is the workspace of development, tests and the demo.
func DevConfig() Config {
	return Config{
		Team: "T0DEV", TeamName: "Development", App: "A0DEV", BotUser: "U0AGENT", BotID: "B0AGENT",
		BotToken: DevSecrets().BotToken, SigningSecret: DevSecrets().SigningSecret,
		Scopes:   "app_mentions:read,channels:history,chat:write,groups:history,im:history,mpim:history",
		Channels: map[string]string{"C0OPS": "ops", "C0APPROVALS": "approvals", "D0ADA": "ada", "D0BOB": "bob", "D0MALLORY": "mallory"},
		People:   map[string]Person{"U0ADA": {Name: "ada"}, "U0BOB": {Name: "bob"}, "U0MALLORY": {Name: "mallory"}},
	}
}
