package panel

import (
	"bytes"
	"net/http"

	"github.com/a-h/templ"
)

// fragment is the part of a page that keeps itself fresh, rendered, with the
// tag of what it shows.
type fragment struct{ html, tag string }

// render makes the fresh part of a page.
func render(r *http.Request, v *viewer, part templ.Component) (fragment, error) {
	var html bytes.Buffer
	err := part.Render(r.Context(), &html)
	return fragment{html: html.String(), tag: tag(r, v, html.String())}, err
}

// live answers with a page, or with only its fresh part to a page that is open
// (U5: live without an open connection): 304 if nothing changed. The number of
// what waits, in the head of the page, is kept fresh beside it.
func (p *Panel) live(w http.ResponseWriter, r *http.Request, v *viewer, part templ.Component, page func(fragment) templ.Component) error {
	return p.liveAs(w, r, v, "", part, page)
}

// liveAs is live with a tag that the caller knows already, if it is not empty.
func (p *Panel) liveAs(w http.ResponseWriter, r *http.Request, v *viewer, known string, part templ.Component, page func(fragment) templ.Component) error {
	f, err := render(r, v, part)
	if err != nil {
		return err
	}
	if known != "" {
		f.tag = known
	}
	switch {
	case !asks(r):
		p.show(w, r, http.StatusOK, page(f))
	case !fresh(w, r, f.tag):
		p.show(w, r, http.StatusOK, freshPart(v, f))
	}
	return nil
}

// asks reports whether an open page asks for its fresh part.
func asks(r *http.Request) bool { return r.Header.Get("HX-Request") != "" }

// tag names a state of a fresh part: what it was made from, for whom.
func tag(r *http.Request, v *viewer, of string) string {
	return `"` + hash(lang(r.Context()) + "|" + v.browser.Hash + "|" + waitingCount(v.waiting) + "|" + of)[:24] + `"`
}

// fresh answers 304 to an open page that shows this very state.
func fresh(w http.ResponseWriter, r *http.Request, tag string) bool {
	if !asks(r) {
		return false
	}
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") != tag {
		return false
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}
