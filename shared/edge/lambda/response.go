package lambda

import (
	"bytes"
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"unicode/utf8"
)

// response is an HTTP API's, payload format 2.0.
type response struct {
	StatusCode      int               `json:"statusCode"`
	Headers         map[string]string `json:"headers"`
	Cookies         []string          `json:"cookies,omitempty"`
	Body            string            `json:"body"`
	IsBase64Encoded bool              `json:"isBase64Encoded"`
}

// serve answers one request. A body that cannot be decoded is the sender's
// fault: 400. A panic is ours: 500, whatever was written before it.
func (h Handler) serve(ctx context.Context, e httpEvent) response {
	r, err := e.request()
	if err != nil {
		h.log().WarnContext(ctx, "request not understood", "error", err)
		return plain(http.StatusBadRequest)
	}
	w := &writer{header: http.Header{}}
	if err := h.guard(ctx, func() error { h.HTTP.ServeHTTP(w, r.WithContext(ctx)); return nil }); err != nil {
		return plain(http.StatusInternalServerError)
	}
	return w.response()
}

func plain(status int) response {
	return response{StatusCode: status, Headers: map[string]string{"Content-Type": "text/plain; charset=utf-8"},
		Body: http.StatusText(status) + "\n"}
}

// writer keeps an answer until it is whole.
type writer struct {
	header http.Header
	sent   http.Header // the header as it was when the status was written
	status int
	body   bytes.Buffer
}

func (w *writer) Header() http.Header { return w.header }

func (w *writer) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status, w.sent = status, w.header.Clone()
	}
}

func (w *writer) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

func (w *writer) response() response {
	w.WriteHeader(http.StatusOK)
	out := response{StatusCode: w.status, Headers: map[string]string{}, Cookies: w.sent.Values("Set-Cookie")}
	w.sent.Del("Set-Cookie")
	if w.body.Len() > 0 && w.sent.Get("Content-Type") == "" {
		w.sent.Set("Content-Type", http.DetectContentType(w.body.Bytes()))
	}
	for name, values := range w.sent {
		out.Headers[name] = strings.Join(values, ", ")
	}
	if utf8.Valid(w.body.Bytes()) {
		out.Body = w.body.String()
	} else {
		out.Body, out.IsBase64Encoded = base64.StdEncoding.EncodeToString(w.body.Bytes()), true
	}
	return out
}
