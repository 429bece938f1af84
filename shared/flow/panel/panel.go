package panel

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"github.com/a-h/templ"

	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/store"
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

//go:embed static
var static embed.FS

// Routes are the panel's paths on a mux of its own, behind the checks that
// every request passes.
func (p *Panel) Routes() http.Handler {
	mux := http.NewServeMux()
	files, _ := fs.Sub(static, "static") // embedded: cannot fail
	mux.Handle("GET /static/", http.StripPrefix("/static/", cached(http.FileServerFS(files))))
	mux.HandleFunc("GET /login", p.loginPage)
	mux.HandleFunc("POST /login", p.login)
	mux.HandleFunc("POST /logout", p.signedIn(p.logout))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/inbox", http.StatusSeeOther) })
	mux.HandleFunc("GET /inbox", p.signedIn(p.inbox))
	mux.HandleFunc("GET /inbox/{item}", p.signedIn(p.item))
	mux.HandleFunc("POST /inbox/{item}/answer", p.signedIn(p.answer))
	mux.HandleFunc("GET /sessions", p.signedIn(p.sessions))
	mux.HandleFunc("GET /sessions/{session}", p.signedIn(p.session))
	mux.HandleFunc("GET /decisions", p.signedIn(p.decisions))
	return guarded(http.NewCrossOriginProtection().Handler(mux))
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

func cached(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=3600")
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

// errNotFound makes a page that says so.
var errNotFound = errors.New("not found")

func (p *Panel) fail(w http.ResponseWriter, r *http.Request, v *viewer, err error) {
	if errors.Is(err, errNotFound) {
		p.show(w, r, http.StatusNotFound, messagePage(v, "Not here", "There is nothing at this address, or it is not for you to see."))
		return
	}
	p.Log.Error("page failed", "path", r.URL.Path, "error", err)
	p.show(w, r, http.StatusInternalServerError, messagePage(v, "That did not work", "Nothing was changed. Try again in a moment."))
}

func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
