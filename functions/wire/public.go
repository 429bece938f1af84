package wire

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
)

// Public is the address that people use: the configured one, or else the one
// that requests come in by, which API Gateway vouches for. A function that is
// part of the API cannot be told the API's address by the template.
type Public struct{ at atomic.Value }

// NewPublic starts from what the environment says.
func NewPublic(url string) *Public {
	p := &Public{}
	p.at.Store(url)
	return p
}

// URL is the address without a slash at its end; empty until it is known.
func (p *Public) URL() string { return p.at.Load().(string) }

// Item is the panel's page of an item.
func (p *Public) Item(item string) string { return p.URL() + "/inbox/" + item }

// SignIn is the address of a sign-in link (U8).
func (p *Public) SignIn(key string) string { return p.URL() + "/login?key=" + key }

// Loopback says that people reach the panel by plain HTTP on their own machine:
// on an emulator. Anywhere else its cookie is for HTTPS only.
func (p *Public) Loopback() bool {
	u, err := url.Parse(p.URL())
	if err != nil || u.Scheme != "http" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || strings.HasSuffix(u.Hostname(), ".localhost") || (ip != nil && ip.IsLoopback())
}

// Learn takes the address from the first request.
func (p *Public) Learn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.URL() == "" && r.Host != "" {
			p.at.Store("https://" + r.Host)
		}
		next.ServeHTTP(w, r)
	})
}
