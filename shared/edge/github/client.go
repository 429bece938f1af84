package github

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// API is the base URL of github.com's REST API.
const API = "https://api.github.com"

// maxAnswer is the most bytes of an answer that are read.
const maxAnswer = 16 << 20

// Client writes comments and reads issues. Its errors are *delivery.SendError.
// It repeats no call but one that was refused for an outdated token; retrying
// is deliver's, with the same key. It may be used by many goroutines.
type Client struct {
	http    *http.Client
	base    string
	secrets []string // that markers are made with: the present one first
	cred    *credentials
	now     func() time.Time

	mu     sync.Mutex
	logins map[string]string // numeric id -> login
}

// NewClient makes a Client, or says what is missing in the secret (Q8). base
// is API, or the address of an Enterprise Server's API or of a stand-in. hc
// must have a time-out.
func NewClient(cfg Secrets, base string, hc *http.Client, now func() time.Time) (*Client, error) {
	if err := cfg.inbound(); err != nil {
		return nil, err
	}
	cred, err := newCredentials(cfg, now)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("github: the address of the API is not an http(s) address")
	}
	c := &Client{http: hc, base: strings.TrimRight(base, "/"), secrets: []string{cfg.WebhookSecret}, cred: cred, now: now, logins: map[string]string{}}
	if cfg.WebhookSecretPrevious != "" {
		c.secrets = append(c.secrets, cfg.WebhookSecretPrevious)
	}
	return c, nil
}

// identity is in whose name a call is made.
type identity int

const (
	asInstallation identity = iota // or by the configured token
	asApp                          // the App itself, by its key
)

// call makes one call and reads the answer's JSON into out, if that is not nil.
func (c *Client) call(ctx context.Context, as identity, method, path string, in, out any) error {
	_, err := c.callFor(ctx, as, method, path, in, out)
	return err
}

// callFor is call, and gives the headers of the answer.
func (c *Client) callFor(ctx context.Context, as identity, method, path string, in, out any) (http.Header, error) {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return nil, failure("unreadable", true, err)
		}
	}
	for again := true; ; again = false {
		token, err := c.tokenFor(ctx, as)
		if err != nil {
			return nil, err
		}
		resp, raw, err := c.send(ctx, method, path, token, body)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode == http.StatusUnauthorized && again && as == asInstallation && c.cred.reject(token) {
			continue
		}
		if resp.StatusCode < 200 || resp.StatusCode > 299 {
			return nil, c.refusal(resp, raw)
		}
		if out != nil && json.Unmarshal(raw, out) != nil {
			return nil, failure("unreadable", false, errors.New("the answer is not the JSON that was expected"))
		}
		return resp.Header, nil
	}
}

func (c *Client) tokenFor(ctx context.Context, as identity) (string, error) {
	if as == asInstallation {
		return c.cred.installationToken(ctx, c)
	}
	if !c.cred.isApp() {
		return "", failure("not_an_app", true, nil)
	}
	return c.cred.jwt()
}

func (c *Client) send(ctx context.Context, method, path, token string, body []byte) (*http.Response, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, failure("unreadable", true, errors.New("no request can be made of the address"))
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	req.Header.Set("User-Agent", "postern")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, nil, unreachable(ctx, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, nil, unreachable(ctx, err)
	}
	return resp, raw, nil
}

// next is the path behind rel="next" of a Link header, empty at the last page.
// A link to another host is not followed.
func (c *Client) next(h http.Header) string {
	for _, l := range strings.Split(h.Get("Link"), ",") {
		addr, rel, _ := strings.Cut(l, ";")
		if strings.Contains(rel, `rel="next"`) {
			addr = strings.Trim(strings.TrimSpace(addr), "<>")
			if path, ok := strings.CutPrefix(addr, c.base); ok && strings.HasPrefix(path, "/") {
				return path
			}
		}
	}
	return ""
}

// login is the name behind a person's numeric id, and empty if it cannot be
// had: a card is not held up by a mention.
func (c *Client) login(ctx context.Context, id string) string {
	if _, err := strconv.ParseInt(id, 10, 64); err != nil {
		return ""
	}
	c.mu.Lock()
	name := c.logins[id]
	c.mu.Unlock()
	if name != "" {
		return name
	}
	var got struct {
		Login string `json:"login"`
	}
	if c.call(ctx, asInstallation, http.MethodGet, "/user/"+id, nil, &got) != nil || !isLogin(got.Login) {
		return ""
	}
	c.mu.Lock()
	c.logins[id] = got.Login
	c.mu.Unlock()
	return got.Login
}
