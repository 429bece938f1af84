package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// invoker turns each request into an HTTP API's event (payload format 2.0) and
// asks the function behind its route by direct invocation.
type invoker struct {
	lambda string
	host   string
	name   map[string]string // by entrance: slack, feishu, github, api
	client *http.Client
}

func newInvoker(lambda, host, names string) (http.Handler, error) {
	list := strings.Split(names, ",")
	if len(list) != 4 || host == "" {
		return nil, errors.New("-invoke needs -host and four names in -functions")
	}
	return &invoker{lambda: strings.TrimSuffix(lambda, "/"), host: host, client: &http.Client{Timeout: 30 * time.Second},
		name: map[string]string{"slack": list[0], "feishu": list[1], "github": list[2], "api": list[3]}}, nil
}

func (i *invoker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 6<<20))
	if err != nil {
		http.Error(w, "body", http.StatusRequestEntityTooLarge)
		return
	}
	payload, err := json.Marshal(i.event(r, body))
	if err != nil {
		http.Error(w, "event", http.StatusInternalServerError)
		return
	}
	answer, err := i.ask(r, i.function(r), payload)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	answer.write(w)
}

// function says what the template's routes say.
func (i *invoker) function(r *http.Request) string {
	if hook, ok := strings.CutPrefix(r.URL.Path, "/hooks/"); ok && r.Method == http.MethodPost && hook != "api" && i.name[hook] != "" {
		return i.name[hook]
	}
	return i.name["api"]
}

// event sends every body as base64, which an HTTP API may do with any.
func (i *invoker) event(r *http.Request, body []byte) map[string]any {
	headers := map[string]string{"host": i.host}
	for name, values := range r.Header {
		if name != "Cookie" {
			headers[strings.ToLower(name)] = strings.Join(values, ",")
		}
	}
	event := map[string]any{
		"version": "2.0", "routeKey": "$default", "rawPath": r.URL.EscapedPath(), "rawQueryString": r.URL.RawQuery,
		"headers": headers, "body": base64.StdEncoding.EncodeToString(body), "isBase64Encoded": true,
		"requestContext": map[string]any{"domainName": i.host, "stage": "$default", "requestId": "front",
			"http": map[string]string{"method": r.Method, "path": r.URL.Path, "protocol": "HTTP/1.1", "sourceIp": "127.0.0.1"}},
	}
	if cookies := r.Header.Get("Cookie"); cookies != "" {
		event["cookies"] = strings.Split(cookies, "; ")
	}
	return event
}

// answer is what a function gives an HTTP API.
type answer struct {
	Status  int               `json:"statusCode"`
	Headers map[string]string `json:"headers"`
	Cookies []string          `json:"cookies"`
	Body    string            `json:"body"`
	Base64  bool              `json:"isBase64Encoded"`
}

func (i *invoker) ask(r *http.Request, function string, payload []byte) (answer, error) {
	var a answer
	url := i.lambda + "/2015-03-31/functions/" + function + "/invocations"
	ask, err := http.NewRequestWithContext(r.Context(), http.MethodPost, url, bytes.NewReader(payload))
	if err != nil {
		return a, err
	}
	// Emulators read the region out of it and check no signature.
	ask.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/lambda/aws4_request, SignedHeaders=host, Signature=0")
	got, err := i.client.Do(ask)
	if err != nil {
		return a, err
	}
	defer got.Body.Close()
	if failed := got.Header.Get("X-Amz-Function-Error"); failed != "" || got.StatusCode != http.StatusOK {
		return a, fmt.Errorf("invoke %s: %d %s", function, got.StatusCode, failed)
	}
	err = json.NewDecoder(got.Body).Decode(&a)
	if err == nil && a.Status == 0 {
		err = fmt.Errorf("invoke %s: no status in its answer", function)
	}
	return a, err
}

func (a answer) write(w http.ResponseWriter) {
	body := []byte(a.Body)
	if a.Base64 {
		body, _ = base64.StdEncoding.DecodeString(a.Body)
	}
	for name, value := range a.Headers {
		w.Header().Set(name, value)
	}
	for _, c := range a.Cookies {
		w.Header().Add("Set-Cookie", c)
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(body) // the asker is gone: nothing to do
}
