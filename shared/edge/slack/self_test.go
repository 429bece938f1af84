package slack

import (
	"os"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"
)

// U4: what doctor asks of a token is what the manifest asks of Slack.
func TestU4_ScopesAreTheManifests(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../infra/slack/manifest.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		OAuth struct {
			Scopes struct{ Bot []string }
		} `yaml:"oauth_config"`
	}
	if err := yaml.Unmarshal(raw, &m); err != nil || !slices.Equal(m.OAuth.Scopes.Bot, Scopes) {
		t.Errorf("manifest %v, doctor %v, %v", m.OAuth.Scopes.Bot, Scopes, err)
	}
}
