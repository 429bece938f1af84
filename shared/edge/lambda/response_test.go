package lambda

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

type answer struct {
	StatusCode      int
	Headers         map[string]string
	Cookies         []string
	Body            string
	IsBase64Encoded bool
}

func ask(t *testing.T, payload []byte, f http.HandlerFunc) answer {
	t.Helper()
	raw, err := Handler{HTTP: f}.Invoke(t.Context(), payload)
	if err != nil {
		t.Fatal(err)
	}
	var out answer
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestO7_Response(t *testing.T) {
	t.Parallel()
	got := ask(t, httpPayload(t, nil), func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "1"})
		http.SetCookie(w, &http.Cookie{Name: "b", Value: "2"})
		w.Header().Add("Vary", "Origin")
		w.Header().Add("Vary", "Cookie")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusAccepted)
		w.Header().Set("Late", "x")
		w.WriteHeader(http.StatusTeapot)
		w.Write(body)
	})
	if got.StatusCode != 202 || got.Body != "{\"text\":\"ü\"}" || got.IsBase64Encoded || got.Headers["Content-Type"] != "application/json" ||
		got.Headers["Vary"] != "Origin, Cookie" || got.Headers["Late"] != "" || got.Headers["Set-Cookie"] != "" {
		t.Errorf("got %+v", got)
	}
	if len(got.Cookies) != 2 || got.Cookies[0] != "a=1" || got.Cookies[1] != "b=2" {
		t.Errorf("cookies %q", got.Cookies)
	}
}

func TestO7_ResponseBytesAndDefaults(t *testing.T) {
	t.Parallel()
	png := "\x89PNG\x0D\x0A\x1A\x0A\xff"
	got := ask(t, httpPayload(t, nil), func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, png) })
	if body, _ := base64.StdEncoding.DecodeString(got.Body); !got.IsBase64Encoded || string(body) != png || got.Headers["Content-Type"] != "image/png" {
		t.Errorf("got %+v", got)
	}
	got = ask(t, httpPayload(t, nil), func(http.ResponseWriter, *http.Request) {})
	if got.StatusCode != 200 || got.Body != "" || got.Headers["Content-Type"] != "" {
		t.Errorf("got %+v", got)
	}
}

func TestBadBase64Is400(t *testing.T) {
	t.Parallel()
	payload := httpPayload(t, func(e map[string]any) { e["body"], e["isBase64Encoded"] = "a secret!", true })
	got := ask(t, payload, func(http.ResponseWriter, *http.Request) { t.Error("the handler was called") })
	if got.StatusCode != 400 || strings.Contains(got.Body, "secret") {
		t.Errorf("got %+v", got)
	}
}

func TestPanicIs500(t *testing.T) {
	t.Parallel()
	got := ask(t, httpPayload(t, nil), func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "half")
		panic("a secret")
	})
	if got.StatusCode != 500 || strings.Contains(got.Body, "secret") || strings.Contains(got.Body, "half") {
		t.Errorf("got %+v", got)
	}
}

func TestRequestHasTheInvocationsContext(t *testing.T) {
	t.Parallel()
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "here")
	_, err := Handler{HTTP: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Context().Value(key{}) != "here" {
			t.Error("another context")
		}
	})}.Invoke(ctx, httpPayload(t, nil))
	if err != nil {
		t.Error(err)
	}
}
