// Package scenario plays people in front of a running Postern, wherever it
// runs: the main job and its harder cousins, by signed webhooks and the panel,
// with stand-ins of the three platforms that it can look into (U2, D10).
//
// It knows only addresses: it reads no table and calls no handler, so the same
// steps are seen on the embedded engine, on an emulator and in the cloud.
package scenario

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/postern-dev/postern/shared/local/standin/feishu"
	"github.com/postern-dev/postern/shared/local/standin/github"
	"github.com/postern-dev/postern/shared/local/standin/slack"
)

// Target is a running Postern and the world around it.
type Target struct {
	URL    string // of its HTTP entrances, without a slash at the end
	Client *http.Client
	Origin string // of the panel's pages, where it is not URL
	Slack  *slack.Server
	Feishu *feishu.Server
	GitHub *github.Server
	// SignIn gives a one-time sign-in link's key for a person of the panel.
	SignIn func(ctx context.Context) (key string, err error)
	// Patience is how long one step may take.
	Patience time.Duration
	// Nap is how long the agent sleeps in the scenario, in seconds.
	Nap int
	// Hold stands around the played platforms, and Levers reach below Postern:
	// for the slow cousins only.
	Hold   *Hold
	Levers Levers
}

// Step is one thing that was to be seen.
type Step struct {
	Step string `json:"step"`
	At   string `json:"at,omitempty"` // since the beginning, such as "1.204s"
	What string `json:"what,omitempty"`
	OK   bool   `json:"ok"`
	// LeftOut says why the step could not be played here. It was not seen then.
	LeftOut string `json:"left_out,omitempty"`
}

// Report hears of each step as it is seen.
type Report func(Step)

// play is one scenario being played.
type play struct {
	Target
	ctx    context.Context
	began  time.Time
	report Report
}

// errStep ends a play at the first step that was not seen.
var errStep = errors.New("a step was not seen")

// do plays one step: f says what was seen, or what went wrong.
func (p *play) do(step string, f func() (string, error)) error {
	what, err := f()
	if err != nil {
		p.say(step, err.Error(), false)
		return fmt.Errorf("%w: %s: %w", errStep, step, err)
	}
	p.say(step, what, true)
	return nil
}

// done is the last step: that every other one was seen (U2).
func (p *play) done() { p.report(Step{Step: "done", OK: true}) }

func (p *play) say(step, what string, ok bool) {
	p.report(Step{Step: step, At: fmt.Sprintf("%.3fs", time.Since(p.began).Seconds()), What: what, OK: ok})
}

// until looks again and again until f has something, or patience ends.
func (p *play) until(what string, f func() (string, bool)) (string, error) {
	end := time.Now().Add(p.Patience)
	for {
		if s, ok := f(); ok {
			return s, nil
		}
		if time.Now().After(end) {
			return "", fmt.Errorf("not seen within %s: %s", p.Patience, what)
		}
		select {
		case <-p.ctx.Done():
			return "", p.ctx.Err()
		case <-time.After(15 * time.Millisecond):
		}
	}
}

type act struct {
	name string
	f    func() (string, error)
}

func (p *play) all(acts ...act) error {
	for _, a := range acts {
		if err := p.do(a.name, a.f); err != nil {
			return err
		}
	}
	return nil
}

func (p *play) hook(platform string) string { return p.URL + "/hooks/" + platform }

func accepted(status int) error {
	if status != http.StatusOK {
		return fmt.Errorf("the webhook was answered %d", status)
	}
	return nil
}
