// Package infra holds the manifests that come with Postern, as text: the Slack
// app's, and the checklist of the Feishu app. The GitHub App's is a link, which
// edge/github makes. It does nothing with them but put an address in.
package infra

import (
	_ "embed"
	"strings"
)

// example is the address that the manifests are written with.
const example = "https://postern.example.com"

//go:embed slack/manifest.yaml
var slackManifest string

//go:embed feishu/checklist.md
var feishuChecklist string

// SlackManifest is the Slack app's manifest for a deployment at an address,
// without its comments.
func SlackManifest(url string) string {
	var lines []string
	for _, l := range strings.Split(slackManifest, "\n") {
		if !strings.HasPrefix(l, "#") {
			lines = append(lines, l)
		}
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), example, url)
}

// FeishuChecklist is what to do in Feishu's or Lark's console for a deployment
// at an address, up to the table of troubles.
func FeishuChecklist(url string) string {
	list, _, _ := strings.Cut(feishuChecklist, "\n## ")
	return strings.ReplaceAll(list, "https://.../hooks/feishu", url+"/hooks/feishu")
}
