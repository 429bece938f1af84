package github

import (
	"errors"
	"fmt"
	"testing"

	gogithub "github.com/google/go-github/v88/github"
)

func newSDK(t *testing.T, w *world, token string) *gogithub.Client {
	t.Helper()
	base := w.base + "/"
	sdk, err := gogithub.NewClient(gogithub.WithAuthToken(token), gogithub.WithURLs(&base, &base))
	if err != nil {
		t.Fatal(err)
	}
	return sdk
}

// GitHub's Go library talks to the stand-in unmodified, and reads its strict
// types out of it.
func TestTheSDKTalksToIt(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.open(t)
	sdk := newSDK(t, w, "dev-github-token")
	body := "from the library"
	made, _, err := sdk.Issues.CreateComment(ctx, "acme", "shop", 1, &gogithub.IssueComment{Body: &body})
	if err != nil || made.GetBody() != body || made.GetUser().GetType() != "Bot" {
		t.Fatalf("%v %v", made, err)
	}
	body = "changed"
	if _, _, err := sdk.Issues.EditComment(ctx, "acme", "shop", made.GetID(), &gogithub.IssueComment{Body: &body}); err != nil {
		t.Fatal(err)
	}
	if got, _, err := sdk.Issues.GetComment(ctx, "acme", "shop", made.GetID()); err != nil || got.GetBody() != "changed" {
		t.Errorf("%v %v", got, err)
	}
	for i := range 3 {
		if _, _, err := w.Say(ctx, w.hook, "ada", "acme/shop", 1, fmt.Sprint("n", i)); err != nil {
			t.Fatal(err)
		}
	}
	opts := &gogithub.IssueListCommentsOptions{ListOptions: gogithub.ListOptions{PerPage: 3}}
	page, resp, err := sdk.Issues.ListComments(ctx, "acme", "shop", 1, opts)
	if err != nil || len(page) != 3 || resp.NextPage != 2 {
		t.Fatalf("%d, next %d, %v", len(page), resp.NextPage, err)
	}
	opts.Page = resp.NextPage
	if page, resp, err = sdk.Issues.ListComments(ctx, "acme", "shop", 1, opts); err != nil || len(page) != 1 || resp.NextPage != 0 {
		t.Errorf("%d, next %d, %v", len(page), resp.NextPage, err)
	}
	if i, _, err := sdk.Issues.Get(ctx, "acme", "shop", 1); err != nil || i.GetTitle() != "Till is slow" || i.GetComments() != 4 || i.IsPullRequest() {
		t.Errorf("%v %v", i, err)
	}
	tries, _, err := sdk.Repositories.ListHookDeliveries(ctx, "acme", "shop", 1, nil)
	if err != nil || len(tries) != 4 || tries[0].GetStatusCode() != 200 || tries[0].GetEvent() != "issue_comment" {
		t.Errorf("%v %v", tries, err)
	}

	var refused *gogithub.ErrorResponse
	_, _, err = sdk.Issues.Get(ctx, "acme", "shop", 9)
	if !errors.As(err, &refused) || refused.Response.StatusCode != 404 {
		t.Errorf("%v", err)
	}
	_, _, err = newSDK(t, w, "wrong").Issues.Get(ctx, "acme", "shop", 1)
	if !errors.As(err, &refused) || refused.Response.StatusCode != 401 {
		t.Errorf("%v", err)
	}
	w.Fail("get_issue", Fault{Status: 403, Message: "API rate limit exceeded", Reset: w.clock.now().Unix() + 60})
	var limit *gogithub.RateLimitError
	if _, _, err = newSDK(t, w, "dev-github-token").Issues.Get(ctx, "acme", "shop", 1); !errors.As(err, &limit) {
		t.Errorf("%v", err)
	}
}

// The library reads each webhook that the stand-in makes, and is lent no token
// without an App's proof.
func TestTheSDKReadsTheWebhooks(t *testing.T) {
	t.Parallel()
	w := start(t, asApp)
	w.open(t)
	if _, _, err := w.Say(ctx, w.hook, "ada", "acme/shop", 1, "x"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Open(ctx, w.hook, Draft{Author: "ada", Repo: "acme/shop", Title: "Fix", Pull: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Review(ctx, w.hook, Review{"bob", "acme/shop", 2, "approved", ""}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Finish(ctx, w.hook, "acme/shop", "main", "failure"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Ping(ctx, w.hook); err != nil {
		t.Fatal(err)
	}
	for _, d := range w.deliveries {
		if _, err := gogithub.ParseWebHook(d.event, d.body); err != nil {
			t.Errorf("%s: %v", d.event, err)
		}
	}
	sdk := newSDK(t, w, "not.a.proof")
	if _, _, err := sdk.Apps.CreateInstallationToken(ctx, 7700, nil); err == nil {
		t.Error("a token without a proof")
	}
}
