package main

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestInvokeStandsForAnHTTPAPI(t *testing.T) {
	t.Parallel()
	var path string
	var event map[string]any
	lambda := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.Path
		_ = json.NewDecoder(r.Body).Decode(&event)
		_, _ = w.Write([]byte(`{"statusCode":201,"headers":{"content-type":"text/plain"},"cookies":["a=1","b=2"],"body":"b2s=","isBase64Encoded":true}`))
	}))
	defer lambda.Close()
	h, err := handler("", lambda.URL, "api.example.com", "s,f,g,a")
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(h)
	defer front.Close()
	ask, err := http.NewRequest("POST", front.URL+"/hooks/feishu?x=%2F", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	ask.Header.Set("X-Lark-Signature", "sig")
	ask.Header.Set("Cookie", "s=1; t=2")
	got, err := http.DefaultClient.Do(ask)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	body, _ := io.ReadAll(got.Body)
	if got.StatusCode != 201 || string(body) != "ok" || len(got.Header.Values("Set-Cookie")) != 2 {
		t.Errorf("answered %d %q %v", got.StatusCode, body, got.Header)
	}
	sent, _ := base64.StdEncoding.DecodeString(event["body"].(string))
	headers := event["headers"].(map[string]any)
	if path != "/2015-03-31/functions/f/invocations" || string(sent) != "{}" || headers["x-lark-signature"] != "sig" ||
		headers["host"] != "api.example.com" || event["rawQueryString"] != "x=%2F" || len(event["cookies"].([]any)) != 2 {
		t.Errorf("%s got %v", path, event)
	}
}

func TestInvokeChoosesTheFunctionAsTheTemplateDoes(t *testing.T) {
	t.Parallel()
	h, err := newInvoker("http://127.0.0.1:1", "h", "s,f,g,a")
	if err != nil {
		t.Fatal(err)
	}
	for ask, want := range map[string]string{
		"POST /hooks/slack": "s", "POST /hooks/feishu": "f", "POST /hooks/github": "g",
		"GET /hooks/slack": "a", "POST /hooks/api": "a", "POST /hooks/other": "a", "GET /": "a", "POST /v1/calls": "a",
	} {
		method, path, _ := strings.Cut(ask, " ")
		if got := h.(*invoker).function(httptest.NewRequest(method, path, nil)); got != want {
			t.Errorf("%s goes to %s, want %s", ask, got, want)
		}
	}
}

func TestInvokeTellsOfAFunctionThatFailed(t *testing.T) {
	t.Parallel()
	lambda := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Amz-Function-Error", "Unhandled")
		_, _ = w.Write([]byte(`{"errorMessage":"boom"}`))
	}))
	defer lambda.Close()
	h, err := newInvoker(lambda.URL, "h", "s,f,g,a")
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != http.StatusBadGateway {
		t.Errorf("answered %d, want 502", w.Code)
	}
}
