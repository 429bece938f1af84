package main

import (
	_ "embed"
	"time"

	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/scenario"
	"github.com/postern-dev/postern/shared/local/standin/github"
	"github.com/postern-dev/postern/shared/local/standin/slack"
)

// rules is the policy of the played world: the development policy and one
// repository more, whose questions expire soon.
//
//go:embed policy.yaml
var rules []byte

// world is the development world and one repository and channel more. Its
// answers can be held back.
type world struct {
	*local.World
	hold *scenario.Hold
}

func newWorld() *world {
	now := func() time.Time { return time.Now().UTC() }
	w := &world{local.NewWorld(now), &scenario.Hold{}}
	s, g := slack.DevConfig(), github.DevConfig()
	s.Channels[scenario.HastyChannel] = "hasty"
	g.Repos = append(g.Repos, github.Repo{ID: 1002, Name: scenario.HastyRepo, Branch: "main", Hook: 2})
	w.Slack, w.GitHub = slack.New(s, now), github.New(g, now)
	return w
}
