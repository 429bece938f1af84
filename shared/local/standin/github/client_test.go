package github

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
	edge "github.com/postern-dev/postern/shared/edge/github"
)

var ctx = context.Background()

// I23: a card is posted, updated and settled in one comment.
func TestI23_CardLives(t *testing.T) {
	t.Parallel()
	w := start(t)
	place := w.open(t)
	id, err := w.client.Post(ctx, place, pending(), "card-1")
	if err != nil {
		t.Fatal(err)
	}
	got := w.Posted("acme/shop", 1)
	if len(got) != 1 || fmt.Sprint(got[0].ID) != id || got[0].State() != "posted" || !strings.Contains(got[0].Body, "Approval needed") {
		t.Fatalf("%+v", got)
	}
	if !strings.HasSuffix(got[0].Body, "\n@ada") {
		t.Errorf("I10: Ada is not mentioned, or somebody unknown is: %q", got[0].Body)
	}
	if err := w.client.Update(ctx, inbox.Reference{Place: place, Message: id}, settled()); err != nil {
		t.Fatal(err)
	}
	got = w.Posted("acme/shop", 1)
	if len(got) != 1 || got[0].State() != "updated" || !strings.Contains(got[0].Body, "Approved by Ada") ||
		strings.Contains(got[0].Body, "@ada") || strings.Contains(got[0].Body, "/postern") {
		t.Errorf("%+v", got)
	}
}

// A time-out after having posted leaves one comment, not two.
func TestRetryWithTheSameKey(t *testing.T) {
	t.Parallel()
	w := start(t)
	place := w.open(t)
	w.Fail("create_comment", Fault{Lost: true})
	_, err := w.client.Post(ctx, place, pending(), "card-1")
	fails(t, err, "network", false)
	id, err := w.client.Post(ctx, place, pending(), "card-1")
	if err != nil || id == "" {
		t.Fatal(err)
	}
	upper := place
	upper.Account = "Acme/Shop"
	if again, err := w.client.Post(ctx, upper, pending(), "card-1"); err != nil || again != id {
		t.Fatalf("%s, %v", again, err)
	}
	if got := w.Posted("acme/shop", 1); len(got) != 1 || got[0].State() != "posted" {
		t.Fatalf("%+v", got)
	}
	// What changed in between is shown by the retry, and it can be found again.
	for range 2 {
		if again, err := w.client.Post(ctx, place, settled(), "card-1"); err != nil || again != id {
			t.Fatalf("%s, %v", again, err)
		}
	}
	if got := w.Posted("acme/shop", 1); len(got) != 1 || got[0].Edits != 1 || !strings.Contains(got[0].Body, "Approved by Ada") {
		t.Fatalf("%+v", got)
	}
	other, err := w.client.Post(ctx, place, pending(), "card-2")
	if err != nil || other == id {
		t.Errorf("another key gave the same comment: %s, %v", other, err)
	}
}

