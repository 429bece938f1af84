package feishu

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

// Secrets is what one self-built app is known by: the content of its secret,
// as JSON.
type Secrets struct {
	AppID             string `json:"app_id"`
	AppSecret         string `json:"app_secret"`
	EncryptKey        string `json:"encrypt_key"`
	VerificationToken string `json:"verification_token"`
	// BotOpenID is the bot's own open_id. It may be empty: the Client then asks
	// bot/v3/info once, and until it is known no message counts as a mention.
	BotOpenID string `json:"bot_open_id,omitempty"`
	// Domain is "feishu" (also when empty), "lark", or the address of the open
	// platform's API.
	Domain string `json:"domain,omitempty"`

	// The values before a rotation, accepted beside the new ones while both are
	// set here.
	EncryptKeyBefore        string `json:"encrypt_key_before,omitempty"`
	VerificationTokenBefore string `json:"verification_token_before,omitempty"`
}

// ParseSecrets reads the JSON of a secret. Its error never holds the content.
func ParseSecrets(b []byte) (Secrets, error) {
	var s Secrets
	if err := json.Unmarshal(b, &s); err != nil {
		return Secrets{}, errors.New("feishu: the secret is not a JSON object of strings; " +
			`expected {"app_id", "app_secret", "encrypt_key", "verification_token"}`)
	}
	return s, nil
}

// inbound says what is missing to receive, Q8: no Encrypt Key, no receiver,
// since without it a delivery carries no signature at all.
func (s Secrets) inbound() error {
	return missing(
		"app_id", s.AppID, "App ID, on Credentials & Basic Info",
		"encrypt_key", s.EncryptKey, "Encrypt Key, on Events & Callbacks, Encryption Strategy",
		"verification_token", s.VerificationToken, "Verification Token, on Events & Callbacks, Encryption Strategy",
	)
}

// outbound says what is missing to send.
func (s Secrets) outbound() error {
	return missing(
		"app_id", s.AppID, "App ID, on Credentials & Basic Info",
		"app_secret", s.AppSecret, "App Secret, on Credentials & Basic Info",
	)
}

// missing takes triples of key, value, and where the console shows it.
func missing(triples ...string) error {
	var lack []string
	for i := 0; i+2 < len(triples); i += 3 {
		if strings.TrimSpace(triples[i+1]) == "" {
			lack = append(lack, fmt.Sprintf("%s (%s)", triples[i], triples[i+2]))
		}
	}
	if lack == nil {
		return nil
	}
	return fmt.Errorf("feishu: the app's secret lacks %s", strings.Join(lack, ", "))
}

// BaseURL is the address of the open platform's API for the app's cloud:
// Feishu and Lark are two clouds with two sets of apps.
func (s Secrets) BaseURL() (string, error) {
	switch d := strings.TrimSuffix(strings.TrimSpace(s.Domain), "/"); {
	case d == "" || d == "feishu":
		return "https://open.feishu.cn", nil
	case d == "lark":
		return "https://open.larksuite.com", nil
	case strings.HasPrefix(d, "https://"), strings.HasPrefix(d, "http://"):
		return d, nil
	default:
		return "", errors.New(`feishu: domain must be "feishu", "lark" or an address that starts with https://`)
	}
}

// String names the app and nothing else, so that a printed Secrets tells nothing.
func (s Secrets) String() string { return "feishu secrets of " + s.AppID }

// GoString is String, for %#v.
func (s Secrets) GoString() string { return s.String() }

// LogValue is String, for slog.
func (s Secrets) LogValue() slog.Value { return slog.StringValue(s.String()) }
