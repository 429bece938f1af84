// Package github stands in for GitHub: it speaks the part of the REST API that
// an App of ours uses, so that GitHub's own client libraries talk to it
// unmodified, and it plays the people, whose issues and comments it sends as
// signed webhooks.
//
// It is for tests, the demo and development, and keeps everything in memory. It
// knows nothing of sessions or items.
package github

import (
	"cmp"
	"crypto/rsa"
	"slices"
	"strings"
	"sync"
	"time"
)

// Config is the part of GitHub that is played.
type Config struct {
	Repos         []Repo
	People        map[string]int64 // login to numeric id
	Slug          string           // of the App
	App           int64
	Installation  int64
	Bot           int64 // numeric id of the App's bot account
	WebhookSecret string
	WebhookURL    string // as the App's settings have it
	// Token is a token that always counts. Key, if set, is the App's public
	// key: installation tokens are lent to who proves to be the App.
	Token string
	Key   *rsa.PublicKey
}

// Repo is a repository.
type Repo struct {
	ID      int64
	Name    string // owner/name
	Private bool
	Branch  string // the default branch
	Hook    int64  // id of its own webhook, whose deliveries can be listed
}

// Issue is an issue or a pull request.
type Issue struct {
	Repo          string
	ID, Number    int64
	Pull          bool
	Author        string
	Title, Body   string
	State         string
	Locked        bool
	Created       time.Time
	CommentsCount int // as the API counts them
}

// Comment is a comment in a conversation, as it stands now.
type Comment struct {
	Repo             string
	Issue, ID        int64
	Author           string // the App's bot for what came by the API
	Body             string
	Created, Updated time.Time
	Edits            int
	Deleted          bool
}

// State is posted, updated or deleted.
func (c Comment) State() string {
	switch {
	case c.Deleted:
		return "deleted"
	case c.Edits > 0:
		return "updated"
	}
	return "posted"
}

// Call is a call of the API that came in, without its token.
type Call struct {
	Operation string // create_comment, get_issue, ...
	Status    int    // of the answer, 0 if the connection was dropped
}

// Server is the stand-in. It is an http.Handler, to be mounted anywhere behind
// http.StripPrefix. Safe for concurrent use.
type Server struct {
	cfg Config
	now func() time.Time

	mu         sync.Mutex
	seq        int64
	issues     []*Issue
	comments   []*Comment
	deliveries []*sent
	lent       map[string]time.Time // installation token to its end
	calls      []Call
	faults     []queued
}

// New makes a stand-in. The clock is used for time stamps and for the life of
// tokens.
func New(cfg Config, now func() time.Time) *Server {
	return &Server{cfg: cfg, now: now, lent: map[string]time.Time{}}
}

// Config is what the stand-in was made with.
func (s *Server) Config() Config { return s.cfg }

// Issues are all issues and pull requests of a repository, oldest first.
func (s *Server) Issues(repo string) []Issue {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Issue
	for _, i := range s.issues {
		if strings.EqualFold(i.Repo, repo) {
			c := *i
			c.CommentsCount = len(s.of(i))
			out = append(out, c)
		}
	}
	return out
}

// Comments are all comments on an issue, oldest first, the people's as well
// and deleted ones too, each as it stands now.
func (s *Server) Comments(repo string, number int64) []Comment {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Comment
	for _, c := range s.comments {
		if strings.EqualFold(c.Repo, repo) && c.Issue == number {
			out = append(out, *c)
		}
	}
	return out
}

// Posted are the comments on an issue that came by the API and still stand.
func (s *Server) Posted(repo string, number int64) []Comment {
	return slices.DeleteFunc(s.Comments(repo, number), func(c Comment) bool { return c.Deleted || c.Author != s.bot() })
}

// Calls are the calls of the API so far, in order.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Lock keeps an issue from taking comments.
func (s *Server) Lock(repo string, number int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.issue(repo, number); i != nil {
		i.Locked = true
	}
}

// Delete removes a comment, as its author or an owner would.
func (s *Server) Delete(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.comment(id); c != nil {
		c.Deleted = true
	}
}

// Revoke makes every lent token invalid.
func (s *Server) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.lent)
}

// What follows is for those who hold the lock.

func (s *Server) bot() string { return s.cfg.Slug + "[bot]" }

func (s *Server) repo(name string) *Repo {
	for i := range s.cfg.Repos {
		if strings.EqualFold(s.cfg.Repos[i].Name, name) {
			return &s.cfg.Repos[i]
		}
	}
	return nil
}

func (s *Server) issue(repo string, number int64) *Issue {
	for _, i := range s.issues {
		if strings.EqualFold(i.Repo, repo) && i.Number == number {
			return i
		}
	}
	return nil
}

func (s *Server) comment(id int64) *Comment {
	for _, c := range s.comments {
		if c.ID == id && !c.Deleted {
			return c
		}
	}
	return nil
}

func (s *Server) of(i *Issue) []*Comment {
	var out []*Comment
	for _, c := range s.comments {
		if c.Repo == i.Repo && c.Issue == i.Number && !c.Deleted {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b *Comment) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

func (s *Server) id() int64 {
	s.seq++
	return 9000 + s.seq
}

func (s *Server) add(i *Issue, author, body string) *Comment {
	c := &Comment{Repo: i.Repo, Issue: i.Number, ID: s.id(), Author: author, Body: body, Created: s.now(), Updated: s.now()}
	s.comments = append(s.comments, c)
	return c
}
