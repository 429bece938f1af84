package github

import (
	"fmt"
	"strings"
	"time"
)

// The objects below are those of the REST API and of webhooks alike, with the
// fields that GitHub's libraries and ours read.

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func (s *Server) user(login string) object {
	id, kind := s.cfg.People[login], "User"
	if login == s.bot() {
		id, kind = s.cfg.Bot, "Bot"
	} else if strings.HasSuffix(login, "[bot]") {
		kind = "Bot"
	}
	return object{
		"login": login, "id": id, "type": kind, "site_admin": false,
		"html_url": "https://github.com/" + login, "url": "https://api.github.com/users/" + login,
	}
}

func repoObject(r *Repo) object {
	owner, name, _ := strings.Cut(r.Name, "/")
	return object{
		"id": r.ID, "name": name, "full_name": r.Name, "private": r.Private, "default_branch": r.Branch, "fork": false,
		"owner":    object{"login": owner, "id": 1, "type": "Organization"},
		"html_url": "https://github.com/" + r.Name, "url": "https://api.github.com/repos/" + r.Name,
	}
}

func (s *Server) issueObject(i *Issue) object {
	o := object{
		"id": i.ID, "number": i.Number, "title": i.Title, "body": i.Body, "state": i.State, "locked": i.Locked,
		"user": s.user(i.Author), "comments": len(s.of(i)), "labels": []any{}, "assignees": []any{},
		"created_at": stamp(i.Created), "updated_at": stamp(i.Created), "author_association": "MEMBER",
		"html_url": i.url(), "url": fmt.Sprintf("https://api.github.com/repos/%s/issues/%d", i.Repo, i.Number),
		"performed_via_github_app": nil,
	}
	if i.Pull {
		o["pull_request"] = object{"html_url": i.url(), "url": fmt.Sprintf("https://api.github.com/repos/%s/pulls/%d", i.Repo, i.Number)}
	}
	return o
}

func (i *Issue) url() string {
	kind := "issues"
	if i.Pull {
		kind = "pull"
	}
	return fmt.Sprintf("https://github.com/%s/%s/%d", i.Repo, kind, i.Number)
}

// pullObject is what a pull request's own event has where the conversation has
// an issue.
func (s *Server) pullObject(i *Issue) object {
	o := s.issueObject(i)
	delete(o, "pull_request")
	o["draft"], o["merged"] = false, false
	o["head"] = object{"ref": "change", "sha": strings.Repeat("a", 40)}
	o["base"] = object{"ref": s.repo(i.Repo).Branch, "sha": strings.Repeat("b", 40)}
	return o
}

func (s *Server) commentObject(c *Comment) object {
	o := object{
		"id": c.ID, "body": c.Body, "user": s.user(c.Author),
		"created_at": stamp(c.Created), "updated_at": stamp(c.Updated), "author_association": "MEMBER",
		"html_url":                 fmt.Sprintf("https://github.com/%s/issues/%d#issuecomment-%d", c.Repo, c.Issue, c.ID),
		"url":                      fmt.Sprintf("https://api.github.com/repos/%s/issues/comments/%d", c.Repo, c.ID),
		"issue_url":                fmt.Sprintf("https://api.github.com/repos/%s/issues/%d", c.Repo, c.Issue),
		"performed_via_github_app": nil,
	}
	if c.Author == s.bot() {
		o["performed_via_github_app"] = object{"id": s.cfg.App, "slug": s.cfg.Slug}
	}
	return o
}

// event is what every webhook of a repository has around its own part.
func (s *Server) event(action, repo, sender string, inside object) object {
	e := object{
		"action": action, "repository": repoObject(s.repo(repo)), "sender": s.user(sender),
		"installation": object{"id": s.cfg.Installation},
	}
	for k, v := range inside {
		e[k] = v
	}
	return e
}
