package scenario

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/local/standin/feishu"
	"github.com/postern-dev/postern/shared/local/standin/github"
	"github.com/postern-dev/postern/shared/local/standin/slack"
)

// Channels and places of the played world, as the development policy names them.
const (
	ops       = "C0OPS"
	approvals = "C0APPROVALS"
	repo      = "acme/shop"
)

// Demo plays the main job from a signed webhook to the report (U2).
func Demo(ctx context.Context, t Target, report Report) error {
	p := &demo{play: play{Target: t, ctx: ctx, began: time.Now(), report: report}}
	if err := p.all(
		act{"unsigned webhook refused", p.unsigned},
		act{"slack message", p.ask},
		act{"ticket accepted", p.receipt},
		act{"approval card", p.card},
		act{"stranger refused", p.stranger},
		act{"two answers at once", p.race},
		act{"call ran once", p.ran},
		act{"card settled", p.settled},
		act{"late click", p.late},
		act{"agent asleep and woken", p.woken},
		act{"report", p.reported},
		act{"github issue", p.issue},
		act{"github answered", p.issueAnswered},
		act{"feishu message", p.feishuAsk},
		act{"feishu card answered", p.feishuAnswer},
		act{"feishu report", p.feishuReport},
	); err != nil {
		return err
	}
	p.done()
	return nil
}

type demo struct {
	play
	message slack.Message // what Ada wrote
	shown   slack.Message // the approval card
	panel   *Panel
	issueNo int64 // the issue that the first comment goes to
	opened  int64 // the issue that Ada opens later
}

func (p *demo) slackHook() slack.Hook   { return slack.Hook{URL: p.hook("slack"), Client: p.Client} }
func (p *demo) githubHook() github.Hook { return github.Hook{URL: p.hook("github"), Client: p.Client} }
func (p *demo) feishuHook() feishu.Hook { return feishu.Hook{URL: p.hook("feishu"), Client: p.Client} }

func (p *demo) unsigned() (string, error) {
	resp, err := p.Client.Post(p.hook("slack"), "application/json", strings.NewReader(`{"type":"event_callback"}`))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		return "", fmt.Errorf("an unsigned webhook was answered %d", resp.StatusCode)
	}
	return "a webhook without Slack's signature: 401", nil
}

func (p *demo) ask() (string, error) {
	// The issue that is spoken of was opened long ago, before Postern listened.
	i, _, err := p.GitHub.Open(p.ctx, github.Hook{URL: p.URL + "/nowhere", Client: p.Client}, github.Draft{Author: "bob", Repo: repo, Title: "Old bug"})
	if err != nil {
		return "", err
	}
	p.issueNo = i.Number
	m, answers, err := p.Slack.Say(p.ctx, p.slackHook(), slack.Line{User: "U0ADA", Channel: ops, Mention: true,
		Text: fmt.Sprintf("comment on %s#%d: looking into it; sleep %d", repo, p.issueNo, p.Nap)})
	if err != nil {
		return "", err
	}
	for _, a := range answers {
		if err := accepted(a.Status); err != nil {
			return "", err
		}
	}
	p.message = m
	return "Ada names the agent in #ops (message and app_mention, both signed, both 200)", nil
}

// inThread finds something the agent said in a thread.
func (p *demo) inThread(channel, thread string, is func(text string) bool) (string, bool) {
	for _, m := range p.Slack.Posted(channel) {
		if m.Thread == thread && is(m.Text) {
			return m.Text, true
		}
	}
	return "", false
}

// isReceipt and isReport tell apart what Postern says when it takes work on
// and what the agent says when it is done. A question's card is neither.
func isReceipt(text string) bool { return strings.Contains(text, "On it. Ticket ") }
func isReport(text string) bool {
	return !isReceipt(text) && !strings.Contains(text, "failed:") && strings.TrimSpace(text) != ""
}

func (p *demo) receipt() (string, error) {
	s, err := p.until("a receipt in Ada's thread", func() (string, bool) { return p.inThread(ops, p.message.TS, isReceipt) })
	return "the gate admits a listed person; in the thread: " + s, err
}

func (p *demo) card() (string, error) {
	return p.until("a card with buttons in #approvals", func() (string, bool) {
		for _, m := range p.Slack.Posted(approvals) {
			if b := m.Buttons(); len(b) == 3 {
				p.shown = m
				return fmt.Sprintf("the executor wants github_comment; #approvals shows a card with [%s] [%s] [%s]", b[0].Label, b[1].Label, b[2].Label), true
			}
		}
		return "", false
	})
}

