package feishu

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// The client against the stand-in is tested beside the stand-in; here is what
// no platform should answer.

func TestNewClientNeedsSecrets(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Secrets){
		"app_id":     func(s *Secrets) { s.AppID = "" },
		"app_secret": func(s *Secrets) { s.AppSecret = "" },
		"domain":     func(s *Secrets) { s.Domain = "wechat" },
	} {
		s := testSecrets()
		change(&s)
		if _, err := NewClient(s, "", http.DefaultClient, time.Now); err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "-value") {
			t.Errorf("without %s: %v", name, err)
		}
	}
	if _, err := NewClient(testSecrets(), "", nil, time.Now); err == nil {
		t.Error("no HTTP client, no error")
	}
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "https://open.feishu.cn", "feishu": "https://open.feishu.cn", "lark": "https://open.larksuite.com",
		"https://open.example/": "https://open.example",
	} {
		if got, err := (Secrets{Domain: in}).BaseURL(); err != nil || got != want {
			t.Errorf("%q: %s, %v", in, got, err)
		}
	}
}

// fake answers the token call well and every other call with one answer.
func fake(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/internal") {
			w.Header().Set("Content-Type", "application/json")
			w.Write([]byte(`{"code":0,"tenant_access_token":"t-secret","expire":7200}`))
			return
		}
		h(w, r)
	}))
	t.Cleanup(srv.Close)
	c, err := NewClient(testSecrets(), srv.URL, srv.Client(), func() time.Time { return testNow })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOddAnswers(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("followed a redirect") }))
	t.Cleanup(elsewhere.Close)
	cases := []struct {
		name, contentType, body string
		status                  int
		code                    string
		final                   bool
	}{
		{"a page instead of JSON", "text/html", "<html>words t-secret</html>", 200, "unreadable", false},
		{"broken JSON", "application/json", `{"code":`, 200, "unreadable", false},
		{"no code", "application/json", `{"msg":"hi"}`, 200, "unreadable", false},
		{"no message id", "application/json", `{"code":0,"data":{}}`, 200, "unreadable", false},
		{"data of another type", "application/json", `{"code":0,"data":7}`, 200, "unreadable", false},
		{"an endless answer", "application/json", `{"code":0,"x":"` + strings.Repeat("x", 2<<20) + `"}`, 200, "unreadable", false},
		{"a gateway's page", "text/html", "bad gateway", 502, "unreadable", false},
		{"a refusal that quotes us", "application/json", `{"code":230099,"msg":"t-secret app-secret-value"}`, 400, "230099", true},
		{"a known refusal with 200", "application/json", `{"code":230011,"msg":""}`, 200, "230011", true},
	}
	for _, c := range cases {
		client := fake(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.contentType)
			w.Header().Set("X-Tt-Logid", "log<1>")
			w.WriteHeader(c.status)
			w.Write([]byte(c.body))
		})
		_, err := client.Say(t.Context(), trigger.Place{Surface: "feishu", Account: "cli_a", Channel: "oc_1"}, "the words", "k")
		var e *delivery.SendError
		if !errors.As(err, &e) || e.Code != c.code || e.Final != c.final {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "words") || strings.Contains(err.Error(), "log<")) {
			t.Errorf("%s: the error holds too much: %v", c.name, err)
		}
	}
	client := fake(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	if _, err := client.Say(t.Context(), trigger.Place{Surface: "feishu", Account: "cli_a", Channel: "oc_1"}, "x", "k"); err == nil {
		t.Error("a redirect is no success")
	}
}

// Wait times that make no sense are not believed.
func TestWait(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]time.Duration{"5": 5 * time.Second, "": time.Second, "-1": time.Second, "x": time.Second, "99999": time.Second} {
		h := http.Header{}
		h.Set("x-ogw-ratelimit-reset", in)
		if got := wait(h); got != want {
			t.Errorf("%q: %v", in, got)
		}
	}
	h := http.Header{}
	h.Set("Retry-After", "9")
	if got := wait(h); got != 9*time.Second {
		t.Errorf("Retry-After: %v", got)
	}
}
