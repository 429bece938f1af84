package door

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"
)

// link tries the one way in, and that it is as narrow as it says.
func (k *knocker) link(item string) {
	key, err := k.mint(10 * time.Minute)
	if err != nil {
		k.failed("a link cannot be made: %v", err)
		return
	}
	// A look at the link spends nothing: previews look at links (R20).
	for range 2 {
		if a := k.ask(http.MethodGet, "/login?key="+key, nil, ""); a.status != http.StatusOK || a.cookie != "" {
			k.failed("a look at a link answers %d, cookie %q", a.status, a.cookie)
		}
	}
	cookie := k.once(key)
	if cookie == "" {
		return
	}
	k.inside(cookie, item)
	late, err := k.mint(-time.Second)
	if err != nil {
		k.failed("a link cannot be made: %v", err)
		return
	}
	if a := k.spend(late); a.status != http.StatusForbidden || a.cookie != "" {
		k.failed("a link past its time answers %d", a.status)
	}
	if a := k.spend("never-minted"); a.status != http.StatusForbidden || a.cookie != "" {
		k.failed("a link that nobody made answers %d", a.status)
	}
}

// once spends a link many times at once: one gets in.
func (k *knocker) once(key string) string {
	answers := make([]answer, 6)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = k.send(http.MethodPost, "/login", nil, url.Values{"key": {key}}.Encode()) })
	}
	all.Wait()
	k.tries += len(answers)
	cookie, in := "", 0
	for _, a := range answers {
		if a.cookie != "" {
			cookie, in = a.cookie, in+1
		}
	}
	if in != 1 {
		k.failed("one link let %d in: %+v", in, answers)
		return ""
	}
	if a := k.spend(key); a.status != http.StatusForbidden || a.cookie != "" {
		k.failed("a spent link answers %d", a.status)
	}
	k.fixed(cookie)
	return cookie
}

// fixed signs in with a session id that somebody else chose beforehand: the
// sign-in gets one of its own, and the chosen one is worth nothing (session
// fixation).
func (k *knocker) fixed(cookie string) {
	name, _, _ := strings.Cut(cookie, "=")
	chosen := name + "=chosen-by-somebody-else"
	key, err := k.mint(time.Minute)
	if err != nil {
		k.failed("a link cannot be made: %v", err)
		return
	}
	a := k.ask(http.MethodPost, "/login", http.Header{"Cookie": {chosen}}, url.Values{"key": {key}}.Encode())
	if a.cookie == "" || a.cookie == chosen || a.cookie == cookie {
		k.failed("a sign-in with a chosen session id gives the cookie %q", a.cookie)
	}
	if a := k.ask(http.MethodGet, "/inbox", http.Header{"Cookie": {chosen}}, ""); a.status != http.StatusUnauthorized {
		k.failed("a chosen session id answers %d", a.status)
	}
}

func (k *knocker) spend(key string) answer {
	return k.ask(http.MethodPost, "/login", nil, url.Values{"key": {key}}.Encode())
}

