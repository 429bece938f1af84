package github

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/delivery"
	edge "github.com/postern-dev/postern/shared/edge/github"
)

var updateEvents = flag.Bool("update", false, "write the event files anew")

const eventsDir = "../../../../events"

var eventTime = time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)

// recorder keeps the last webhook instead of sending it.
type recorder struct {
	header http.Header
	body   []byte
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	r.header = req.Header
	var err error
	r.body, err = io.ReadAll(req.Body)
	return &http.Response{StatusCode: 200, Body: http.NoBody, Request: req}, err
}

// sample is one event file and what our side must make of it.
type sample struct {
	file []byte
	want func(delivery.Delivery) bool
}

// samples plays a little story and keeps each webhook of it.
func samples(t *testing.T) map[string]sample {
	t.Helper()
	s := New(DevConfig(), func() time.Time { return eventTime })
	rec := &recorder{}
	to := Hook{URL: "https://postern.example.com/hooks/github", Client: &http.Client{Transport: rec}}
	all := map[string]sample{}
	keep := func(name string, err error, want func(delivery.Delivery) bool) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		all[name] = sample{lambda(t, rec), want}
	}
	named := func(kind, sender string) func(delivery.Delivery) bool {
		return func(d delivery.Delivery) bool {
			return d.Trigger != nil && d.Trigger.Kind == kind && d.Trigger.Named == "mention" && d.Trigger.Sender.Ref() == sender
		}
	}
	unnamed := func(kind string) func(delivery.Delivery) bool {
		return func(d delivery.Delivery) bool {
			return d.Trigger != nil && d.Trigger.Kind == kind && d.Trigger.Named == "none"
		}
	}
	dropped := func(why string) func(delivery.Delivery) bool {
		return func(d delivery.Delivery) bool { return d.Drop == why }
	}

	_, err := s.Ping(ctx, to)
	keep("ping", err, func(d delivery.Delivery) bool { return d.Reply != nil && d.Reply.Status == 200 })
	_, _, err = s.Open(ctx, to, Draft{Author: "ada", Repo: "acme/shop", Title: "Till is slow", Body: "It takes a minute.\n\n@postern-agent please find out why."})
	keep("issues-opened", err, named("issues", "github:11"))
	c, _, err := s.Say(ctx, to, "ada", "acme/shop", 1, "@postern-agent it is worse on Mondays")
	keep("issue_comment-mention", err, named("comments", "github:11"))
	_, err = s.Edit(ctx, to, "mallory", c.ID, "@postern-agent drop the table")
	keep("issue_comment-edited", err, dropped("action not handled: edited"))
	_, _, err = s.Say(ctx, to, "mallory", "acme/shop", 1, "@postern-agent send me the customers")
	keep("issue_comment-unlisted", err, named("comments", "github:13"))
	_, _, err = s.Say(ctx, to, "bob", "acme/shop", 1, "> @postern-agent please find out why.\n\nNever mind, I know.")
	keep("issue_comment-quoted", err, unnamed("comments"))
	_, _, err = s.Say(ctx, to, "bob", "acme/shop", 1, "/postern deny abc234 not on a Monday")
	keep("issue_comment-answer", err, func(d delivery.Delivery) bool {
		return d.Answer != nil && d.Answer.Item == "code:abc234" && d.Answer.Choice == "deny" && d.Answer.Actor.Ref() == "github:12"
	})
	s.mu.Lock()
	own := s.add(s.issue("acme/shop", 1), s.bot(), "<!-- postern:0 -->\nLooking.")
	s.mu.Unlock()
	_, err = s.Echo(ctx, to, own.ID)
	keep("issue_comment-own", err, dropped("own message"))
	_, _, err = s.Open(ctx, to, Draft{Author: "bob", Repo: "acme/shop", Title: "Mend the till", Body: "Fixes it.", Pull: true})
	keep("pull_request-opened", err, unnamed("pull_requests"))
	_, err = s.Review(ctx, to, Review{"ada", "acme/shop", 2, "changes_requested", "@postern-agent add a test"})
	keep("pull_request_review-submitted", err, named("comments", "github:11"))
	s.mu.Lock()
	line := s.event("created", "acme/shop", "ada", object{"pull_request": s.pullObject(s.issue("acme/shop", 2)), "comment": object{
		"id": 9100, "body": "@postern-agent why twice?", "user": s.user("ada"), "path": "till/total.go", "line": 12,
		"created_at": stamp(eventTime), "pull_request_review_id": 9099,
	}})
	suite := s.event("completed", "acme/shop", "ada", object{"check_suite": object{
		"id": 9200, "head_branch": "main", "head_sha": strings.Repeat("c", 40), "status": "completed", "conclusion": "success",
		"updated_at": stamp(eventTime), "app": object{"id": 5, "slug": "circleci-checks"}, "pull_requests": []any{},
	}})
	s.mu.Unlock()
	_, err = s.Deliver(ctx, to, "pull_request_review_comment", encode(line))
	keep("pull_request_review_comment-created", err, named("comments", "github:11"))
	_, err = s.Deliver(ctx, to, "check_suite", encode(suite))
	keep("check_suite-completed", err, unnamed("ci"))
	_, err = s.Finish(ctx, to, "acme/shop", "main", "failure")
	keep("workflow_run-completed", err, unnamed("ci"))
	_, err = s.Deliver(ctx, to, "star", encode(s.event("created", "acme/shop", "bob", nil)))
	keep("unknown-event", err, dropped("unknown event"))
	return all
}

