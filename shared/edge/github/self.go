package github

import (
	"context"
	"net/http"
)

// What follows is for `doctor` (U4): it looks and changes nothing.

// IsApp reports whether the secret holds an App's key, and not a token.
func (c *Client) IsApp() bool { return c.cred.isApp() }

// App is an App as GitHub has it.
type App struct {
	Slug        string            `json:"slug"`
	Permissions map[string]string `json:"permissions"`
	Events      []string          `json:"events"`
}

// App asks GitHub about the App, by its own key.
func (c *Client) App(ctx context.Context) (a App, err error) {
	return a, c.call(ctx, asApp, http.MethodGet, "/app", nil, &a)
}

// AppHook is where and how GitHub delivers an App's events.
type AppHook struct {
	URL         string `json:"url"`
	ContentType string `json:"content_type"` // json or form
}

// AppHook asks for the App's webhook. GitHub says nothing of its secret.
func (c *Client) AppHook(ctx context.Context) (h AppHook, err error) {
	return h, c.call(ctx, asApp, http.MethodGet, "/app/hook/config", nil, &h)
}

// Installation is what an account's owner granted the App.
type Installation struct {
	Permissions map[string]string `json:"permissions"`
	Suspended   *string           `json:"suspended_at"` // nil: it is in force
}

// Installation asks for the configured installation.
func (c *Client) Installation(ctx context.Context) (i Installation, err error) {
	return i, c.call(ctx, asApp, http.MethodGet, "/app/installations/"+c.cred.installation.String(), nil, &i)
}

// Login is whose the configured token is.
func (c *Client) Login(ctx context.Context) (string, error) {
	var u struct {
		Login string `json:"login"`
	}
	err := c.call(ctx, asInstallation, http.MethodGet, "/user", nil, &u)
	return u.Login, err
}

// Sees asks whether a repository, owner/name, can be read.
func (c *Client) Sees(ctx context.Context, repo string) error {
	name, ok := fullName(repo)
	if !ok {
		return failure("no_place", true, nil)
	}
	return c.call(ctx, asInstallation, http.MethodGet, "/repos/"+name, nil, nil)
}
