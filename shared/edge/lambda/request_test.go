package lambda

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// event makes an HTTP API's event and applies changes to it.
func httpPayload(t testing.TB, change func(map[string]any)) []byte {
	t.Helper()
	e := map[string]any{
		"version": "2.0", "routeKey": "POST /hooks/slack", "rawPath": "/hooks/slack", "rawQueryString": "a=b%20c&d",
		"headers": map[string]any{"host": "proxy.example", "x-slack-signature": "v0=ab", "user-agent": "A, B (like C), D",
			"content-type": "application/json"},
		"body": "{\"text\":\"ü\"}", "isBase64Encoded": false,
		"requestContext": map[string]any{"domainName": "api.example.com", "stage": "$default", "requestId": "r",
			"authorizer": []any{"odd"}, "timeEpoch": "odd",
			"http": map[string]any{"method": "POST", "path": "/hooks/slack", "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1"}},
	}
	if change != nil {
		change(e)
	}
	raw, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestRequestFromEvent(t *testing.T) {
	t.Parallel()
	r, err := RequestFromEvent(httpPayload(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(r.Body)
	if r.Method != "POST" || r.URL.Path != "/hooks/slack" || r.URL.RawQuery != "a=b%20c&d" || r.RequestURI != "/hooks/slack?a=b%20c&d" ||
		string(body) != "{\"text\":\"ü\"}" || r.ContentLength != int64(len(body)) {
		t.Errorf("got %+v %q", r, body)
	}
	// The panel's cross-origin check compares Origin with Host.
	if r.Host != "api.example.com" || r.Header.Get("Host") != "" || r.RemoteAddr != "192.0.2.1:0" {
		t.Errorf("host %q, from %q", r.Host, r.RemoteAddr)
	}
	// Canonical names, and commas are part of a value.
	if v := r.Header["X-Slack-Signature"]; len(v) != 1 || v[0] != "v0=ab" {
		t.Errorf("signature %q", v)
	}
	if v := r.Header.Values("User-Agent"); len(v) != 1 || v[0] != "A, B (like C), D" {
		t.Errorf("user agent %q", v)
	}
}

func TestRequestVariants(t *testing.T) {
	t.Parallel()
	set := func(pairs ...any) func(map[string]any) {
		return func(e map[string]any) {
			for i := 0; i < len(pairs); i += 2 {
				e[pairs[i].(string)] = pairs[i+1]
			}
		}
	}
	context := func(domain, stage, method string) map[string]any {
		return map[string]any{"domainName": domain, "stage": stage, "http": map[string]any{"method": method, "sourceIp": "::1"}}
	}
	cases := []struct {
		name   string
		change func(map[string]any)
		check  func(method, host, path, uri, body, cookie, signature string) bool
	}{
		{"base64 form", set("body", "cGF5bG9hZD0lN0IlN0Q=", "isBase64Encoded", true),
			func(_, _, _, _, body, _, _ string) bool { return body == "payload=%7B%7D" }},
		{"base64 bytes", set("body", "/wD+", "isBase64Encoded", true),
			func(_, _, _, _, body, _, _ string) bool { return body == "\xff\x00\xfe" }},
		{"no body", set("body", nil),
			func(_, _, _, _, body, _, _ string) bool { return body == "" }},
		{"cookies", set("cookies", []string{"a=1", "b=2; x"}),
			func(_, _, _, _, _, cookie, _ string) bool { return cookie == "a=1; b=2; x" }},
		{"duplicates joined", set("headers", map[string]any{"x-slack-signature": "v0=ab,v0=cd"}),
			func(_, _, _, _, _, _, signature string) bool { return signature == "v0=ab,v0=cd" }},
		{"duplicates by case", set("headers", map[string]any{"x-slack-signature": "v0=ab", "X-Slack-Signature": "v0=cd"}),
			func(_, _, _, _, _, _, signature string) bool { return signature == "v0=cd,v0=ab" }},
		{"named stage", set("rawPath", "/prod/hooks/slack", "requestContext", context("d.example", "prod", "get")),
			func(method, host, path, _, _, _, _ string) bool {
				return method == "GET" && host == "d.example" && path == "/hooks/slack"
			}},
		{"no domain name", set("requestContext", context("", "", "GET")),
			func(_, host, _, _, _, _, _ string) bool { return host == "proxy.example" }},
		{"escaped path", set("rawPath", "/files/a%2Fb%20c", "rawQueryString", ""),
			func(_, _, path, uri, _, _, _ string) bool { return path == "/files/a/b c" && uri == "/files/a%2Fb%20c" }},
		{"bad escape", set("rawPath", "/a%zz"),
			func(_, _, path, uri, _, _, _ string) bool {
				return path == "/a%zz" && strings.HasPrefix(uri, "/a%25zz")
			}},
		{"empty path", set("rawPath", ""),
			func(_, _, path, _, _, _, _ string) bool { return path == "/" }},
	}
	for _, c := range cases {
		r, err := RequestFromEvent(httpPayload(t, c.change))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		body, _ := io.ReadAll(r.Body)
		if !c.check(r.Method, r.Host, r.URL.Path, r.RequestURI, string(body), r.Header.Get("Cookie"), r.Header.Get("X-Slack-Signature")) {
			t.Errorf("%s: %s %s%s (%s) %q %v", c.name, r.Method, r.Host, r.URL.Path, r.RequestURI, body, r.Header)
		}
	}
}

func TestRequestRefused(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string][]byte{
		"no JSON":    []byte("{"),
		"no event":   []byte("{}"),
		"list":       []byte("[]"),
		"bad base64": httpPayload(t, func(e map[string]any) { e["body"], e["isBase64Encoded"] = "secret!", true }),
		"bad method": httpPayload(t, func(e map[string]any) {
			e["requestContext"] = map[string]any{"http": map[string]any{"method": "GET /x"}}
		}),
	} {
		if _, err := RequestFromEvent(raw); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzRequestFromEvent(f *testing.F) {
	f.Add(httpPayload(f, nil))
	f.Add([]byte(`{"rawPath":"//x","rawQueryString":"%","requestContext":{"http":{"method":"POST"}},"headers":{"":"x"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := RequestFromEvent(raw)
		if err == nil && (r.URL == nil || r.Header == nil || r.Method == "") {
			t.Errorf("got %+v", r)
		}
	})
}
