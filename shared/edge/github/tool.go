package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/postern-dev/postern/shared/domain/trigger"
)

// issueArgs is what names an issue or pull request in a tool call, as the
// catalog declares it.
type issueArgs struct {
	Issue   string `json:"issue"` // OWNER/REPO#NUMBER
	Account string `json:"account"`
	repo    string
	number  int64
}

func (a *issueArgs) check() error {
	name, n, ok := strings.Cut(a.Issue, "#")
	number, err := strconv.ParseInt(n, 10, 64)
	full, good := fullName(name)
	if !ok || err != nil || number <= 0 || !good {
		return errors.New(`"issue" must be "OWNER/REPO#NUMBER"`)
	}
	if a.Account != "" {
		return errors.New(`"account" names an account that is not connected`) // C3: never another one
	}
	a.repo, a.number = full, number
	return nil
}

// strict reads a tool's arguments and refuses any that is not one of the names,
// letter by letter: what was judged and shown by its name is what is read.
func strict(args json.RawMessage, into any, names ...string) error {
	var all map[string]json.RawMessage
	err := json.Unmarshal(args, &all)
	for name := range all {
		if !slices.Contains(names, name) {
			err = errors.New("unknown")
		}
	}
	if err != nil || all == nil || json.Unmarshal(args, into) != nil {
		return errors.New("the arguments are not the JSON object that the tool takes")
	}
	return nil
}

// Comment is the tool github_comment {issue, body}. The body is written
// as it is given, since it is what was approved (P25). The same key writes at
// most one comment, so the tool is idempotent (S8).
func (c *Client) Comment(ctx context.Context, args json.RawMessage, key string) (string, error) {
	var in struct {
		issueArgs
		Body string `json:"body"`
	}
	err := strict(args, &in, "issue", "body", "account")
	if err == nil {
		err = in.check()
	}
	switch {
	case err != nil:
	case strings.TrimSpace(in.Body) == "":
		err = errors.New(`"body" is empty`)
	case len(in.Body) > MaxComment:
		err = fmt.Errorf(`"body" is over %d bytes`, MaxComment)
	}
	if err != nil {
		return "", fmt.Errorf("github_comment: %w", err)
	}
	place := trigger.Place{Surface: trigger.GitHub, Account: in.repo, Channel: fmt.Sprint(in.number)}
	made, _, err := c.comment(ctx, place, in.Body, key)
	if err != nil {
		return "", fmt.Errorf("github_comment: %w", err)
	}
	out, err := json.Marshal(map[string]string{"comment_id": made.ID.String(), "url": made.URL})
	return string(out), err
}

// ReadIssue is the tool github_read_issue {issue}: title, text and the
// latest comments, at most 100 KB. It changes nothing.
func (c *Client) ReadIssue(ctx context.Context, args json.RawMessage, _ string) (string, error) {
	var in issueArgs
	err := strict(args, &in, "issue", "account")
	if err == nil {
		err = in.check()
	}
	if err != nil {
		return "", fmt.Errorf("github_read_issue: %w", err)
	}
	text, err := c.readIssue(ctx, in)
	if err != nil {
		return "", fmt.Errorf("github_read_issue: %w", err)
	}
	return text, nil
}

const maxIssue = 100 << 10

func (c *Client) readIssue(ctx context.Context, in issueArgs) (string, error) {
	path := fmt.Sprintf("/repos/%s/issues/%d", in.repo, in.number)
	var issue struct {
		commentAnswer
		Title    string           `json:"title"`
		State    string           `json:"state"`
		Comments int64            `json:"comments"`
		Pull     *json.RawMessage `json:"pull_request"`
	}
	if err := c.call(ctx, asInstallation, http.MethodGet, path, nil, &issue); err != nil {
		return "", err
	}
	// The list is oldest first, 100 a page: the last page, and the one before
	// it if that holds few.
	var comments []commentAnswer
	for page := (issue.Comments + 99) / 100; page > 0 && len(comments) < 30; page-- {
		var got []commentAnswer
		if err := c.call(ctx, asInstallation, http.MethodGet, fmt.Sprintf("%s/comments?per_page=100&page=%d", path, page), nil, &got); err != nil {
			return "", err
		}
		comments = append(got, comments...)
	}
	what := "issue"
	if issue.Pull != nil {
		what = "pull request"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s#%d, %s, %s\nTitle: %s\nBy %s on %s:\n\n%s\n", in.repo, in.number, what, issue.State, issue.Title,
		issue.User.Login, issue.CreatedAt, cut(issue.Body, maxIssue/4))
	if n := issue.Comments - int64(len(comments)); n > 0 {
		fmt.Fprintf(&b, "\n(%d earlier comments are left out)\n", n)
	}
	for _, m := range comments {
		fmt.Fprintf(&b, "\n--- comment %s by %s on %s:\n\n%s\n", m.ID, m.User.Login, m.CreatedAt, cut(withoutMarker(m.Body), maxIssue/8))
	}
	return cut(b.String(), maxIssue), nil
}
