package github

import (
	"context"
	"fmt"
	"strings"
)

// Draft is an issue or a pull request that somebody opens.
type Draft struct {
	Author, Repo string
	Title, Body  string
	Pull         bool
}

// Open lets a person open an issue or pull request and sends the webhook for
// it. It stands even if sending fails.
func (s *Server) Open(ctx context.Context, to Hook, d Draft) (Issue, Answer, error) {
	s.mu.Lock()
	r := s.repo(d.Repo)
	if r == nil {
		s.mu.Unlock()
		return Issue{}, Answer{}, fmt.Errorf("github stand-in: open: no repository %q", d.Repo)
	}
	i := &Issue{Repo: r.Name, ID: s.id(), Number: 1, Pull: d.Pull, Author: d.Author, Title: d.Title, Body: d.Body, State: "open", Created: s.now()}
	for _, other := range s.issues {
		if other.Repo == i.Repo {
			i.Number = max(i.Number, other.Number+1)
		}
	}
	s.issues = append(s.issues, i)
	name, event := "issues", object(nil)
	if d.Pull {
		name, event = "pull_request", s.event("opened", r.Name, d.Author, object{"number": i.Number, "pull_request": s.pullObject(i)})
	} else {
		event = s.event("opened", r.Name, d.Author, object{"issue": s.issueObject(i)})
	}
	made := *i
	s.mu.Unlock()
	a, err := s.Deliver(ctx, to, name, encode(event))
	return made, a, err
}

// Say lets a person comment on an issue or pull request and sends the webhook
// for it. The comment stands even if sending fails.
func (s *Server) Say(ctx context.Context, to Hook, author, repo string, number int64, body string) (Comment, Answer, error) {
	s.mu.Lock()
	i := s.issue(repo, number)
	if i == nil {
		s.mu.Unlock()
		return Comment{}, Answer{}, fmt.Errorf("github stand-in: say: no issue %d in %q", number, repo)
	}
	made := *s.add(i, author, body)
	s.mu.Unlock()
	a, err := s.Echo(ctx, to, made.ID)
	return made, a, err
}

// Echo sends the webhook for a comment that is there: for one that came by the
// API GitHub sends it as well.
func (s *Server) Echo(ctx context.Context, to Hook, comment int64) (Answer, error) {
	s.mu.Lock()
	c := s.comment(comment)
	if c == nil {
		s.mu.Unlock()
		return Answer{}, fmt.Errorf("github stand-in: echo: no comment %d", comment)
	}
	event := s.event("created", c.Repo, c.Author, object{"issue": s.issueObject(s.issue(c.Repo, c.Issue)), "comment": s.commentObject(c)})
	s.mu.Unlock()
	return s.Deliver(ctx, to, "issue_comment", encode(event))
}

// Edit lets a person change a comment and sends the webhook for it.
func (s *Server) Edit(ctx context.Context, to Hook, editor string, comment int64, body string) (Answer, error) {
	s.mu.Lock()
	c := s.comment(comment)
	if c == nil {
		s.mu.Unlock()
		return Answer{}, fmt.Errorf("github stand-in: edit: no comment %d", comment)
	}
	was := c.Body
	c.Body, c.Updated = body, s.now()
	c.Edits++
	event := s.event("edited", c.Repo, editor, object{
		"issue": s.issueObject(s.issue(c.Repo, c.Issue)), "comment": s.commentObject(c),
		"changes": object{"body": object{"from": was}},
	})
	s.mu.Unlock()
	return s.Deliver(ctx, to, "issue_comment", encode(event))
}

// Review is a submitted review of a pull request.
type Review struct {
	Author, Repo string
	Number       int64
	State, Body  string // approved, changes_requested or commented
}

// Review lets a person submit a review and sends the webhook for it.
func (s *Server) Review(ctx context.Context, to Hook, v Review) (Answer, error) {
	s.mu.Lock()
	i := s.issue(v.Repo, v.Number)
	if i == nil || !i.Pull {
		s.mu.Unlock()
		return Answer{}, fmt.Errorf("github stand-in: review: no pull request %d in %q", v.Number, v.Repo)
	}
	event := s.event("submitted", i.Repo, v.Author, object{
		"pull_request": s.pullObject(i),
		"review":       object{"id": s.id(), "state": v.State, "body": v.Body, "user": s.user(v.Author), "submitted_at": stamp(s.now())},
	})
	s.mu.Unlock()
	return s.Deliver(ctx, to, "pull_request_review", encode(event))
}

// Finish ends a run of the repository's CI on a branch and sends the webhook
// for it. conclusion is success, failure or another of GitHub's.
func (s *Server) Finish(ctx context.Context, to Hook, repo, branch, conclusion string) (Answer, error) {
	s.mu.Lock()
	r := s.repo(repo)
	if r == nil {
		s.mu.Unlock()
		return Answer{}, fmt.Errorf("github stand-in: finish: no repository %q", repo)
	}
	id := s.id()
	event := s.event("completed", r.Name, s.bot(), object{"workflow_run": object{
		"id": id, "run_attempt": 1, "name": "test", "event": "push", "status": "completed", "conclusion": conclusion,
		"head_branch": branch, "head_sha": strings.Repeat("c", 40), "updated_at": stamp(s.now()), "created_at": stamp(s.now()),
		"html_url": fmt.Sprintf("https://github.com/%s/actions/runs/%d", r.Name, id), "head_repository": repoObject(r), "pull_requests": []any{},
	}})
	s.mu.Unlock()
	return s.Deliver(ctx, to, "workflow_run", encode(event))
}

// Ping is what GitHub sends when a hook is made.
func (s *Server) Ping(ctx context.Context, to Hook) (Answer, error) {
	return s.Deliver(ctx, to, "ping", encode(object{"zen": "Keep it logically awesome.", "hook_id": 1, "hook": object{"type": "App", "app_id": s.cfg.App}}))
}
