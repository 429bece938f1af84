// Package web fetches public pages for agents, as plain text.
//
// It must never reach what only this machine or network can reach: addresses
// are judged when the connection is made, after names are resolved, so neither
// a redirect nor a name that changes its mind leads inside. It sends no
// cookies, credentials or bodies, and does nothing but GET. What it returns is
// a stranger's text.
package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Limits of one fetch.
const (
	MaxPage      = 4 << 20   // bytes of a page that are read, unpacked
	MaxText      = 100 << 10 // bytes of text that are returned
	MaxRedirects = 5
	Timeout      = 25 * time.Second // for everything, redirects included
)

// Fetcher fetches. It holds no state but idle connections, and may be used by
// many goroutines.
type Fetcher struct {
	client *http.Client
	dialer *net.Dialer
	allow  []netip.Prefix
}

// New makes a Fetcher. allow lists addresses that may be reached although they
// are not public: for tests and development, empty in a deployment.
func New(allow ...netip.Prefix) *Fetcher {
	f := &Fetcher{allow: allow}
	f.dialer = &net.Dialer{Timeout: 10 * time.Second, Control: f.control}
	f.client = &http.Client{
		Timeout:       Timeout,
		CheckRedirect: redirect,
		Transport: &http.Transport{
			// No proxy: it would connect for us, to wherever it likes.
			DialContext:            f.dialer.DialContext,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    10 * time.Second,
			ResponseHeaderTimeout:  15 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
			MaxIdleConns:           10,
			IdleConnTimeout:        30 * time.Second,
		},
	}
	return f
}

// Fetch is the tool web_fetch {url}. The text begins with the address that
// answered and the page's title. A fetch changes nothing, so the key is not
// used. An error says what was wrong, without the address, which may hold a
// secret.
func (f *Fetcher) Fetch(ctx context.Context, args json.RawMessage, _ string) (string, error) {
	text, err := f.fetch(ctx, args)
	if err != nil {
		return "", fmt.Errorf("web_fetch: %w", err)
	}
	return text, nil
}

func (f *Fetcher) fetch(ctx context.Context, args json.RawMessage) (string, error) {
	address, err := argument(args)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", errors.New("the address cannot be read")
	}
	if err := check(u); err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", errors.New("the address cannot be read")
	}
	req.Header.Set("User-Agent", "postern")
	req.Header.Set("Accept", "text/html, text/plain, application/json, text/*;q=0.9, application/xml;q=0.9")
	resp, err := f.client.Do(req)
	if err != nil {
		return "", bare(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return "", fmt.Errorf("the server answered %d", resp.StatusCode)
	}
	return read(resp)
}

// argument reads {url}, and refuses anything beside it: what was judged and
// shown is all there is.
func argument(args json.RawMessage) (string, error) {
	var in map[string]string
	if err := json.Unmarshal(args, &in); err != nil || len(in) != 1 || in["url"] == "" {
		return "", errors.New(`the arguments must be {"url": "https://..."}`)
	}
	if len(in["url"]) > 4000 {
		return "", errors.New("the address is over 4,000 bytes")
	}
	return in["url"], nil
}

// redirect judges each further address as the first.
func redirect(req *http.Request, via []*http.Request) error {
	if len(via) > MaxRedirects {
		return errors.New("too many redirects")
	}
	return check(req.URL)
}

// bare is an error of the client without the address in front of it.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var refused *refusedAddress
	var dns *net.DNSError
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &dns):
		return errors.New("the name of the server cannot be resolved")
	case errors.Is(err, context.DeadlineExceeded) || timedOut(err):
		return errors.New("the server did not answer in time")
	case errors.Is(err, context.Canceled):
		return err
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return errors.New("the server cannot be reached")
	}
	return err
}

func timedOut(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// read turns an answer into text.
func read(resp *http.Response) (string, error) {
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	html := slices.Contains([]string{"", "text/html", "application/xhtml+xml"}, kind)
	if !html && !isText(kind) {
		return "", errors.New("the page is not text")
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, MaxPage+1))
	if err != nil {
		return "", bare(err)
	}
	whole := len(raw) <= MaxPage
	raw = raw[:min(len(raw), MaxPage)]
	page := Page{Text: decode(raw, resp.Header.Get("Content-Type"))}
	if html {
		page = Text(page.Text, resp.Request.URL)
	}
	return page.write(resp.Request.URL, whole), nil
}

func isText(kind string) bool {
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") ||
		slices.Contains([]string{"application/json", "application/xml", "application/yaml", "application/x-yaml", "application/toml", "application/javascript", "application/x-ndjson"}, kind)
}
