package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestFrontPassesRequestsOn(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var body []byte
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusTeapot)
	}))
	defer api.Close()
	target, err := url.Parse(api.URL + "/_aws/execute-api/a1b2c3d4/$default")
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(proxy(target))
	defer front.Close()
	ask, err := http.NewRequest("POST", front.URL+"/hooks/slack?x=1", strings.NewReader("payload=%7B%7D"))
	if err != nil {
		t.Fatal(err)
	}
	ask.Host = "a1b2c3d4.execute-api.localhost"
	answer, err := http.DefaultClient.Do(ask)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if got.URL.String() != "/_aws/execute-api/a1b2c3d4/$default/hooks/slack?x=1" || got.Host != target.Host ||
		string(body) != "payload=%7B%7D" || answer.StatusCode != http.StatusTeapot {
		t.Errorf("the API got %s at %s with %q, and its answer came as %d", got.URL, got.Host, body, answer.StatusCode)
	}
}
