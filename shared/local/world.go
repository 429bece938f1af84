package local

import (
	"net/http"
	"time"

	"github.com/postern-dev/postern/shared/local/standin/feishu"
	"github.com/postern-dev/postern/shared/local/standin/github"
	"github.com/postern-dev/postern/shared/local/standin/slack"
)

// World is the three platforms as they are played on this machine. Their
// secrets protect nothing and are the same everywhere.
type World struct {
	Slack  *slack.Server
	Feishu *feishu.Server
	GitHub *github.Server
}

// NewWorld makes the platforms of development, tests and the demo.
func NewWorld(now func() time.Time) *World {
	w := &World{
		Slack:  slack.New(slack.DevConfig(), now),
		Feishu: feishu.New(feishu.DevSecrets(), now),
		GitHub: github.New(github.DevConfig(), now),
	}
	return w
}

// Routes mounts the platforms' APIs: /slack, /feishu and /github.
func (w *World) Routes(mux *http.ServeMux) {
	mux.Handle("/slack/", http.StripPrefix("/slack", w.Slack))
	mux.Handle("/feishu/", http.StripPrefix("/feishu", w.Feishu))
	mux.Handle("/github/", http.StripPrefix("/github", w.GitHub))
}

// Connect makes a configuration use the played platforms at an address.
func (w *World) Connect(cfg *Config, at string) {
	s, f, g := slack.DevSecrets(), feishu.DevSecrets(), github.DevSecrets()
	cfg.Slack, cfg.Feishu, cfg.GitHub = &s, &f, &g
	cfg.SlackAPI, cfg.FeishuAPI, cfg.GitHubAPI = at+"/slack", at+"/feishu", at+"/github"
}
