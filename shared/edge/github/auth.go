package github

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

// credentials gives the token for a call: the one that was configured, or an
// installation's, which lives an hour and is kept until 5 minutes before.
type credentials struct {
	token string // configured

	app, installation number
	key               *rsa.PrivateKey
	now               func() time.Time

	mu    sync.Mutex
	lent  string
	until time.Time
}

func newCredentials(cfg Secrets, now func() time.Time) (*credentials, error) {
	if err := cfg.outbound(); err != nil {
		return nil, err
	}
	c := &credentials{token: cfg.Token, app: cfg.AppID, installation: cfg.InstallationID, now: now}
	if c.token != "" {
		return c, nil
	}
	var err error
	c.key, err = parseKey(cfg.PrivateKey)
	return c, err
}

// parseKey reads an App's key. Line breaks that were written as \n are taken.
func parseKey(s string) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode([]byte(strings.ReplaceAll(s, `\n`, "\n")))
	if block == nil {
		return nil, errors.New(`github: "private_key" is not the PEM file that GitHub gave for the App`)
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	if any, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		if key, ok := any.(*rsa.PrivateKey); ok {
			return key, nil
		}
	}
	return nil, errors.New(`github: "private_key" is not an RSA key`)
}

// isApp reports whether we act as an App.
func (c *credentials) isApp() bool { return c.key != nil }

// jwt is the App's own proof, good for 9 minutes. It begins a minute ago, as
// GitHub's clock may be behind ours.
func (c *credentials) jwt() (string, error) {
	now := c.now()
	claims, err := json.Marshal(map[string]any{
		"iat": now.Add(-time.Minute).Unix(), "exp": now.Add(9 * time.Minute).Unix(), "iss": c.app.String(),
	})
	if err != nil {
		return "", err
	}
	b64 := base64.RawURLEncoding
	text := b64.EncodeToString([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + b64.EncodeToString(claims)
	digest := sha256.Sum256([]byte(text))
	sig, err := rsa.SignPKCS1v15(nil, c.key, crypto.SHA256, digest[:])
	if err != nil {
		return "", errors.New("github: the App's key cannot sign")
	}
	return text + "." + b64.EncodeToString(sig), nil
}

// installationToken is the token in force. Calls that come while one is asked
// for wait for it.
func (c *credentials) installationToken(ctx context.Context, api *Client) (string, error) {
	if !c.isApp() {
		return c.token, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lent != "" && c.now().Before(c.until.Add(-5*time.Minute)) {
		return c.lent, nil
	}
	var got struct {
		Token   string    `json:"token"`
		Expires time.Time `json:"expires_at"`
	}
	err := api.call(ctx, asApp, http.MethodPost, "/app/installations/"+c.installation.String()+"/access_tokens", nil, &got)
	if err != nil {
		return "", err
	}
	if got.Token == "" {
		return "", failure("unreadable", false, errors.New("no token in the answer"))
	}
	c.lent, c.until = got.Token, got.Expires
	return c.lent, nil
}

// reject forgets a token that GitHub refused, if it is still the one in force
// (B41). It reports whether asking again can help.
func (c *credentials) reject(token string) bool {
	if !c.isApp() {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lent == token {
		c.lent = ""
	}
	return true
}