// inside looks that the sign-in is one, else the tries outside say nothing, and
// that it ends.
func (k *knocker) inside(cookie, item string) {
	in := http.Header{"Cookie": {cookie}}
	if a := k.ask(http.MethodGet, "/inbox", in, ""); a.status != http.StatusOK || !strings.Contains(a.body, marked) {
		k.failed("somebody signed in does not see the Inbox: %d", a.status)
	}
	if a := k.ask(http.MethodGet, "/v1/items", in, ""); a.status != http.StatusOK || !strings.Contains(a.body, marked) {
		k.failed("somebody signed in does not see the items: %d", a.status)
	}
	k.page(cookie)
	// Without the page's own form token, and from another site, nothing is answered.
	if a := k.ask(http.MethodPost, "/inbox/"+item+"/answer", in, "choice=allow&digest=sha256"); a.status != http.StatusForbidden {
		k.failed("an answer without the form token answers %d", a.status)
	}
	cross := http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}}
	for _, path := range []string{"/inbox/" + item + "/answer", "/v1/items/" + item + "/answer", "/logout"} {
		if a := k.ask(http.MethodPost, path, cross, "choice=allow"); a.status != http.StatusForbidden {
			k.failed("POST %s from another site answers %d", path, a.status)
		}
	}
	name, value, _ := strings.Cut(cookie, "=")
	for _, wrong := range []string{value + "x", strings.ToLower(value) + "0", hash(value), ""} {
		if a := k.ask(http.MethodGet, "/inbox", http.Header{"Cookie": {name + "=" + wrong}}, ""); a.status != http.StatusUnauthorized {
			k.failed("a cookie that was changed answers %d", a.status)
		}
	}
	// The table holds the hash only: who reads it cannot become anybody.
	if b, err := k.Store.Browser(k.ctx, value); err != nil || b != nil {
		k.failed("the table holds a session's own id: %v, %v", b, err)
	}
	if b, err := k.Store.Browser(k.ctx, hash(value)); err != nil || b == nil {
		k.failed("the table does not hold the session's hash: %v", err)
	}
	// A sign-in that its person ended is over, whoever still holds it.
	a := k.ask(http.MethodGet, "/inbox", in, "")
	token := formToken.FindStringSubmatch(a.body)
	if token == nil {
		k.failed("the page has no form token")
		return
	}
	if a := k.ask(http.MethodPost, "/logout", in, url.Values{"form": {token[1]}}.Encode()); a.status != http.StatusOK {
		k.failed("signing out answers %d", a.status)
	}
	for _, path := range []string{"/inbox", "/v1/items"} {
		if a := k.ask(http.MethodGet, path, in, ""); a.status != http.StatusUnauthorized {
			k.failed("GET %s answers %d to somebody who signed out", path, a.status)
		}
	}
}

var formToken = regexp.MustCompile(`name="form" value="([^"]+)"`)

// page looks at what every page of a signed-in person carries.
func (k *knocker) page(cookie string) {
	req, err := http.NewRequestWithContext(k.ctx, http.MethodGet, k.URL+"/inbox", nil)
	if err != nil {
		k.failed("%v", err)
		return
	}
	req.Header.Set("Cookie", cookie)
	resp, err := k.Client.Do(req)
	if err != nil {
		k.failed("%v", err)
		return
	}
	defer resp.Body.Close()
	k.tries++
	csp := resp.Header.Get("Content-Security-Policy")
	if !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") || !strings.Contains(resp.Header.Get("Cache-Control"), "no-store") {
		k.failed("a page has the policy %q and is cached %q", csp, resp.Header.Get("Cache-Control"))
	}
}

type answer struct {
	status int
	body   string
	cookie string // name=value, if one was set
	leads  string // where a redirect goes
}

func (k *knocker) ask(method, path string, h http.Header, body string) answer {
	k.tries++
	return k.send(method, path, h, body)
}

func (k *knocker) send(method, path string, h http.Header, body string) answer {
	req, err := http.NewRequestWithContext(k.ctx, method, k.URL+path, strings.NewReader(body))
	if err != nil {
		return answer{body: err.Error()}
	}
	for name, values := range h {
		req.Header[name] = values
	}
	if strings.HasPrefix(body, "{") {
		req.Header.Set("Content-Type", "application/json")
	} else if body != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	req.Header.Set("Idempotency-Key", "door")
	resp, err := k.Client.Do(req)
	if err != nil {
		return answer{body: err.Error()}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return answer{body: err.Error()}
	}
	a := answer{status: resp.StatusCode, body: string(raw), leads: resp.Header.Get("Location")}
	for _, c := range resp.Cookies() {
		if c.Value != "" {
			a.cookie = c.Name + "=" + c.Value
			if !c.HttpOnly || c.SameSite == http.SameSiteNoneMode || c.Path != "/" || c.Domain != "" {
				k.failed("the cookie is %s", c.Raw)
			}
		}
	}
	return a
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
