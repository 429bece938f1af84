// Command manifests prints what to paste where after a deployment (U4): the
// addresses, Slack's app manifest, a link that opens GitHub's form filled in,
// and where Feishu's checklist is. It reads the file that infra's addresses.py
// writes and the manifests in infra/, and changes nothing.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/postern-dev/postern/shared/edge/github"
)

// placeholder is the address that the manifests in infra/ carry.
const placeholder = "https://postern.example.com"

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: manifests ADDRESSES.json")
	}
	if err := run(os.Args[1], os.Stdout); err != nil {
		log.Fatalf("manifests: %v", err)
	}
}

func run(path string, w io.Writer) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var at struct {
		Outputs map[string]string `json:"outputs"`
	}
	if err := json.Unmarshal(raw, &at); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	slack, err := os.ReadFile("infra/slack/manifest.yaml")
	if err != nil {
		return err
	}
	return write(w, at.Outputs, string(slack))
}

func write(w io.Writer, outputs map[string]string, slack string) error {
	panel := outputs["Panel"]
	if panel == "" {
		return errors.New("the stack has no output Panel: deploy with the project's template")
	}
	_, err := fmt.Fprintf(w, `
The panel            %s
Slack's webhook      %s
Feishu's webhook     %s
GitHub's webhook     %s
The table            %s (kept when the stack is deleted)

--- Slack: create an app from this manifest at https://api.slack.com/apps?new_app=1
%s
--- GitHub: open this link as the owner of the account
%s

--- Feishu: infra/feishu/checklist.md, with the address above in both places of its step 6

Next: postern doctor
`, panel, outputs["SlackWebhook"], outputs["FeishuWebhook"], outputs["GithubWebhook"], outputs["TableName"],
		strings.ReplaceAll(plain(slack), placeholder, panel), github.AppLink("", "postern-agent", panel, outputs["GithubWebhook"]))
	return err
}

// plain leaves the comment lines out.
func plain(manifest string) string {
	var kept []string
	for line := range strings.Lines(manifest) {
		if !strings.HasPrefix(line, "#") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
