package github

import (
	"encoding/json"
	"maps"
	"net/url"
	"os"
	"slices"
	"testing"
)

// The App asks for the events that are handled, and for no others, by manifest
// and by link alike.
func TestAppAsksForWhatIsHandled(t *testing.T) {
	t.Parallel()
	handled := slices.DeleteFunc(slices.Sorted(maps.Keys(kinds)), func(k string) bool { return k == "ping" })
	if asked := slices.Sorted(slices.Values(Events)); !slices.Equal(asked, handled) {
		t.Errorf("asks for %v, handles %v", asked, handled)
	}
	b, err := os.ReadFile("../../../infra/github/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Events      []string          `json:"default_events"`
		Permissions map[string]string `json:"default_permissions"`
	}
	if err := json.Unmarshal(b, &manifest); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(manifest.Events, Events) || !maps.Equal(manifest.Permissions, Permissions) {
		t.Errorf("the manifest asks for %v and %v", manifest.Events, manifest.Permissions)
	}
}

func TestAppLink(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(AppLink("acme", "Postern of Acme", "https://p.example", "https://p.example/hooks/github"))
	if err != nil || u.Host != "github.com" || u.Path != "/organizations/acme/settings/apps/new" {
		t.Fatalf("%v %v", u, err)
	}
	q := u.Query()
	if q.Get("name") != "Postern of Acme" || q.Get("webhook_url") != "https://p.example/hooks/github" || q.Get("issues") != "write" || !slices.Equal(q["events[]"], Events) {
		t.Errorf("%v", q)
	}
	if u, _ := url.Parse(AppLink("", "x", "y", "z")); u.Path != "/settings/apps/new" {
		t.Errorf("%v", u)
	}
}
