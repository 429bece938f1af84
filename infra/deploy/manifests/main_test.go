package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestManifestsCarryTheDeploymentsAddresses(t *testing.T) {
	t.Parallel()
	slack, err := os.ReadFile("../../slack/manifest.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = write(&out, map[string]string{"Panel": "https://p.test", "SlackWebhook": "https://p.test/hooks/slack",
		"FeishuWebhook": "https://p.test/hooks/feishu", "GithubWebhook": "https://p.test/hooks/github", "TableName": "T"}, string(slack))
	if err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if n := strings.Count(text, "request_url: https://p.test/hooks/slack"); n != 2 {
		t.Errorf("Slack's manifest names the webhook %d times, want 2", n)
	}
	for _, want := range []string{"github.com/settings/apps/new?", "https%3A%2F%2Fp.test%2Fhooks%2Fgithub", "https://p.test/hooks/feishu", "postern doctor"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not printed", want)
		}
	}
	if strings.Contains(text, "postern.example.com") {
		t.Error("a placeholder is left")
	}
}

func TestManifestsNeedADeployment(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "addresses.json")
	if err := os.WriteFile(path, []byte(`{"outputs":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(path, &strings.Builder{}); err == nil {
		t.Error("no error though there is no deployment")
	}
	if err := write(&strings.Builder{}, nil, ""); err == nil || !strings.Contains(err.Error(), "Panel") {
		t.Errorf("got %v, want it to name the output", err)
	}
}
