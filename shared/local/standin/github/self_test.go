package github

import (
	"maps"
	"slices"
	"testing"

	edge "github.com/postern-dev/postern/shared/edge/github"
)

// U4: an App is looked at by its own key, a token by its own.
func TestU4_TheAppIsLookedAt(t *testing.T) {
	t.Parallel()
	w := start(t, func(cfg *Config, s *edge.Secrets) {
		asApp(cfg, s)
		cfg.WebhookURL = "https://p.example/hooks/github"
	})
	a, err := w.client.App(ctx)
	if err != nil || a.Slug != "postern-agent" || !maps.Equal(a.Permissions, edge.Permissions) || !slices.Equal(a.Events, edge.Events) {
		t.Errorf("%+v, %v", a, err)
	}
	if h, err := w.client.AppHook(ctx); err != nil || h.URL != "https://p.example/hooks/github" || h.ContentType != "json" {
		t.Errorf("%+v, %v", h, err)
	}
	if i, err := w.client.Installation(ctx); err != nil || i.Suspended != nil {
		t.Errorf("%+v, %v", i, err)
	}
	if !w.client.IsApp() {
		t.Error("no App")
	}
	if err := w.client.Sees(ctx, "acme/shop"); err != nil {
		t.Error(err)
	}
	if err := w.client.Sees(ctx, "acme/elsewhere"); err == nil {
		t.Error("sees what is not there")
	}
}

func TestU4_ATokenIsLookedAt(t *testing.T) {
	t.Parallel()
	w := start(t)
	if login, err := w.client.Login(ctx); err != nil || login != "postern-agent" || w.client.IsApp() {
		t.Errorf("%q, %v", login, err)
	}
	if _, err := w.client.App(ctx); err == nil {
		t.Error("a token passes for an App")
	}
}
