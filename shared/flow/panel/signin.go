package panel

import (
	"crypto/subtle"
	"net/http"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/flow/api"
	"github.com/postern-dev/postern/shared/store"
)

// signInLasts is how long a sign-in lasts at most.
const signInLasts = 12 * time.Hour

// NewLogin makes a one-time sign-in link's secret and row (U8). The link is
// the panel's address with /login?key=SECRET.
func NewLogin(secret string, person, name, role string, expires time.Time) store.Login {
	return store.Login{Hash: hash(secret), Person: person, Name: name, Role: role, Expires: expires}
}

// loginPage shows a button: the link itself changes nothing, so a preview of
// it spends nothing (R20).
func (p *Panel) loginPage(w http.ResponseWriter, r *http.Request) {
	p.show(w, r, http.StatusOK, loginPage(r.URL.Query().Get("key")))
}

// login spends a one-time link and signs its person in.
func (p *Panel) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
	now := p.Now()
	l, err := p.Store.Login(r.Context(), hash(r.PostFormValue("key")))
	if err != nil {
		p.fail(w, r, nil, err)
		return
	}
	if l == nil || l.Used || !l.Expires.After(now) {
		p.fail(w, r, nil, errSpent)
		return
	}
	id := p.Secret()
	b := store.Browser{Hash: hash(id), Person: l.Person, Name: l.Name, Role: l.Role, Form: p.Secret(), Expires: now.Add(signInLasts), Seen: now}
	uid := p.NewID()
	lost, err := p.Store.Do(r.Context(), uid, store.UseLogin(*l, now), store.NewBrowser(b), store.NewAudit(store.Audit{
		ID: uid, Chain: "people", What: "login", Actor: who(b), Via: "panel", Is: l.Role, At: now}))
	if err != nil {
		p.fail(w, r, nil, err)
		return
	}
	if lost != nil { // somebody used it a moment ago
		p.fail(w, r, nil, errSpent)
		return
	}
	http.SetCookie(w, p.cookie(id, int(signInLasts.Seconds())))
	to := "/inbox"
	if l.Item != "" {
		to = "/inbox/" + l.Item
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

func (p *Panel) cookie(value string, age int) *http.Cookie {
	name := "__Host-postern"
	if p.Insecure {
		name = "postern"
	}
	return &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: !p.Insecure, SameSite: http.SameSiteLaxMode}
}

func who(b store.Browser) actor.Actor {
	a, _ := actor.ParseRef(b.Person)
	a.Name, a.Kind = b.Name, actor.Human
	return a
}

// Person is who a request's cookie signed in, nil for nobody. No header says
// who somebody is.
func (p *Panel) Person(r *http.Request) (*store.Browser, error) {
	c, err := r.Cookie(p.cookie("", 0).Name)
	if err != nil || c.Value == "" {
		return nil, nil
	}
	b, err := p.Store.Browser(r.Context(), hash(c.Value))
	if err != nil || b == nil || b.Revoked || !b.Expires.After(p.Now()) {
		return nil, err
	}
	return b, nil
}

type page func(w http.ResponseWriter, r *http.Request, v *viewer) error

// signedIn admits signed-in people; for anything but a look, only with the
// form token of their own page.
func (p *Panel) signedIn(f page) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		b, err := p.Person(r)
		if err == nil && b == nil {
			err = errSignIn
		}
		if err != nil {
			p.fail(w, r, nil, err)
			return
		}
		v := &viewer{browser: *b, actor: who(*b), dev: p.Dev}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
			if subtle.ConstantTimeCompare([]byte(r.PostFormValue("form")), []byte(b.Form)) != 1 {
				p.fail(w, r, v, errStale)
				return
			}
		}
		if err := f(w, r, v); err != nil {
			p.fail(w, r, v, err)
		}
	}
}

// reader is signedIn for pages that an auditor does not read (I28, U9).
func (p *Panel) reader(f page) http.HandlerFunc {
	return p.signedIn(func(w http.ResponseWriter, r *http.Request, v *viewer) error {
		if !v.reads() {
			return errAuditOnly
		}
		return f(w, r, v)
	})
}

// SignedIn guards pages that stand beside the panel, with all that guards its
// own: the same sign-in, headers, and form token (field "form") for anything
// but a look (U8). Only people with that role get through.
func (p *Panel) SignedIn(role string, f func(w http.ResponseWriter, r *http.Request, b store.Browser)) http.Handler {
	return p.checks(p.signedIn(func(w http.ResponseWriter, r *http.Request, v *viewer) error {
		if v.browser.Role != role {
			return errNotFound
		}
		f(w, r, v.browser)
		return nil
	}))
}

func (p *Panel) logout(w http.ResponseWriter, r *http.Request, v *viewer) error {
	if _, err := p.Store.Do(r.Context(), p.NewID(), store.RevokeBrowser(v.browser)); err != nil {
		return err
	}
	http.SetCookie(w, p.cookie("", -1))
	p.say(w, r, http.StatusOK, nil, "Signed out", "This browser is no longer signed in.")
	return nil
}

// APIPerson tells the API who signed in, by the same cookie (I13).
func APIPerson(p *Panel) func(r *http.Request) (*api.Person, error) {
	return func(r *http.Request) (*api.Person, error) {
		b, err := p.Person(r)
		if err != nil || b == nil {
			return nil, err
		}
		return &api.Person{Ref: b.Person, Name: b.Name, Role: b.Role}, nil
	}
}
