package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Panel is a person's browser, signed in.
type Panel struct {
	url    string
	origin string
	client *http.Client
}

// Browser opens a one-time link as a browser does: the page, then its button.
func (t Target) Browser(ctx context.Context) (*Panel, error) {
	key, err := t.SignIn(ctx)
	if err != nil {
		return nil, fmt.Errorf("sign-in link: %w", err)
	}
	p, a, err := t.follow(ctx, key)
	if err != nil {
		return nil, err
	}
	if a.status != http.StatusOK || !strings.Contains(a.body, "Inbox") {
		return nil, fmt.Errorf("sign-in was answered %d", a.status)
	}
	return p, nil
}

// page is how the panel answered a browser, at the end of its redirects.
type page struct {
	status int
	body   string
}

// follow spends a sign-in link's key in a fresh browser, and gives what it
// shows then.
func (t Target) follow(ctx context.Context, key string) (*Panel, page, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, page{}, err
	}
	p := &Panel{url: t.URL, origin: t.URL, client: &http.Client{Jar: jar, Timeout: 30 * time.Second, Transport: t.Client.Transport}}
	if t.Origin != "" {
		p.origin = t.Origin
	}
	status, body, err := p.post(ctx, "/login", url.Values{"key": {key}})
	return p, page{status, body}, err
}

// Form is an item's form as its page shows it.
type Form struct {
	item   string
	values url.Values
}

// Answered is how the panel answered an answer.
type Answered struct {
	Status int
	Words  string
}

var (
	hidden = regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]*)"`)
	said   = regexp.MustCompile(`role="status">([^<]*)<`)
	rowOf  = regexp.MustCompile(`href="/inbox/([a-z0-9]+)"`)
)

// Open reads an item's page.
func (p *Panel) Open(ctx context.Context, item string) (Form, error) {
	status, body, err := p.get(ctx, "/inbox/"+item)
	if err != nil {
		return Form{}, err
	}
	at := strings.Index(body, `class="answer"`)
	if status != http.StatusOK || at < 0 {
		return Form{}, fmt.Errorf("the page of item %s was answered %d and has no form", item, status)
	}
	f := Form{item: item, values: url.Values{}}
	for _, m := range hidden.FindAllStringSubmatch(body[at:], -1) {
		f.values.Set(m[1], m[2])
	}
	return f, nil
}

// Answer submits an item's form.
func (p *Panel) Answer(ctx context.Context, f Form, choice string) (Answered, error) {
	v := url.Values{"choice": {choice}}
	for k := range f.values {
		v.Set(k, f.values.Get(k))
	}
	status, body, err := p.post(ctx, "/inbox/"+f.item+"/answer", v)
	if err != nil {
		return Answered{}, err
	}
	a := Answered{Status: status}
	if m := said.FindStringSubmatch(body); m != nil {
		a.Words = m[1]
	}
	return a, nil
}

// Find looks for a waiting item by its title.
func (p *Panel) Find(ctx context.Context, title string) (string, bool) {
	_, body, err := p.get(ctx, "/inbox")
	if err != nil {
		return "", false
	}
	at := strings.Index(body, title)
	if at < 0 {
		return "", false
	}
	rows := rowOf.FindAllStringSubmatch(body[:at], -1)
	if len(rows) == 0 {
		return "", false
	}
	return rows[len(rows)-1][1], true
}

func (p *Panel) get(ctx context.Context, path string) (int, string, error) {
	return p.send(ctx, http.MethodGet, path, nil)
}

func (p *Panel) post(ctx context.Context, path string, v url.Values) (int, string, error) {
	return p.send(ctx, http.MethodPost, path, v)
}

func (p *Panel) send(ctx context.Context, method, path string, v url.Values) (int, string, error) {
	req, err := http.NewRequestWithContext(ctx, method, p.url+path, strings.NewReader(v.Encode()))
	if err != nil {
		return 0, "", err
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", p.origin)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return 0, "", err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 4<<20))
	return resp.StatusCode, string(body), errors.Join(err, resp.Body.Close())
}
