package bedrock

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestRefusesWhatTheOriginalRefuses(t *testing.T) {
	t.Parallel()
	user := `{"role":"user","content":[{"text":"x"}]}`
	called := `{"role":"assistant","content":[{"toolUse":{"toolUseId":"1","name":"a","input":{}}}]}`
	result := `{"role":"user","content":[{"toolResult":{"toolUseId":"1","content":[{"text":"y"}]}}]}`
	tools := `"toolConfig":{"tools":[{"toolSpec":{"name":"a","inputSchema":{"json":{"type":"object"}}}}]},`
	with := func(extra string, messages ...string) string {
		return `{` + extra + `"messages":[` + strings.Join(messages, ",") + `]}`
	}
	cases := []struct {
		name, path, signature, body string
		status                      int
	}{
		{"good", "/model/eu.m-v1%3A0/converse", "AWS4-HMAC-SHA256 x", with("", user), 200},
		{"answered", "/model/m/converse", "AWS4-HMAC-SHA256 x", with(tools, user, called, result), 200},
		{"no tools defined", "/model/m/converse", "AWS4-HMAC-SHA256 x", with("", user, called, result), 400},
		{"no tools in their list", "/model/m/converse", "AWS4-HMAC-SHA256 x", with(`"toolConfig":{"tools":[]},`, user), 400},
		{"unanswered", "/model/m/converse", "AWS4-HMAC-SHA256 x", with(tools, user, called, user), 400},
		{"two in a row", "/model/m/converse", "AWS4-HMAC-SHA256 x", with("", user, user), 400},
		{"assistant first", "/model/m/converse", "AWS4-HMAC-SHA256 x", with(tools, called, result), 400},
		{"blank", "/model/m/converse", "AWS4-HMAC-SHA256 x", with("", `{"role":"user","content":[{"text":" "}]}`), 400},
		{"no JSON", "/model/m/converse", "AWS4-HMAC-SHA256 x", "{", 400},
		{"unsigned", "/model/m/converse", "", with("", user), 403},
		{"address", "/model/m/invoke", "AWS4-HMAC-SHA256 x", with("", user), 404},
	}
	for _, c := range cases {
		s := New()
		r := httptest.NewRequest(http.MethodPost, c.path, strings.NewReader(c.body))
		r.Header.Set("Authorization", c.signature)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s: %d %s", c.name, w.Code, w.Body)
		}
		if c.name == "good" && s.Requests()[0].Model != "eu.m-v1:0" {
			t.Errorf("model %q", s.Requests()[0].Model)
		}
	}
}