// The search goes through all pages, and a marker that somebody else copied to
// another issue, or made up, is none.
func TestRetryFindsItsCommentAmongMany(t *testing.T) {
	t.Parallel()
	w := start(t)
	place := w.open(t)
	for i := range 150 {
		if _, _, err := w.Say(ctx, w.hook, "mallory", "acme/shop", 1, fmt.Sprintf("<!-- postern:card-1 -->\nspam %d", i)); err != nil {
			t.Fatal(err)
		}
	}
	id, err := w.client.Say(ctx, place, "done", "say-1")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := w.client.Say(ctx, place, "done", "say-1"); err != nil || again != id {
		t.Errorf("%s, %v", again, err)
	}
	copied := w.Posted("acme/shop", 1)[0].Body
	second, _, err := w.Open(ctx, w.hook, Draft{Author: "bob", Repo: "acme/shop", Title: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Say(ctx, w.hook, "mallory", "acme/shop", second.Number, copied); err != nil {
		t.Fatal(err)
	}
	place.Channel = fmt.Sprint(second.Number)
	if _, err := w.client.Say(ctx, place, "done", "say-1"); err != nil || len(w.Posted("acme/shop", second.Number)) != 1 {
		t.Errorf("a copied marker keeps a reply from being posted: %v", err)
	}
	// If the search fails nothing is posted blindly.
	w.Fail("list_comments", Fault{Status: 502})
	_, err = w.client.Say(ctx, place, "again", "say-2")
	fails(t, err, "http_502", false)
	if n := len(w.Posted("acme/shop", second.Number)); n != 1 {
		t.Errorf("%d posted", n)
	}
}

// A new webhook secret does not hide what was posted under the one before.
func TestRetryAfterRotation(t *testing.T) {
	t.Parallel()
	w := start(t)
	place := w.open(t)
	id, err := w.client.Say(ctx, place, "done", "say-1")
	if err != nil {
		t.Fatal(err)
	}
	s := DevSecrets()
	s.WebhookSecretPrevious, s.WebhookSecret = s.WebhookSecret, "new"
	rotated, err := edge.NewClient(s, w.base, http.DefaultClient, w.clock.now)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := rotated.Say(ctx, place, "done", "say-1"); err != nil || again != id {
		t.Errorf("%s, %v", again, err)
	}
}

// B21, B35: what can never succeed is final, so that deliver says it elsewhere.
func TestB21_FinalErrors(t *testing.T) {
	t.Parallel()
	w := start(t)
	place := w.open(t)
	id, err := w.client.Post(ctx, place, pending(), "k")
	if err != nil {
		t.Fatal(err)
	}
	ref := inbox.Reference{Place: place, Message: id}
	for status, code := range map[int]string{403: "forbidden", 404: "not_found", 410: "gone", 422: "invalid", 400: "http_400", 451: "http_451"} {
		w.Fail("update_comment", Fault{Status: status, Message: "MARKED"})
		if e := fails(t, w.client.Update(ctx, ref, settled()), code, true); strings.Contains(e.Error(), "MARKED") {
			t.Errorf("the answer's body is in the error: %v", e)
		}
	}
	w.Server.Delete(w.Posted("acme/shop", 1)[0].ID)
	fails(t, w.client.Update(ctx, ref, settled()), "not_found", true)

	nowhere := place
	nowhere.Channel = "99"
	_, err = w.client.Post(ctx, nowhere, pending(), "k")
	fails(t, err, "not_found", true)
	w.Lock("acme/shop", 1)
	_, err = w.client.Post(ctx, place, pending(), "k2")
	fails(t, err, "forbidden", true)

	before := len(w.Calls())
	for _, bad := range []trigger.Place{
		{}, {Surface: "slack", Account: "acme/shop", Channel: "1"}, {Surface: "github", Account: "acme", Channel: "1"},
		{Surface: "github", Account: "acme/shop", Channel: "ci", Thread: "main"}, {Surface: "github", Account: "acme/../x", Channel: "1"},
		{Surface: "github", Account: "acme/shop", Channel: "-1"}, {Surface: "github", Account: "acme/shop", Channel: "1/../2"},
	} {
		_, err := w.client.Say(ctx, bad, "x", "k")
		fails(t, err, "no_place", true)
		fails(t, w.client.Update(ctx, inbox.Reference{Place: bad, Message: "x"}, settled()), "no_place", true)
	}
	if len(w.Calls()) != before {
		t.Error("a call was made for a place that is none")
	}
	fails(t, w.client.Tell(ctx, place, actor.Actor{}, "x"), "no_private", true)
}

func TestErrorsThatPass(t *testing.T) {
	t.Parallel()
	w := start(t)
	place := w.open(t)
	now := w.clock.now()
	for _, tc := range []struct {
		fault Fault
		code  string
		wait  time.Duration
	}{
		{Limited(17), "limited", 17 * time.Second},
		{Fault{Status: 429, Message: "x", RetryAfter: 3}, "limited", 3 * time.Second},
		{Fault{Status: 429, Message: "x"}, "limited", time.Minute},
		{Fault{Status: 403, Message: "You have exceeded a secondary rate limit"}, "limited", time.Minute},
		{Fault{Status: 403, Message: "API rate limit exceeded", Reset: now.Add(90 * time.Second).Unix()}, "limited", 90 * time.Second},
		{Fault{Status: 403, Message: "API rate limit exceeded", Reset: now.Add(-90 * time.Second).Unix()}, "limited", time.Second},
		{Fault{Status: 403, Message: "API rate limit exceeded", Reset: now.Add(90 * time.Hour).Unix()}, "limited", time.Hour},
		{Fault{Status: 500}, "http_500", 0},
		{Fault{Status: 503, Message: "x"}, "http_503", 0},
		{Fault{Status: 409, Message: "x"}, "http_409", 0},
		{Fault{Status: 401, Message: "Bad credentials"}, "unauthorized", 0},
		{Fault{Lost: true}, "network", 0},
	} {
		w.Fail("create_comment", tc.fault)
		_, err := w.client.Say(ctx, place, "x", fmt.Sprint(tc))
		if e := fails(t, err, tc.code, false); e.RetryAfter != tc.wait {
			t.Errorf("%+v: wait %v", tc.fault, e.RetryAfter)
		}
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, err := w.client.Say(gone, place, "x", "k")
	fails(t, err, "canceled", false)
}

// Said text notifies nobody and shows no HTML; code in it stays as it is.
func TestSayIsQuiet(t *testing.T) {
	t.Parallel()
	w := start(t)
	place := w.open(t)
	if _, err := w.client.Say(ctx, place, "hi @ada <!-- x -->\n\n```\n@Override <T>\n```", "k"); err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(w.Posted("acme/shop", 1)[0].Body, "\n")
	if body != "hi @\u200bada &lt;!-- x -->\n\n```\n@Override <T>\n```" {
		t.Errorf("%q", body)
	}
	if _, err := w.client.Say(ctx, place, strings.Repeat("word ", 40<<10), "long"); err != nil {
		t.Error(err)
	}
}

func TestCommentTool(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.open(t)
	args := []byte(`{"issue":"acme/shop#1","body":"Done, @bob: <b>look</b>"}`)
	w.Fail("create_comment", Fault{Lost: true})
	if _, err := w.client.Comment(ctx, args, "call-1"); err == nil {
		t.Fatal("a lost call succeeded")
	}
	got, err := w.client.Comment(ctx, args, "call-1")
	posted := w.Posted("acme/shop", 1)
	if err != nil || len(posted) != 1 {
		t.Fatalf("%v, %+v", err, posted)
	}
	want := fmt.Sprintf(`{"comment_id":"%d","url":"https://github.com/acme/shop/issues/1#issuecomment-%[1]d"}`, posted[0].ID)
	if got != want {
		t.Errorf("%s", got)
	}
	if _, body, _ := strings.Cut(posted[0].Body, "\n"); body != "Done, @bob: <b>look</b>" {
		t.Errorf("P25: not what was approved: %q", body)
	}
	for _, bad := range []string{
		`{}`, `[]`, ``, `{"issue":"acme/shop#1","body":" "}`, `{"issue":"acme#1","body":"x"}`,
		`{"issue":"acme/shop#0","body":"x"}`, `{"issue":"acme/shop#1","body":"x","as":"ada"}`,
		`{"issue":"acme/shop#1","body":"` + strings.Repeat("x", edge.MaxComment+1) + `"}`, `{"issue":"acme/shop#1","body":"x"} {}`, `null`,
		`{"issue":"acme/shop#1","Issue":"acme/shop#1","body":"x"}`, `{"issue":"acme/shop#1","Body":"x"}`, `{"issue":"acme/shop#1","body":"x","account":"other"}`,
		`{"issue":"acme/shop#1#2","body":"x"}`, `{"issue":"acme/shop","body":"x"}`, `{"issue":7,"body":"x"}`,
	} {
		if out, err := w.client.Comment(ctx, []byte(bad), "k"); err == nil {
			t.Errorf("%.60s gave %s", bad, out)
		}
	}
	if len(w.Posted("acme/shop", 1)) != 1 {
		t.Error("a refused call posted")
	}
}

func TestReadIssueTool(t *testing.T) {
	t.Parallel()
	w := start(t)
	place := w.open(t)
	for i := range 205 {
		if _, _, err := w.Say(ctx, w.hook, "ada", "acme/shop", 1, fmt.Sprintf("comment number %d.", i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.client.Say(ctx, place, "our own words", "k"); err != nil {
		t.Fatal(err)
	}
	got, err := w.client.ReadIssue(ctx, []byte(`{"issue":"acme/shop#1"}`), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"acme/shop#1, issue, open\nTitle: Till is slow\nBy bob on 2026-11-30T12:00:00Z:\n\nIt takes a minute.\n",
		"(100 earlier comments are left out)", "by ada on 2026-11-30T12:00:00Z:\n\ncomment number 100.\n", "comment number 204.", "by postern-agent[bot]", "our own words"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%.500s", want, got)
		}
	}
	if strings.Contains(got, "number 99.") || strings.Contains(got, "<!-- postern") {
		t.Error("more than it should")
	}
	if _, err := w.client.ReadIssue(ctx, []byte(`{"issue":"acme/shop#9"}`), ""); err == nil {
		t.Error("read an issue that is none")
	}
	if _, err := w.client.ReadIssue(ctx, []byte(`{"issue":"acme/shop#1","all":true}`), ""); err == nil {
		t.Error("took an unknown argument")
	}
}
