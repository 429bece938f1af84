package panel_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/flow/panel"
	"github.com/postern-dev/postern/shared/store"
)

func (h *house) link(lasts time.Duration) string {
	h.t.Helper()
	key := h.id()
	h.do(store.NewLogin(panel.NewLogin(key, "panel:ada", "ada", panel.Approver, h.now.Add(lasts))))
	return key
}

// A link is spent by its button, once, and never by looking at it (U8, R20).
func TestU8_LinkIsSpentOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	key := h.link(time.Minute)
	before := h.changes()
	for range 3 {
		(&browser{house: h}).get("/login?key="+key).want(t, 200, `method="post"`, key)
	}
	if h.changes() != before {
		t.Fatal("looking at a link wrote something")
	}
	b := &browser{house: h}
	b.send("POST", "/login", url.Values{"key": {key}}, nil).want(t, 303)
	b.get("/inbox").want(t, 200, "ada")
	(&browser{house: h}).send("POST", "/login", url.Values{"key": {key}}, nil).want(t, 403, "This link is spent")
	audit, err := h.store.AuditOf(context.Background(), "people", h.now, h.now)
	if err != nil || len(audit) != 1 || audit[0].What != "login" || audit[0].Actor.Ref() != "panel:ada" {
		t.Fatalf("audit of the sign-in: %+v, %v", audit, err)
	}
}

func TestU8_LinkRunsOut(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	key := h.link(time.Minute)
	h.now = h.now.Add(time.Minute)
	b := &browser{house: h}
	b.send("POST", "/login", url.Values{"key": {key}}, nil).want(t, 403, "This link is spent")
	b.send("POST", "/login", url.Values{"key": {"nonsense"}}, nil).want(t, 403, "This link is spent")
	b.send("POST", "/login", url.Values{}, nil).want(t, 403, "This link is spent")
	if b.cookie != "" {
		t.Fatal("a spent link gave a cookie")
	}
}

// A card's own link leads to its item (I22).
func TestI22_LinkLeadsToItsItem(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	l := panel.NewLogin("k", "panel:ada", "ada", panel.Approver, h.now.Add(time.Minute))
	l.Item = "abc"
	h.do(store.NewLogin(l))
	a := (&browser{house: h}).send("POST", "/login", url.Values{"key": {"k"}}, nil)
	if a.want(t, 303); a.Header().Get("Location") != "/inbox/abc" {
		t.Fatal("leads to", a.Header().Get("Location"))
	}
}

func TestU8_Cookie(t *testing.T) {
	t.Parallel()
	for _, insecure := range []bool{false, true} {
		h := newHouse(t)
		h.panel.Insecure = insecure
		a := (&browser{house: h}).send("POST", "/login", url.Values{"key": {h.link(time.Minute)}}, nil)
		c := a.Result().Cookies()[0]
		name := "__Host-postern"
		if insecure {
			name = "postern"
		}
		if c.Name != name || c.Secure == insecure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
			t.Errorf("insecure %v: cookie %s", insecure, a.Header().Get("Set-Cookie"))
		}
	}
}

// Nobody sees a page without a sign-in that holds now (U8).
func TestU8_NobodyWithoutSignIn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	in := h.person("panel:ada", panel.Approver)
	in.get("/inbox")
	stolen, form := in.cookie, in.form
	in.send("POST", "/logout", url.Values{"form": {form}}, nil).want(t, 200, "Signed out")
	old := h.person("panel:ada", panel.Approver)
	old.get("/inbox").want(t, 200)
	h.now = h.now.Add(12 * time.Hour)
	for who, b := range map[string]*browser{"nobody": {house: h}, "signed out": {house: h, cookie: stolen},
		"too long ago": old, "made up": {house: h, cookie: "__Host-postern=guess"}, "other name": {house: h, cookie: strings.Replace(stolen, "__Host-", "", 1)}} {
		for _, path := range []string{"/inbox", "/inbox/abc", "/sessions", "/sessions/s1", "/decisions"} {
			a := b.get(path)
			if a.Code != 401 || !strings.Contains(a.text, "Sign in first") {
				t.Errorf("%s at %s: %d", who, path, a.Code)
			}
		}
		for _, path := range []string{"/inbox/abc/answer", "/logout"} {
			b.send("POST", path, url.Values{"form": {form}}, nil).want(t, 401)
		}
	}
}

// SignedIn lets pages beside the panel stand behind the same door.
func TestU8_PagesBeside(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	got := ""
	owner, ada := h.person("panel:owner", panel.Owner), h.person("panel:ada", panel.Approver)
	owner.get("/inbox")
	h.h = h.panel.SignedIn(panel.Owner, func(w http.ResponseWriter, r *http.Request, b store.Browser) { got += b.Person + " " })
	(&browser{house: h}).get("/x").want(t, 401)
	ada.get("/x").want(t, 404)
	owner.send("POST", "/x", url.Values{"form": {"guess"}}, nil).want(t, 403)
	owner.send("POST", "/x", url.Values{"form": {owner.form}}, http.Header{"Sec-Fetch-Site": {"cross-site"}}).want(t, 403)
	if got != "" {
		t.Fatal("let through:", got)
	}
	owner.get("/x").want(t, 200)
	owner.send("POST", "/x", url.Values{"form": {owner.form}}, nil).want(t, 200)
	if got != "panel:owner panel:owner " {
		t.Fatal("let through:", got)
	}
}
