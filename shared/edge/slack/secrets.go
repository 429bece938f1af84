package slack

import (
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
)

// Secrets are what one Slack app needs, as the secret store holds them.
type Secrets struct {
	SigningSecret string `json:"signing_secret"`
	// SigningSecretPrevious is accepted as well while the secret is rotated.
	SigningSecretPrevious string `json:"signing_secret_previous,omitempty"`
	BotToken              string `json:"bot_token"`
}

const minLinkKey = 16

var errLinkKey = errors.New("slack: the key that signs buttons is missing or shorter than 16 bytes: set the deployment's link key")

// ParseSecrets reads the stored JSON. The error never repeats any of it.
func ParseSecrets(raw []byte) (Secrets, error) {
	var s Secrets
	if err := json.Unmarshal(raw, &s); err != nil {
		return Secrets{}, errors.New(`slack: the secret is not JSON of the form {"signing_secret":"...","bot_token":"xoxb-..."}`)
	}
	return s, nil
}

// signing refuses a secret that is missing, or that has white space around it,
// which is always a slip of pasting and would make every signature fail.
func (s Secrets) signing() error {
	switch {
	case strings.TrimSpace(s.SigningSecret) == "":
		return errors.New("slack: signing_secret is empty: set it from the app's Basic Information page, under App Credentials")
	case padded(s.SigningSecret):
		return errors.New("slack: signing_secret has white space around it: set it without")
	case padded(s.SigningSecretPrevious):
		return errors.New("slack: signing_secret_previous has white space around it: set it without, or leave it out")
	}
	return nil
}

func (s Secrets) token() error {
	switch {
	case strings.TrimSpace(s.BotToken) == "":
		return errors.New("slack: bot_token is empty: set the Bot User OAuth Token (xoxb-...) from the app's OAuth & Permissions page")
	case padded(s.BotToken):
		return errors.New("slack: bot_token has white space around it: set it without")
	}
	return nil
}

func padded(s string) bool { return strings.TrimSpace(s) != s }

// String hides the secrets, so that none is printed by mistake.
func (s Secrets) String() string { return "slack.Secrets(hidden)" }

// GoString hides the secrets.
func (s Secrets) GoString() string { return s.String() }

// LogValue hides the secrets.
func (s Secrets) LogValue() slog.Value { return slog.StringValue(s.String()) }
