package lambda

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// httpEvent is an HTTP API's event, payload format 2.0.
type httpEvent struct {
	RawPath         string            `json:"rawPath"`
	RawQueryString  string            `json:"rawQueryString"`
	Cookies         []string          `json:"cookies"`
	Headers         map[string]string `json:"headers"`
	Body            string            `json:"body"`
	IsBase64Encoded bool              `json:"isBase64Encoded"`
	RequestContext  struct {
		DomainName string `json:"domainName"`
		Stage      string `json:"stage"`
		HTTP       struct {
			Method   string `json:"method"`
			Protocol string `json:"protocol"`
			SourceIP string `json:"sourceIp"`
		} `json:"http"`
	} `json:"requestContext"`
}

// RequestFromEvent makes the request that an HTTP API's event (payload format
// 2.0) stands for, as a server sees it: the body's exact bytes, canonical
// header names, Host from the API's own name. What the API joined by commas
// stays one value, so that a second signature spoils the first.
func RequestFromEvent(raw []byte) (*http.Request, error) {
	var e httpEvent
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, errors.New("lambda: the event is not that of an HTTP API")
	}
	if e.RequestContext.HTTP.Method == "" {
		return nil, errors.New("lambda: the event is not that of an HTTP API, payload format 2.0")
	}
	return e.request()
}

func (e httpEvent) request() (*http.Request, error) {
	body := []byte(e.Body)
	if e.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(e.Body); err != nil {
			return nil, errors.New("lambda: the body is not base64")
		}
	}
	r := &http.Request{
		Method: strings.ToUpper(e.RequestContext.HTTP.Method), URL: e.url(), Header: e.header(),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
		Host: e.RequestContext.DomainName, RemoteAddr: net.JoinHostPort(e.RequestContext.HTTP.SourceIP, "0"),
	}
	if r.Host == "" {
		r.Host = r.Header.Get("Host")
	}
	r.Header.Del("Host")
	r.RequestURI = r.URL.RequestURI()
	if strings.ContainsAny(r.Method, " \r\n") || !strings.HasPrefix(r.RequestURI, "/") {
		return nil, fmt.Errorf("lambda: method or path cannot be used")
	}
	return r, nil
}

func (e httpEvent) url() *url.URL {
	path := e.RawPath
	if stage := e.RequestContext.Stage; stage != "" && stage != "$default" {
		path = strings.TrimPrefix(path, "/"+stage) // the path of a named stage begins with it
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	u := &url.URL{Path: path, RawQuery: e.RawQueryString}
	if plain, err := url.PathUnescape(path); err == nil {
		u.Path, u.RawPath = plain, path
	}
	return u
}

// header sets the names in their order, so that two that differ in case only
// give the same value each time: both, joined.
func (e httpEvent) header() http.Header {
	names := make([]string, 0, len(e.Headers))
	for name := range e.Headers {
		names = append(names, name)
	}
	slices.Sort(names)
	h := http.Header{}
	for _, name := range names {
		value := e.Headers[name]
		if before := h.Get(name); before != "" {
			value = before + "," + value
		}
		h.Set(name, value)
	}
	if len(e.Cookies) > 0 {
		h.Set("Cookie", strings.Join(e.Cookies, "; "))
	}
	return h
}