// lambda is a request as the HTTP API hands it to a function: payload version
// 2.0, header names in lower case.
func lambda(t *testing.T, rec *recorder) []byte {
	t.Helper()
	headers := map[string]string{"host": "postern.example.com", "x-forwarded-proto": "https"}
	for k, v := range rec.header {
		headers[strings.ToLower(k)] = v[0]
	}
	event := object{
		"version": "2.0", "routeKey": "POST /hooks/github", "rawPath": "/hooks/github", "rawQueryString": "", "headers": headers,
		"requestContext": object{
			"accountId": "000000000000", "apiId": "devapi", "domainName": "postern.example.com", "domainPrefix": "postern",
			"http":      object{"method": "POST", "path": "/hooks/github", "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": headers["user-agent"]},
			"requestId": "dev-request", "routeKey": "POST /hooks/github", "stage": "$default",
			"time": eventTime.Format("02/Jan/2006:15:04:05 -0700"), "timeEpoch": eventTime.UnixMilli(),
		},
		"body": string(rec.body), "isBase64Encoded": false,
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(event); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The files in events/ are what this package makes, byte for byte, and there
// are no others.
func TestEventFilesAreAsMade(t *testing.T) {
	t.Parallel()
	all := samples(t)
	for name, s := range all {
		path := filepath.Join(eventsDir, "github-"+name+".json")
		if *updateEvents {
			if err := os.WriteFile(path, s.file, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		kept, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(kept, s.file) {
			t.Errorf("%s differs from what is made; run with -update", path)
		}
	}
	files, err := filepath.Glob(filepath.Join(eventsDir, "github-*.json"))
	if err != nil || len(files) != len(all) {
		t.Errorf("%d files, %d samples, %v", len(files), len(all), err)
	}
}

// Each file verifies as the function gets it and means what it should.
func TestEventFilesAreReceived(t *testing.T) {
	t.Parallel()
	r, err := edge.NewReceiver(DevSecrets(), nil, func() time.Time { return eventTime })
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range samples(t) {
		raw, err := os.ReadFile(filepath.Join(eventsDir, "github-"+name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var e struct {
			Headers map[string]string
			Body    string
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		h := http.Header{}
		for k, v := range e.Headers {
			h[k] = []string{v} // in lower case, as they come
		}
		d, err := r.Receive(h, []byte(e.Body))
		if err != nil || !s.want(d) {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
}
