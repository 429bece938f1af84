package slack

import (
	"os"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"
)

// The app's manifest asks for what this edge receives and sends, for no more,
// and points both addresses at the one entrance.
func TestU4_ManifestFitsTheEdge(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../infra/slack/manifest.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		OAuth struct {
			Scopes struct{ Bot []string }
		} `yaml:"oauth_config"`
		Settings struct {
			Events struct {
				URL string   `yaml:"request_url"`
				Bot []string `yaml:"bot_events"`
			} `yaml:"event_subscriptions"`
			Interactivity struct {
				Enabled bool   `yaml:"is_enabled"`
				URL     string `yaml:"request_url"`
			}
		}
	}
	if err := yaml.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	// Each event with the scope it takes; chat:write is for what goes out.
	needs := map[string]string{
		"app_mention": "app_mentions:read", "message.channels": "channels:history", "message.groups": "groups:history",
		"message.im": "im:history", "message.mpim": "mpim:history",
	}
	scopes := []string{"chat:write"}
	for _, e := range m.Settings.Events.Bot {
		if needs[e] == "" {
			t.Errorf("%s is subscribed to and not received", e)
		}
		scopes = append(scopes, needs[e])
	}
	if len(m.Settings.Events.Bot) != len(needs) {
		t.Errorf("events %v", m.Settings.Events.Bot)
	}
	slices.Sort(scopes)
	if !slices.Equal(scopes, m.OAuth.Scopes.Bot) {
		t.Errorf("scopes %v, needed %v", m.OAuth.Scopes.Bot, scopes)
	}
	if i := m.Settings.Interactivity; !i.Enabled || i.URL != m.Settings.Events.URL || i.URL != "https://postern.example.com/hooks/slack" {
		t.Errorf("interactivity %+v", i)
	}
}
