package scenario

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/local/standin/github"
	"github.com/postern-dev/postern/shared/local/standin/slack"
)

// Cousins plays the harder cases: the same delivery again and again, a denied
// call, a card's own link, a stranger who names the agent, a poison message in a thread, a
// follow-up that resumes ended work.
func Cousins(ctx context.Context, t Target, report Report) error {
	c := &cousins{demo{play: play{Target: t, ctx: ctx, began: time.Now(), report: report}}}
	if err := c.all(
		act{"duplicate deliveries", c.duplicates},
		act{"denied call", c.denied},
		act{"card's own link", c.ownLink},
		act{"follow-up resumes", c.followUp},
		act{"stranger not admitted", c.outsider},
		act{"poison message", c.poison},
	); err != nil {
		return err
	}
	c.done()
	return nil
}

type cousins struct{ demo }

func (c *cousins) write(user, text, thread string, mention bool) (slack.Message, error) {
	m, answers, err := c.Slack.Say(c.ctx, c.slackHook(), slack.Line{User: user, Channel: ops, Thread: thread, Mention: mention, Text: text})
	if err != nil {
		return m, err
	}
	for _, a := range answers {
		if err := accepted(a.Status); err != nil {
			return m, err
		}
	}
	return m, nil
}

// duplicates: GitHub's event comes three times; one ticket, one report.
func (c *cousins) duplicates() (string, error) {
	i, a, err := c.GitHub.Open(c.ctx, c.githubHook(), github.Draft{Author: "ada", Repo: repo, Title: "Twice", Body: "@postern-agent sleep 1"})
	if err != nil {
		return "", err
	}
	for range 2 {
		if _, err := c.GitHub.Again(c.ctx, a.GUID); err != nil {
			return "", err
		}
	}
	reports := func() int {
		n := 0
		for _, m := range c.GitHub.Posted(repo, i.Number) {
			if isReport(withoutMarker(m.Body)) {
				n++
			}
		}
		return n
	}
	if _, err := c.until("a report on the issue", func() (string, bool) { return "", reports() > 0 }); err != nil {
		return "", err
	}
	receipts := 0
	for _, m := range c.GitHub.Posted(repo, i.Number) {
		receipts += strings.Count(m.Body, "On it. Ticket ")
	}
	if reports() != 1 || receipts != 1 {
		return "", fmt.Errorf("three deliveries made %d receipts and %d reports", receipts, reports())
	}
	return "one event delivered three times: one ticket, one report", nil
}

// denied: a person denies in the panel with a reason, and the agent goes on.
func (c *cousins) denied() (string, error) {
	i, _, err := c.GitHub.Open(c.ctx, github.Hook{URL: c.URL + "/nowhere", Client: c.Client}, github.Draft{Author: "bob", Repo: repo, Title: "Do not touch"})
	if err != nil {
		return "", err
	}
	c.issueNo = i.Number
	if c.message, err = c.write("U0ADA", fmt.Sprintf("comment on %s#%d: unwanted", repo, i.Number), "", true); err != nil {
		return "", err
	}
	if c.panel, err = c.Browser(c.ctx); err != nil {
		return "", err
	}
	item, err := c.until("the request in the panel", func() (string, bool) {
		return c.panel.Find(c.ctx, fmt.Sprintf("%s#%d", repo, i.Number))
	})
	if err != nil {
		return "", err
	}
	form, err := c.panel.Open(c.ctx, item)
	if err != nil {
		return "", err
	}
	a, err := c.panel.Answer(c.ctx, form, inbox.Deny)
	if err != nil || a.Status != 200 {
		return "", fmt.Errorf("the panel was answered %d: %s (%w)", a.Status, a.Words, err)
	}
	s, err := c.until("the report", func() (string, bool) { return c.inThread(ops, c.message.TS, isReport) })
	if err != nil {
		return "", err
	}
	if n := len(c.comments()); n != 0 {
		return "", fmt.Errorf("a denied call left %d comments", n)
	}
	return "denied in the panel; nothing was written; the agent reports: " + s, nil
}

// followUp: a message on the thread of ended work resumes it (G36).
func (c *cousins) followUp() (string, error) {
	if _, err := c.write("U0ADA", "sleep 1", c.message.TS, true); err != nil {
		return "", err
	}
	return c.until("a second report in the same thread", func() (string, bool) {
		n := 0
		for _, m := range c.Slack.Posted(ops) {
			if m.Thread == c.message.TS && isReport(m.Text) {
				n++
			}
		}
		return "a message on the thread resumed the same ticket: no second receipt, a second report", n == 2
	})
}

// outsider: somebody who is not listed names the agent; nothing starts.
func (c *cousins) outsider() (string, error) {
	m, err := c.write("U0MALLORY", "comment on acme/shop#1: mine", "", true)
	if err != nil {
		return "", err
	}
	// What comes after it in another thread is answered; by then this was judged.
	after, err := c.write("U0ADA", "sleep 1", "", true)
	if err != nil {
		return "", err
	}
	if _, err := c.until("the next report", func() (string, bool) { return c.inThread(ops, after.TS, isReport) }); err != nil {
		return "", err
	}
	if s, ok := c.inThread(ops, m.TS, func(string) bool { return true }); ok {
		return "", fmt.Errorf("the agent answered a stranger: %s", s)
	}
	return "Mallory names the agent and is not listed: nothing starts, nothing is said", nil
}

// poison: a message that no model call can digest does not silence its thread.
func (c *cousins) poison() (string, error) {
	m, err := c.write("U0ADA", "call no_such_tool {\"a\":1}", "", true)
	if err != nil {
		return "", err
	}
	if _, err := c.until("a report on the impossible call", func() (string, bool) { return c.inThread(ops, m.TS, isReport) }); err != nil {
		return "", err
	}
	if _, err := c.write("U0ADA", "sleep 1", m.TS, true); err != nil {
		return "", err
	}
	return c.until("the next message answered", func() (string, bool) {
		s, ok := c.inThread(ops, m.TS, func(text string) bool { return strings.Contains(text, "slept") })
		return "an impossible call is a result, and the thread goes on: " + s, ok
	})
}
