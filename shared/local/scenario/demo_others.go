package scenario

import (
	"fmt"
	"strings"

	"github.com/postern-dev/postern/shared/local/standin/feishu"
	"github.com/postern-dev/postern/shared/local/standin/github"
)

// issue: a person opens an issue and names the agent.
func (p *demo) issue() (string, error) {
	i, a, err := p.GitHub.Open(p.ctx, p.githubHook(), github.Draft{Author: "ada", Repo: repo,
		Title: "Cart total is wrong", Body: "@postern-agent ask me which browser was it? [Firefox | Chrome]"})
	if err != nil {
		return "", err
	}
	p.opened = i.Number
	return fmt.Sprintf("Ada opens %s#%d and names the agent", repo, i.Number), accepted(a.Status)
}

// issueAnswered: the question is answered in the panel, and the report comes
// to the issue.
func (p *demo) issueAnswered() (string, error) {
	item, err := p.until("a question in the panel", func() (string, bool) { return p.panel.Find(p.ctx, "which browser was it") })
	if err != nil {
		return "", err
	}
	form, err := p.panel.Open(p.ctx, item)
	if err != nil {
		return "", err
	}
	a, err := p.panel.Answer(p.ctx, form, "o1")
	if err != nil || a.Status != 200 {
		return "", fmt.Errorf("the panel was answered %d: %s (%w)", a.Status, a.Words, err)
	}
	return p.until("a report on the issue", func() (string, bool) {
		for _, c := range p.GitHub.Posted(repo, p.opened) {
			if text := withoutMarker(c.Body); isReport(text) && !strings.HasPrefix(text, "**Question**") { // its card stands there too
				return "answered in the panel; on the issue: " + firstLine(text), true
			}
		}
		return "", false
	})
}

func (p *demo) feishuAsk() (string, error) {
	r, err := p.Feishu.Say(p.ctx, p.feishuHook(), feishu.Speech{Person: "ou_ada", Chat: "oc_ops", Mention: true,
		Text: "ask me may I restart it? [Yes | No]"})
	if err != nil {
		return "", err
	}
	return "Ada names the agent in a Feishu chat (encrypted, signed, 200)", accepted(r.Status)
}

// feishuAnswer taps the card's button in Feishu; the answer of the callback
// shows the settled card.
func (p *demo) feishuAnswer() (string, error) {
	var card feishu.Message
	if _, err := p.until("a card in the Feishu chat", func() (string, bool) {
		for _, m := range p.Feishu.Messages("oc_ops") {
			if len(m.Buttons) == 3 { // Yes, No, Open
				card = m
				return "", true
			}
		}
		return "", false
	}); err != nil {
		return "", err
	}
	r, err := p.Feishu.Click(p.ctx, p.feishuHook(), "ou_ada", card.ID, 0)
	if err != nil {
		return "", err
	}
	if err := accepted(r.Status); err != nil {
		return "", err
	}
	presses := p.Feishu.Presses()
	last := presses[len(presses)-1]
	if last.Trouble != "" || last.ToastType != "success" {
		return "", fmt.Errorf("the tap was answered with trouble %q, toast %q %q", last.Trouble, last.ToastType, last.Toast)
	}
	if m, _ := p.Feishu.Message(card.ID); len(m.Buttons) != 0 {
		return "", fmt.Errorf("the card still has buttons after the tap")
	}
	return "she taps Yes; Feishu shows the toast: " + last.Toast, nil
}

func (p *demo) feishuReport() (string, error) {
	return p.until("a report in the Feishu chat", func() (string, bool) {
		for _, m := range p.Feishu.Messages("oc_ops") {
			if m.FromBot && m.Kind == "text" && isReport(m.Text) {
				return "in the Feishu chat: " + firstLine(m.Text), true
			}
		}
		return "", false
	})
}

// withoutMarker drops the hidden line by which a comment is found again.
func withoutMarker(body string) string {
	if strings.HasPrefix(body, "<!--") {
		_, body, _ = strings.Cut(body, "-->")
	}
	return strings.TrimSpace(body)
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
