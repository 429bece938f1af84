package attacks

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/edge/feishu"
	"github.com/postern-dev/postern/shared/edge/github"
	"github.com/postern-dev/postern/shared/edge/slack"
	feishustandin "github.com/postern-dev/postern/shared/local/standin/feishu"
	githubstandin "github.com/postern-dev/postern/shared/local/standin/github"
	slackstandin "github.com/postern-dev/postern/shared/local/standin/slack"
)

func (s *street) post(path string, h http.Header, body []byte) int {
	s.Helper()
	req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.url+path, bytes.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	if h != nil {
		req.Header = h.Clone()
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := httpClient.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

// Forged webhooks: unsigned, signed by somebody else, changed on the way, old,
// or from the future. None is taken, and nothing is queued.
func TestQ7_ForgedWebhooks(t *testing.T) {
	t.Parallel()
	s := open(t)
	now := s.clock.Now()
	slackBody := []byte(`{"type":"event_callback","team_id":"T0DEV","api_app_id":"A0DEV","event_id":"Ev1","authorizations":[{"team_id":"T0DEV","user_id":"U0AGENT","is_bot":true}],"event":{"type":"app_mention","user":"U0ADA","text":"<@U0AGENT> go","ts":"1.1","channel":"C0OPS","channel_type":"channel"}}`)
	githubBody := []byte(`{"action":"opened","issue":{"number":1,"title":"@postern-agent go","user":{"login":"ada","id":11}},"repository":{"full_name":"acme/shop"},"sender":{"login":"ada","id":11}}`)
	k := feishustandin.DevSecrets().EncryptKey
	feishuBody := feishu.Encrypt(k, []byte(`{"schema":"2.0","header":{"event_id":"e","event_type":"im.message.receive_v1","token":"`+feishustandin.DevSecrets().VerificationToken+`","app_id":"cli_dev"},"event":{}}`), [16]byte{1})
	changed := func(b []byte) []byte { return bytes.Replace(b, []byte("a"), []byte("b"), 1) }
	for name, x := range map[string]struct {
		path   string
		header http.Header
		body   []byte
	}{
		"slack unsigned":           {"slack", nil, slackBody},
		"slack, another secret":    {"slack", slack.Sign("another", slackBody, now), slackBody},
		"slack, no secret":         {"slack", slack.Sign("", slackBody, now), slackBody},
		"slack changed":            {"slack", slack.Sign(slackstandin.DevSecrets().SigningSecret, slackBody, now), changed(slackBody)},
		"slack, six minutes old":   {"slack", slack.Sign(slackstandin.DevSecrets().SigningSecret, slackBody, now.Add(-6*time.Minute)), slackBody},
		"slack, six minutes ahead": {"slack", slack.Sign(slackstandin.DevSecrets().SigningSecret, slackBody, now.Add(6*time.Minute)), slackBody},
		"github unsigned":          {"github", nil, githubBody},
		"github, another secret":   {"github", github.Sign("another", githubBody, "issues", "g-1"), githubBody},
		"github changed":           {"github", github.Sign(githubstandin.DevSecrets().WebhookSecret, githubBody, "issues", "g-1"), changed(githubBody)},
		"feishu unsigned":          {"feishu", nil, feishuBody},
		"feishu, another key":      {"feishu", feishu.Sign("another", feishuBody, now), feishuBody},
		"feishu changed":           {"feishu", feishu.Sign(k, feishuBody, now), append(feishuBody[:len(feishuBody):len(feishuBody)], ' ')},
		"feishu, two days old":     {"feishu", feishu.Sign(k, feishuBody, now.Add(-48*time.Hour)), feishuBody},
		"feishu in clear":          {"feishu", nil, []byte(`{"schema":"2.0","header":{"event_type":"im.message.receive_v1","token":"x"},"event":{}}`)},
	} {
		if got := s.post("/hooks/"+x.path, x.header, x.body); got != http.StatusUnauthorized {
			t.Errorf("%s: answered %d", name, got)
		}
	}
	if n := s.waiting(); n != 0 {
		t.Errorf("%d were queued", n)
	}
	// The same, signed rightly, are taken: else the others say nothing.
	if got := s.post("/hooks/slack", slack.Sign(slackstandin.DevSecrets().SigningSecret, slackBody, now), slackBody); got != 200 || s.waiting() != 1 {
		t.Errorf("answered %d, %d queued", got, s.waiting())
	}
}

// A replayed delivery starts nothing twice: by the platform's own id within
// minutes, under a new id, and after the queue has forgotten it.
func TestQ7_ReplayedWebhooks(t *testing.T) {
	t.Parallel()
	s := open(t)
	i, a, err := s.world.GitHub.Open(s.ctx, s.github(), githubstandin.Draft{Author: "ada", Repo: "acme/shop", Title: "Till", Body: "@postern-agent fix it"})
	if err != nil || a.Status != 200 {
		t.Fatal(a, err)
	}
	for _, wait := range []time.Duration{0, time.Minute, 10 * time.Minute, 3 * 24 * time.Hour} {
		s.clock.Advance(wait)
		if a, err := s.world.GitHub.Again(s.ctx, a.GUID); err != nil || a.Status != 200 {
			t.Fatal(a, err)
		}
		if n := s.started(); n != 1 {
			t.Fatalf("after %v issue %d started %d tickets", wait, i.Number, n)
		}
	}
}
