package github

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// MaxComment is the most bytes of a comment that we write. GitHub takes
// 65,536 characters.
const MaxComment = 60 << 10

// lookBack is how far back a retry looks for its own comment: longer than any
// delivery is retried.
const lookBack = 14 * 24 * time.Hour

// Post shows a card on an issue or pull request and gives the comment's id.
// The same key on the same place gives the same comment, once it is there; if
// it shows an older card, it is made to show this one.
func (c *Client) Post(ctx context.Context, place trigger.Place, card inbox.Card, key string) (string, error) {
	text := RenderCard(card, c.mentions(ctx, card))
	got, earlier, err := c.comment(ctx, place, text, key)
	if err == nil && earlier && withoutMarker(got.Body) != text {
		place.Account = strings.ToLower(place.Account)
		err = c.change(ctx, place.Account, got.ID.String(), marker(c.secrets[0], place, key)+text)
	}
	return got.name(err)
}

// Update makes a comment show the card's present state.
func (c *Client) Update(ctx context.Context, ref inbox.Reference, card inbox.Card) error {
	account, ok := fullName(ref.Place.Account)
	if !ok || ref.Place.Surface != trigger.GitHub || !isNumber(ref.Message) {
		return failure("no_place", true, nil)
	}
	return c.change(ctx, account, ref.Message, markerCard+RenderCard(card, nil))
}

func (c *Client) change(ctx context.Context, account, comment, body string) error {
	in := map[string]string{"body": body}
	return c.call(ctx, asInstallation, http.MethodPatch, "/repos/"+account+"/issues/comments/"+comment, in, nil)
}

// Say writes a reply and gives the comment's id. The text is Markdown; in it
// nobody is notified and no HTML counts. The key is as for Post.
func (c *Client) Say(ctx context.Context, place trigger.Place, text, key string) (string, error) {
	got, _, err := c.comment(ctx, place, clamp(quiet(text), MaxComment), key)
	return got.name(err)
}

// Tell is not possible here.
func (c *Client) Tell(context.Context, trigger.Place, actor.Actor, string) error { return ErrNoPrivate }

// commentAnswer is what the API says of a comment.
type commentAnswer struct {
	ID        number `json:"id"`
	Body      string `json:"body"`
	URL       string `json:"html_url"`
	CreatedAt string `json:"created_at"`
	User      struct {
		Login string `json:"login"`
	} `json:"user"`
}

// name is the comment's id, unless something failed.
func (a commentAnswer) name(err error) (string, error) {
	if err != nil {
		return "", err
	}
	return a.ID.String(), nil
}

// comment writes a comment behind the key's marker, or finds the one that an
// earlier try has left.
func (c *Client) comment(ctx context.Context, place trigger.Place, text, key string) (got commentAnswer, earlier bool, err error) {
	account, ok := fullName(place.Account)
	if !ok || place.Surface != trigger.GitHub || !isNumber(place.Channel) {
		return got, false, failure("no_place", true, nil)
	}
	place.Account = account // as its marker has it
	path := "/repos/" + account + "/issues/" + place.Channel + "/comments"
	got, err = c.find(ctx, path, place, key)
	if err != nil || got.ID != 0 {
		return got, true, err
	}
	in := map[string]string{"body": marker(c.secrets[0], place, key) + text}
	err = c.call(ctx, asInstallation, http.MethodPost, path, in, &got)
	if err == nil && got.ID <= 0 {
		err = failure("unreadable", false, nil)
	}
	return got, false, err
}

// find looks for a comment with the key's marker. What cannot be read is an
// error and not "none": a second comment would be worse than a later one.
func (c *Client) find(ctx context.Context, path string, place trigger.Place, key string) (commentAnswer, error) {
	q := url.Values{"per_page": {"100"}, "since": {c.now().Add(-lookBack).UTC().Format(time.RFC3339)}}
	for path += "?" + q.Encode(); path != ""; {
		var page []commentAnswer
		h, err := c.callFor(ctx, asInstallation, http.MethodGet, path, nil, &page)
		if err != nil {
			return commentAnswer{}, err
		}
		for _, got := range page {
			for _, s := range c.secrets {
				if got.ID > 0 && strings.HasPrefix(strings.ReplaceAll(got.Body, "\r\n", "\n"), marker(s, place, key)) {
					return got, nil
				}
			}
		}
		path = c.next(h)
	}
	return commentAnswer{}, nil
}

// mentions gives the logins of those who may answer, ten at most (I10).
func (c *Client) mentions(ctx context.Context, card inbox.Card) (logins []string) {
	if card.Settled {
		return nil
	}
	for _, ref := range card.Mentions {
		if a, ok := actor.ParseRef(ref); ok && a.Provider == trigger.GitHub && a.Workspace == "" && len(logins) < 10 {
			if name := c.login(ctx, a.ID); name != "" {
				logins = append(logins, name)
			}
		}
	}
	return logins
}

func isNumber(s string) bool {
	n, err := strconv.ParseInt(s, 10, 64)
	return err == nil && n > 0 && s[0] != '+'
}
