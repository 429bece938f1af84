package wire

import (
	"net/http"
	"sync/atomic"
)

// Public is the address that people use: the configured one, or else the one
// that requests come in by, which API Gateway vouches for. A function that is
// part of the API cannot be told the API's address by the template.
type Public struct{ url atomic.Value }

// NewPublic starts from what the environment says.
func NewPublic(url string) *Public {
	p := &Public{}
	p.url.Store(url)
	return p
}

// URL is the address without a slash at its end; empty until it is known.
func (p *Public) URL() string { return p.url.Load().(string) }

// Item is the panel's page of an item.
func (p *Public) Item(item string) string { return p.URL() + "/inbox/" + item }

// Learn takes the address from the first request.
func (p *Public) Learn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.URL() == "" && r.Host != "" {
			p.url.Store("https://" + r.Host)
		}
		next.ServeHTTP(w, r)
	})
}
