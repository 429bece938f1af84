package openai

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/model"
)

// The stand-in refuses what the original refuses, else green tests prove little.
func TestRefusesWhatTheOriginalRefuses(t *testing.T) {
	t.Parallel()
	call := `{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"a","arguments":"{}"}}]}`
	cases := []struct {
		name, path, key, body string
		status                int
	}{
		{"good", "/v1/chat/completions", "k", `{"model":"m","messages":[{"role":"user","content":"x"}]}`, 200},
		{"parts", "/v1/chat/completions", "k", `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}`, 200},
		{"path", "/v1/completions", "k", `{}`, 404},
		{"key", "/v1/chat/completions", "other", `{}`, 401},
		{"no JSON", "/v1/chat/completions", "k", `{`, 400},
		{"no model", "/v1/chat/completions", "k", `{"messages":[{"role":"user","content":"x"}]}`, 400},
		{"no messages", "/v1/chat/completions", "k", `{"model":"m"}`, 400},
		{"tool name", "/v1/chat/completions", "k", `{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"a.b"}}]}`, 400},
		{"role", "/v1/chat/completions", "k", `{"model":"m","messages":[{"role":"robot","content":"x"}]}`, 400},
		{"unanswered call", "/v1/chat/completions", "k", `{"model":"m","messages":[{"role":"user","content":"x"},` + call + `,{"role":"user","content":"y"}]}`, 400},
		{"answered call", "/v1/chat/completions", "k", `{"model":"m","messages":[{"role":"user","content":"x"},` + call + `,{"role":"tool","tool_call_id":"1","content":"y"}]}`, 200},
	}
	for _, c := range cases {
		s := New("k")
		r := httptest.NewRequest(http.MethodPost, c.path, strings.NewReader(c.body))
		r.Header.Set("Authorization", "Bearer "+c.key)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s: %d %s", c.name, w.Code, w.Body)
		}
		for _, seen := range s.Requests() {
			if seen.Header.Get("Authorization") != "" {
				t.Errorf("%s: the key was kept", c.name)
			}
		}
	}
}

func TestStreamEndsAsTheOriginal(t *testing.T) {
	t.Parallel()
	s := New("")
	s.Answer(func(r model.Request) (model.Reply, error) {
		return model.Reply{Text: "to " + r.Messages[0].Text, Input: 3, Output: 4}, nil
	})
	web := httptest.NewServer(s)
	defer web.Close()
	res, err := web.Client().Post(web.URL+"/chat/completions", "application/json", strings.NewReader(
		`{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"x"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	events := strings.Split(strings.TrimSpace(string(body)), "\n\n")
	if n := len(events); n != 5 || events[4] != "data: [DONE]" || !strings.Contains(events[3], `"total_tokens":7`) ||
		!strings.Contains(events[2], `"finish_reason":"stop"`) || !strings.Contains(events[1], `"to x"`) {
		t.Errorf("%q", events)
	}
	if ct := res.Header.Get("Content-Type"); !strings.HasPrefix(ct, "text/event-stream") {
		t.Error(ct)
	}
}
