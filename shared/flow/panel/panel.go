package panel

import (
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/a-h/templ"

	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// Panel serves the pages.
type Panel struct {
	Store    *store.Store
	Resolver *resolve.Resolver
	Now      func() time.Time
	NewID    func() string
	Secret   func() string // 256 random bits, text
	Log      *slog.Logger
	// Insecure leaves the cookie's Secure mark and __Host- name off, for
	// loopback addresses only.
	Insecure bool
	// Dev adds a link to the stand-ins, where there are any.
	Dev string
}

// Routes are the panel's paths on a mux of its own, behind the checks that
// every request passes. No path but the three POSTs changes anything.
func (p *Panel) Routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /static/{file}", files())
	mux.HandleFunc("GET /login", p.loginPage)
	mux.HandleFunc("POST /login", p.login)
	mux.HandleFunc("POST /logout", p.signedIn(p.logout))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/inbox", http.StatusSeeOther) })
	mux.HandleFunc("GET /inbox", p.reader(p.inbox))
	mux.HandleFunc("GET /inbox/{item}", p.reader(p.item))
	mux.HandleFunc("POST /inbox/{item}/answer", p.reader(p.answer))
	mux.HandleFunc("GET /inbox/{item}/answer", func(w http.ResponseWriter, r *http.Request) { // an answered page, opened again
		http.Redirect(w, r, "/inbox/"+r.PathValue("item"), http.StatusSeeOther)
	})
	mux.HandleFunc("GET /sessions", p.reader(p.sessions))
	mux.HandleFunc("GET /sessions/{session}", p.reader(p.session))
	mux.HandleFunc("GET /decisions", p.reader(p.decisions))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { p.fail(w, r, nil, errNotFound) })
	return p.checks(mux)
}

// checks are what every request passes: no form from another site is taken,
// and every answer carries the same headers (U8).
func (p *Panel) checks(next http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	cross.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.fail(w, r, nil, errCrossOrigin) }))
	return spoken(guarded(cross.Handler(next)))
}

// guarded sets what every answer carries (U8).
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// show renders a page.
func (p *Panel) show(w http.ResponseWriter, r *http.Request, status int, c templ.Component) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	if err := c.Render(r.Context(), w); err != nil {
		p.Log.Warn("page cut short", "path", r.URL.Path, "error", err)
	}
}

// Each of these makes a page of its own; anything else is a failure.
var (
	errNotFound    = errors.New("not found")
	errDeleted     = errors.New("deleted")
	errStale       = errors.New("stale form")
	errCrossOrigin = errors.New("a form of another site")
	errSignIn      = errors.New("not signed in")
	errAuditOnly   = errors.New("reads the audit only")
	errSpent       = errors.New("sign-in link spent")
)

// fail answers with the page of what went wrong. Nothing was changed.
func (p *Panel) fail(w http.ResponseWriter, r *http.Request, v *viewer, err error) {
	if errors.Is(err, table.ErrInvalid) && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		err = errNotFound // no key or cursor that we gave
	}
	for _, x := range refusals {
		if errors.Is(err, x.err) {
			p.say(w, r, x.status, v, x.title, x.text)
			return
		}
	}
	p.Log.Error("page failed", "path", r.URL.Path, "error", err)
	p.say(w, r, http.StatusInternalServerError, v, "That did not work", "Nothing was changed, or it is not known whether it was. Try again in a moment.")
}

// say shows a page with a message, in the reader's language.
func (p *Panel) say(rw http.ResponseWriter, r *http.Request, status int, v *viewer, title, text string) {
	ctx := r.Context()
	p.show(rw, r, status, messagePage(v, w(ctx, title), w(ctx, text)))
}

func hash(secret string) string {
	return store.HashSecret(secret)
}