func (p *demo) stranger() (string, error) {
	a, err := p.Slack.Press(p.ctx, p.slackHook(), "U0MALLORY", approvals, p.shown.TS, 0)
	if err != nil {
		return "", err
	}
	if err := accepted(a.Status); err != nil {
		return "", err
	}
	return p.until("Mallory told privately", func() (string, bool) {
		for _, m := range p.Slack.Told("U0MALLORY") {
			return "Mallory taps Allow and is told privately: " + m.Text, true
		}
		return "", false
	})
}

// race answers from Slack and from the panel in the same instant.
func (p *demo) race() (string, error) {
	var err error
	if p.panel, err = p.Browser(p.ctx); err != nil {
		return "", err
	}
	item := itemOf(p.shown.Buttons()[0].Value)
	form, err := p.panel.Open(p.ctx, item)
	if err != nil {
		return "", err
	}
	var wg sync.WaitGroup
	var click slack.Answer
	var clickErr, formErr error
	var panel Answered
	start := make(chan struct{})
	wg.Go(func() {
		<-start
		click, clickErr = p.Slack.Press(p.ctx, p.slackHook(), "U0BOB", approvals, p.shown.TS, 0)
	})
	wg.Go(func() { <-start; panel, formErr = p.panel.Answer(p.ctx, form, inbox.Allow) })
	close(start)
	wg.Wait()
	if clickErr != nil || formErr != nil {
		return "", fmt.Errorf("slack: %w; panel: %w", clickErr, formErr)
	}
	if err := accepted(click.Status); err != nil {
		return "", err
	}
	switch panel.Status {
	case http.StatusOK:
		said, err := p.until("Bob told privately who won", func() (string, bool) {
			for _, m := range p.Slack.Told("U0BOB") {
				return m.Text, true
			}
			return "", false
		})
		return "Slack's button and the panel at once: the panel won; Bob is told: " + said, err
	case http.StatusConflict:
		return "Slack's button and the panel at once: Slack won; the panel is told: " + panel.Words, nil
	}
	return "", fmt.Errorf("the panel was answered %d: %s", panel.Status, panel.Words)
}

func (p *demo) ran() (string, error) {
	return p.until("one comment on the issue", func() (string, bool) {
		n := count(p.comments(), "looking into it")
		return fmt.Sprintf("the turn goes on at that call: %s#%d has %d comment", repo, p.issueNo, n), n == 1
	})
}

func (p *demo) settled() (string, error) {
	return p.until("the card settled with its outcome", func() (string, bool) {
		for _, m := range p.Slack.Posted(approvals) {
			if w := m.Words(); m.TS == p.shown.TS && len(m.Buttons()) == 0 && strings.Contains(w, "ran: ok") {
				return "the card has no buttons any more: " + lineWith(w, "ran: ok"), true
			}
		}
		return "", false
	})
}

// late sends the click once more, as a phone that was offline would.
func (p *demo) late() (string, error) {
	before := len(p.Slack.Told("U0ADA"))
	if _, err := p.Slack.PressOld(p.ctx, p.slackHook(), "U0ADA", p.shown, 1); err != nil {
		return "", err
	}
	return p.until("Ada told privately that it is settled", func() (string, bool) {
		told := p.Slack.Told("U0ADA")
		if len(told) <= before {
			return "", false
		}
		return "Ada's late Deny changes nothing; she is told: " + told[len(told)-1].Text, true
	})
}

func (p *demo) woken() (string, error) {
	return p.until("the agent woken by its timer", func() (string, bool) {
		_, ok := p.inThread(ops, p.message.TS, isReport)
		return fmt.Sprintf("it slept %d s as rows and was woken by its timer", p.Nap), ok
	})
}

func (p *demo) reported() (string, error) {
	s, ok := p.inThread(ops, p.message.TS, isReport)
	if !ok {
		return "", fmt.Errorf("no report in the thread")
	}
	if n := count(p.comments(), "looking into it"); n != 1 {
		return "", fmt.Errorf("the issue has %d comments, not 1", n)
	}
	return "in Ada's thread: " + s, nil
}

func (p *demo) comments() []string {
	var out []string
	for _, c := range p.GitHub.Posted(repo, p.issueNo) {
		out = append(out, c.Body)
	}
	return out
}

func count(list []string, has string) int {
	n := 0
	for _, s := range list {
		if strings.Contains(s, has) {
			n++
		}
	}
	return n
}

func lineWith(text, has string) string {
	for l := range strings.Lines(text) {
		if strings.Contains(l, has) {
			return strings.TrimSpace(l)
		}
	}
	return ""
}

// itemOf reads the item out of a button's value, as anybody can.
func itemOf(value string) string {
	if f := strings.Split(value, "|"); len(f) > 1 {
		return f[1]
	}
	return ""
}
