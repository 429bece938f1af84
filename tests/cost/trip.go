package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/local/standin/github"
	"github.com/postern-dev/postern/shared/local/standin/slack"
)

// Places and people of the played world, as the development policy names them.
const (
	ops       = "C0OPS"
	approvals = "C0APPROVALS"
	repo      = "acme/shop"
)

// trip plays one approval round trip in a session of its own: Ada asks, the
// agent wants to comment, Bob taps Allow in Slack, the comment is written and
// the card says so.
func (w *world) trip(ctx context.Context) error {
	w.clock.Advance(thought)
	w.stage, w.asked = before, 0
	w.meter.enter(before, "")
	client := &http.Client{Transport: w}
	issue, _, err := w.played.GitHub.Open(ctx, github.Hook{URL: "http://nowhere/hooks/github", Client: &http.Client{Transport: nowhere{}}},
		github.Draft{Author: "bob", Repo: repo, Title: "Old bug"})
	if err != nil {
		return fmt.Errorf("open an issue: %w", err)
	}
	hook := slack.Hook{URL: "http://front/hooks/slack", Client: client}
	if _, _, err := w.played.Slack.Say(ctx, hook, slack.Line{User: "U0ADA", Channel: ops, Mention: true,
		Text: fmt.Sprintf("comment on %s#%d: looking into it", repo, issue.Number)}); err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	if err := w.drain(ctx); err != nil {
		return err
	}
	shown, err := w.card(func(m slack.Message) bool { return len(m.Buttons()) == 3 })
	if err != nil {
		return err
	}
	w.clock.Advance(thought)
	w.stage = answer
	a, err := w.played.Slack.Press(ctx, hook, "U0BOB", approvals, shown.TS, 0)
	if err != nil || a.Status != http.StatusOK {
		return fmt.Errorf("tap Allow: status %d: %w", a.Status, err)
	}
	if err := w.drain(ctx); err != nil {
		return err
	}
	if _, err := w.card(func(m slack.Message) bool {
		return m.TS == shown.TS && len(m.Buttons()) == 0 && strings.Contains(m.Words(), "ran: ok")
	}); err != nil {
		return err
	}
	if n := len(w.played.GitHub.Posted(repo, issue.Number)); n != 1 {
		return fmt.Errorf("the call ran %d times", n)
	}
	return nil
}

// thought is how long people take: what functions keep between two events for
// a minute is read again.
const thought = 5 * time.Minute

// card finds the newest card that fits.
func (w *world) card(fits func(slack.Message) bool) (slack.Message, error) {
	posted := w.played.Slack.Posted(approvals)
	for i := len(posted) - 1; i >= 0; i-- {
		if fits(posted[i]) {
			return posted[i], nil
		}
	}
	return slack.Message{}, fmt.Errorf("no such card in #approvals, of %d messages", len(posted))
}

// nowhere takes webhooks that nobody should hear.
type nowhere struct{}

func (nowhere) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}
