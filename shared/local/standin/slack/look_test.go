package slack_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	edge "github.com/postern-dev/postern/shared/edge/slack"
	"github.com/postern-dev/postern/shared/local/standin/slack"
)

func looker(t *testing.T, cfg slack.Config) (*edge.Client, *slack.Server) {
	t.Helper()
	s := slack.New(cfg, fixed)
	api := httptest.NewServer(s)
	t.Cleanup(api.Close)
	c, err := edge.NewClient(slack.DevSecrets(), api.URL, http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	return c, s
}

// U4: the client tells whose the token is, and its scopes are the manifest's.
func TestU4_SelfTellsTeamBotAndScopes(t *testing.T) {
	t.Parallel()
	c, _ := looker(t, slack.DevConfig())
	me, err := c.Self(bg)
	if err != nil || me.Team != "T0DEV" || me.Bot != "B0AGENT" || !slices.Equal(me.Scopes, edge.Scopes) {
		t.Fatalf("%+v, %v", me, err)
	}
}

// U4: membership is seen with and without the scope that the app does not ask
// for, and no message of anybody is read for it.
func TestU4_ChatTellsMembership(t *testing.T) {
	t.Parallel()
	for _, scopes := range []string{"", ",channels:read"} {
		cfg := slack.DevConfig()
		cfg.Scopes += scopes
		c, s := looker(t, cfg)
		if got, err := c.Chat(bg, "C0OPS", fixed()); err != nil || !got.Member {
			t.Errorf("%q: %+v, %v", scopes, got, err)
		}
		if _, err := c.Chat(bg, "C0NONE", fixed()); err == nil {
			t.Errorf("%q: an unknown channel", scopes)
		}
		s.Fail("conversations.info", slack.Fault{Error: "missing_scope"})
		s.Fail("conversations.history", slack.Fault{Error: "not_in_channel"})
		if got, err := c.Chat(bg, "C0OPS", fixed()); err != nil || got.Member {
			t.Errorf("%q: outside: %+v, %v", scopes, got, err)
		}
	}
}
