package playground

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"log/slog"
	"net"
	"net/http"

	"github.com/postern-dev/postern/shared/flow/panel"
	"github.com/postern-dev/postern/shared/local/standin/feishu"
	"github.com/postern-dev/postern/shared/local/standin/github"
	"github.com/postern-dev/postern/shared/local/standin/slack"
	"github.com/postern-dev/postern/shared/store"
)

// Path is where the page lies.
const Path = "/platforms/ui/"

// Page is the page. Safe for concurrent use.
type Page struct {
	Slack  *slack.Server
	Feishu *feishu.Server
	GitHub *github.Server
	Hooks  string // where Postern receives webhooks, such as http://127.0.0.1:7171/hooks
	Client *http.Client
	Panel  *panel.Panel // its sign-in guards this page as well
	Log    *slog.Logger
}

//go:embed page
var page embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{"asset": panel.Asset}).ParseFS(page, "page/*.html"))

// Routes are the page's paths, from the root of the server on.
func (p *Page) Routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+Path+"{$}", p.signedIn(p.whole))
	for _, platform := range []string{"slack", "feishu", "github"} {
		mux.Handle("GET "+Path+platform, p.signedIn(p.column(platform)))
	}
	for path, act := range map[string]action{"slack/say": p.slackSay, "slack/press": p.slackPress, "feishu/say": p.feishuSay,
		"feishu/tap": p.feishuTap, "github/open": p.githubOpen, "github/comment": p.githubComment} {
		mux.Handle("POST "+Path+path, p.signedIn(p.acts(act)))
	}
	mux.HandleFunc("GET "+Path+"style.css", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, page, "page/style.css")
	})
	return Here(mux)
}

// Here lets nobody in but this machine's own browser: whatever leads here from
// outside, such as a tunnel, comes by another name (U8).
func Here(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "the stand-ins are for this machine's own browser: open them by the loopback address", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

type handler func(w http.ResponseWriter, r *http.Request, v *view)

// signedIn admits owners, by the panel's own sign-in.
func (p *Page) signedIn(f handler) http.Handler {
	return p.Panel.SignedIn(panel.Owner, func(w http.ResponseWriter, r *http.Request, b store.Browser) {
		if err := r.ParseForm(); err != nil {
			http.Error(w, "the form cannot be read", http.StatusBadRequest)
			return
		}
		v := &view{Form: b.Form, People: p.people()}
		v.state = readState(r.Form, v.People)
		f(w, r, v)
	})
}

// view is what the templates see.
type view struct {
	state
	Form   string // the form token
	People []Person
	Notice string // what went wrong with the last action
	Live   map[string]part
}

// part is one platform's column, rendered, with the tag of what it shows.
type part struct {
	HTML template.HTML
	Tag  string
	URL  string
	Make any // for its forms, which are no part of what is kept fresh
}

func (p *Page) whole(w http.ResponseWriter, r *http.Request, v *view) { p.show(w, r, v, http.StatusOK) }

func (p *Page) show(w http.ResponseWriter, r *http.Request, v *view, status int) {
	v.Live = map[string]part{}
	for _, platform := range []string{"slack", "feishu", "github"} {
		x, err := p.render(platform, v)
		if err != nil {
			p.failed(w, r, err)
			return
		}
		v.Live[platform] = x
	}
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, "page", v); err != nil {
		p.failed(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes())
}

// column answers with one platform's column, or 304 while nothing changed (U5).
func (p *Page) column(platform string) handler {
	return func(w http.ResponseWriter, r *http.Request, v *view) {
		x, err := p.render(platform, v)
		if err != nil {
			p.failed(w, r, err)
			return
		}
		w.Header().Set("ETag", x.Tag)
		if r.Header.Get("If-None-Match") == x.Tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(x.HTML))
	}
}

func (p *Page) render(platform string, v *view) (part, error) {
	var seen, forms any
	switch platform {
	case "slack":
		seen, forms = p.slackColumn(v)
	case "feishu":
		seen, forms = p.feishuColumn(v)
	case "github":
		seen, forms = p.githubColumn(v)
	}
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, platform, map[string]any{"View": v, "Seen": seen}); err != nil {
		return part{}, fmt.Errorf("render %s: %w", platform, err)
	}
	sum := sha256.Sum256(out.Bytes())
	return part{HTML: template.HTML(out.String()), Tag: `"` + hex.EncodeToString(sum[:12]) + `"`,
		URL: Path + platform + "?" + v.Query(), Make: forms}, nil
}

func (p *Page) failed(w http.ResponseWriter, r *http.Request, err error) {
	p.Log.Error("stand-ins' page failed", "path", r.URL.Path, "error", err)
	http.Error(w, "the page could not be made; see the log", http.StatusInternalServerError)
}

// action does what a person does. It gives the HTTP status that Postern
// answered the webhook with, and may move the page on to what was made.
type action func(r *http.Request, v *view) (status int, err error)

// acts does an action and shows the page anew; what went wrong is said there.
func (p *Page) acts(do action) handler {
	return func(w http.ResponseWriter, r *http.Request, v *view) {
		if v.As.Name == "" {
			v.Notice = "Nobody of that name is played here."
			p.show(w, r, v, http.StatusUnprocessableEntity)
			return
		}
		status, err := do(r, v)
		switch {
		case err != nil:
			v.Notice = "That was not done: " + err.Error()
			p.show(w, r, v, http.StatusUnprocessableEntity)
		case status < 200 || status > 299:
			v.Notice = fmt.Sprintf("Postern answered the webhook with HTTP %d.", status)
			p.show(w, r, v, http.StatusBadGateway)
		default:
			http.Redirect(w, r, Path+"?"+v.Query(), http.StatusSeeOther)
		}
	}
}
