package infra

import (
	"strings"
	"testing"
)

// U4: the manifests that are printed name the deployment and no example.
func TestU4_ManifestsNameTheDeployment(t *testing.T) {
	t.Parallel()
	const url = "https://abc123.execute-api.eu-west-1.amazonaws.com"
	m := SlackManifest(url)
	if strings.Count(m, url+"/hooks/slack") != 2 || strings.Contains(m, "example") || strings.Contains(m, "#  ") {
		t.Error(m)
	}
	c := FeishuChecklist(url)
	if !strings.Contains(c, url+"/hooks/feishu") || strings.Contains(c, "...") && strings.Contains(c, "https://...") || strings.Contains(c, "| seen |") {
		t.Error(c)
	}
}
