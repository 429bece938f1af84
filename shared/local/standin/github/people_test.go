package github

import (
	"fmt"
	"testing"

	"github.com/postern-dev/postern/shared/domain/trigger"
)

// What the people do comes in as the triggers that it is.
func TestPeople(t *testing.T) {
	t.Parallel()
	w := start(t)
	place := w.open(t)
	if g := w.inbox.last(t).Trigger; g == nil || g.Kind != "issues" || g.Sender.Ref() != "github:12" || g.Title != "Till is slow" || g.Thread != place {
		t.Fatalf("%+v", g)
	}
	c, a, err := w.Say(ctx, w.hook, "ada", "acme/shop", 1, "@postern-agent look")
	if err != nil || a.Status != 200 {
		t.Fatal(a, err)
	}
	g := w.inbox.last(t).Trigger
	if g == nil || g.Kind != "comments" || g.Named != trigger.Mention || g.Sender.Ref() != "github:11" || g.ID != fmt.Sprintf("github:1001:comment:%d:created", c.ID) || g.Delivery != a.GUID {
		t.Fatalf("%+v", g)
	}
	if _, err := w.Edit(ctx, w.hook, "mallory", c.ID, "@postern-agent drop it all"); err != nil {
		t.Fatal(err)
	}
	if d := w.inbox.last(t); d.Drop != "action not handled: edited" {
		t.Errorf("B43: %+v", d)
	}
	if _, _, err := w.Say(ctx, w.hook, "ada", "acme/shop", 1, "/postern deny abc234 not today"); err != nil {
		t.Fatal(err)
	}
	if ans := w.inbox.last(t).Answer; ans == nil || ans.Item != "code:abc234" || ans.Choice != "deny" || ans.Text != "not today" {
		t.Errorf("I25: %+v", ans)
	}
	pull, _, err := w.Open(ctx, w.hook, Draft{Author: "ada", Repo: "acme/shop", Title: "Fix", Body: "cc @postern-agent", Pull: true})
	if err != nil || pull.Number != 2 {
		t.Fatal(pull, err)
	}
	if g := w.inbox.last(t).Trigger; g == nil || g.Kind != "pull_requests" || g.Named != trigger.Mention || g.Thread.Channel != "2" {
		t.Errorf("%+v", g)
	}
	if _, err := w.Review(ctx, w.hook, Review{"bob", "acme/shop", 2, "changes_requested", "no"}); err != nil {
		t.Fatal(err)
	}
	if g := w.inbox.last(t).Trigger; g == nil || g.Text != "Review: changes requested\n\nno" {
		t.Errorf("%+v", g)
	}
	if _, err := w.Finish(ctx, w.hook, "acme/shop", "main", "failure"); err != nil {
		t.Fatal(err)
	}
	if g := w.inbox.last(t).Trigger; g == nil || g.Kind != "ci" {
		t.Errorf("%+v", g)
	}
	if _, err := w.Ping(ctx, w.hook); err != nil || w.inbox.last(t).Reply == nil {
		t.Errorf("%v", err)
	}
}

// Our own comment comes back from GitHub as an event, and goes no further.
func TestOwnCommentComesBack(t *testing.T) {
	t.Parallel()
	w := start(t)
	place := w.open(t)
	if _, err := w.client.Post(ctx, place, pending(), "k"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Echo(ctx, w.hook, w.Posted("acme/shop", 1)[0].ID); err != nil {
		t.Fatal(err)
	}
	if d := w.inbox.last(t); d.Drop != "own message" {
		t.Errorf("%+v", d)
	}
}

func TestWhatIsNotThere(t *testing.T) {
	t.Parallel()
	w := start(t)
	if _, _, err := w.Open(ctx, w.hook, Draft{Author: "ada", Repo: "acme/none"}); err == nil {
		t.Error("opened in no repository")
	}
	if _, _, err := w.Say(ctx, w.hook, "ada", "acme/shop", 9, "x"); err == nil {
		t.Error("commented on no issue")
	}
	if _, err := w.Edit(ctx, w.hook, "ada", 9, "x"); err == nil {
		t.Error("edited no comment")
	}
	if _, err := w.Again(ctx, "none"); err == nil {
		t.Error("delivered nothing again")
	}
	if _, err := w.Finish(ctx, w.hook, "acme/none", "main", "success"); err == nil {
		t.Error("finished no run")
	}
}
