package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Secrets is the JSON of this platform's one secret (C4, D3). A token, or an
// App with its installation and private key, is what goes out; the webhook
// secret is what comes in.
type Secrets struct {
	WebhookSecret string `json:"webhook_secret"`
	// WebhookSecretPrevious is accepted as well while the secret is rotated.
	WebhookSecretPrevious string `json:"webhook_secret_previous,omitempty"`
	// Slug is the App's slug, or the login of the machine user: what people
	// write behind the @, and how our own comments are known.
	Slug string `json:"slug"`

	Token string `json:"token,omitempty"`

	AppID          number `json:"app_id,omitempty"`
	InstallationID number `json:"installation_id,omitempty"`
	PrivateKey     string `json:"private_key,omitempty"` // PEM, PKCS #1 or #8
}

// ParseSecrets reads the secret's JSON. The error names no value.
func ParseSecrets(b []byte) (Secrets, error) {
	var s Secrets
	if err := json.Unmarshal(b, &s); err != nil {
		return Secrets{}, errors.New("github: the secret is not the JSON object that is expected: " +
			`{"webhook_secret","slug","token"} or {"webhook_secret","slug","app_id","installation_id","private_key"}`)
	}
	return s, nil
}

// inbound says what is missing for receiving (Q8).
func (s Secrets) inbound() error {
	if strings.TrimSpace(s.WebhookSecret) == "" {
		return errors.New(`github: set "webhook_secret" in the GitHub secret to the secret of the App's webhook`)
	}
	if !isLogin(s.Slug) {
		return errors.New(`github: set "slug" in the GitHub secret to the App's slug (the name behind github.com/apps/), or to the machine user's login`)
	}
	return nil
}

// outbound says what is missing for sending (Q8).
func (s Secrets) outbound() error {
	switch {
	case s.Token != "":
		return nil
	case s.AppID == 0 && s.InstallationID == 0 && s.PrivateKey == "":
		return errors.New(`github: set "token", or "app_id", "installation_id" and "private_key", in the GitHub secret`)
	case s.AppID <= 0 || s.InstallationID <= 0 || s.PrivateKey == "":
		return errors.New(`github: an App needs all of "app_id", "installation_id" and "private_key" in the GitHub secret`)
	}
	return nil
}

// String keeps the values out of a log that prints the struct by mistake.
func (s Secrets) String() string { return fmt.Sprintf("github.Secrets{slug: %q, ...}", s.Slug) }

// GoString is String, for %#v.
func (s Secrets) GoString() string { return s.String() }
