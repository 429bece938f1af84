package scenario

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/local/standin/github"
	"github.com/postern-dev/postern/shared/local/standin/slack"
)

// private is what an agent wants to write, and only some may read beforehand.
const private = "between-us"

// ownLink: whoever taps Open on a card is sent a link of his own, once; a
// stranger's shows him nothing that is not for him (I22).
func (c *cousins) ownLink() (string, error) {
	i, _, err := c.GitHub.Open(c.ctx, github.Hook{URL: c.URL + "/nowhere", Client: c.Client}, github.Draft{Author: "bob", Repo: repo, Title: "Sent a link"})
	if err != nil {
		return "", err
	}
	target := fmt.Sprintf("%s#%d", repo, i.Number)
	asked, err := c.write("U0ADA", fmt.Sprintf("comment on %s: %s", target, private), "", true)
	if err != nil {
		return "", err
	}
	var card slack.Message
	if _, err := c.until("a card with Open", func() (string, bool) {
		for _, m := range c.Slack.Posted(approvals) {
			if b := m.Buttons(); len(b) == 3 && b[2].Label == "Open" && strings.Contains(m.Words(), private) {
				card = m
				return "", true
			}
		}
		return "", false
	}); err != nil {
		return "", err
	}
	item := itemOf(card.Buttons()[2].Value)
	if err := c.strangersLink(card, item, target); err != nil {
		return "", err
	}
	key, err := c.tapOpen("U0BOB", card)
	if err != nil {
		return "", err
	}
	bob, a, err := c.follow(c.ctx, key)
	if err != nil {
		return "", err
	}
	if a.status != http.StatusOK || !strings.Contains(a.body, private) || !strings.Contains(a.body, item) {
		return "", fmt.Errorf("the link that Bob was sent was answered %d and does not show the request", a.status)
	}
	if _, a, err = c.follow(c.ctx, key); err != nil {
		return "", err
	}
	if a.status != http.StatusForbidden {
		return "", fmt.Errorf("the link that Bob was sent, used again, was answered %d", a.status)
	}
	form, err := bob.Open(c.ctx, item)
	if err != nil {
		return "", err
	}
	denied, err := bob.Answer(c.ctx, form, inbox.Deny)
	if err != nil || denied.Status != http.StatusOK {
		return "", fmt.Errorf("the answer Bob gave was answered %d: %s (%w)", denied.Status, denied.Words, err)
	}
	if _, err := c.until("the report", func() (string, bool) { return c.inThread(ops, asked.TS, isReport) }); err != nil {
		return "", err
	}
	return "Bob taps Open, is sent a link of his own, reads and denies as himself; again it is refused; Mallory's shows her nothing", nil
}

// tapOpen taps a card's Open and gives the key that the person was sent.
func (c *cousins) tapOpen(user string, card slack.Message) (string, error) {
	before := len(c.Slack.Told(user))
	a, err := c.Slack.Press(c.ctx, c.slackHook(), user, card.Channel, card.TS, 2)
	if err != nil {
		return "", err
	}
	if err := accepted(a.Status); err != nil {
		return "", err
	}
	return c.until(user+" sent a link", func() (string, bool) {
		told := c.Slack.Told(user)
		for _, m := range told[before:] {
			if _, key, ok := strings.Cut(m.Text, "/login?key="); ok {
				return strings.TrimSpace(key), true
			}
		}
		return "", false
	})
}

// strangersLink: Mallory, who is on no list, is let in as herself, and sees
// that there is a request and no more.
func (c *cousins) strangersLink(card slack.Message, item, target string) error {
	key, err := c.tapOpen("U0MALLORY", card)
	if err != nil {
		return err
	}
	mallory, a, err := c.follow(c.ctx, key)
	if err != nil {
		return err
	}
	if a.status != http.StatusOK || strings.Contains(a.body, `class="answer"`) {
		return fmt.Errorf("the link that Mallory was sent was answered %d, or she may answer", a.status)
	}
	for _, path := range []string{"/inbox/" + item, "/inbox", "/inbox?tab=all", "/sessions", "/decisions"} {
		_, body, err := mallory.get(c.ctx, path)
		if err != nil {
			return err
		}
		if strings.Contains(body, private) || strings.Contains(body, target) {
			return fmt.Errorf("by her link Mallory reads at %s what is not for her", path)
		}
	}
	return nil
}
