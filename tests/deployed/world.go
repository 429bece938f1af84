package main

import (
	"crypto/rand"
	"net"
	"net/http"
	"time"

	edge "github.com/postern-dev/postern/shared/edge/feishu"
	"github.com/postern-dev/postern/shared/local/standin/feishu"
	"github.com/postern-dev/postern/shared/local/standin/github"
	"github.com/postern-dev/postern/shared/local/standin/slack"
)

// world plays the three platforms, each with keys that were made for this run,
// so that one left behind anywhere can be found.
type world struct {
	slack, feishu, github string // addresses of the APIs
	keys                  keys
	stop                  func()
}

// keys are what the deployer types.
type keys struct {
	signing, bot                        string
	appSecret, encryptKey, verification string
	webhook, token                      string
}

func (k keys) all() []string {
	return []string{k.signing, k.bot, k.appSecret, k.encryptKey, k.verification, k.webhook, k.token}
}

func play() (*world, error) {
	mark := "marked-" + rand.Text()[:12]
	w := &world{keys: keys{signing: mark + "-signing", bot: "xoxb-" + mark, appSecret: mark + "-app", encryptKey: mark + "-encrypt",
		verification: mark + "-verify", webhook: mark + "-webhook", token: "ghp_" + mark}}
	now := func() time.Time { return time.Now().UTC() }
	s := slack.DevConfig()
	s.SigningSecret, s.BotToken = w.keys.signing, w.keys.bot
	f := edge.Secrets{AppID: "cli_dev", AppSecret: w.keys.appSecret, EncryptKey: w.keys.encryptKey, VerificationToken: w.keys.verification}
	g := github.DevConfig()
	g.WebhookSecret, g.Token = w.keys.webhook, w.keys.token

	var servers []*http.Server
	w.stop = func() {
		for _, s := range servers {
			_ = s.Close()
		}
	}
	for _, p := range []struct {
		at *string
		h  http.Handler
	}{{&w.slack, slack.New(s, now)}, {&w.feishu, feishu.New(f, now)}, {&w.github, github.New(g, now)}} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			w.stop()
			return nil, err
		}
		*p.at = "http://" + l.Addr().String()
		server := &http.Server{Handler: p.h, ReadHeaderTimeout: 10 * time.Second}
		servers = append(servers, server)
		go func() { _ = server.Serve(l) }()
	}
	return w, nil
}
