package github

import (
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"
)

// maxBody is the most characters of a comment.
const maxBody = 65536

func (s *Server) createComment(req request) result {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.issue(req.repo.Name, req.id)
	switch {
	case i == nil:
		return notFound
	case i.Locked:
		return refuse(http.StatusForbidden, "Unable to create comment because issue is locked.")
	}
	body, bad := text(req)
	if bad != nil {
		return *bad
	}
	return result{http.StatusCreated, s.commentObject(s.add(i, s.bot(), body)), ""}
}

func (s *Server) updateComment(req request) result {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.comment(req.id)
	if c == nil || c.Repo != req.repo.Name {
		return notFound
	}
	body, bad := text(req)
	if bad != nil {
		return *bad
	}
	c.Body, c.Updated = body, s.now()
	c.Edits++
	return result{http.StatusOK, s.commentObject(c), ""}
}

func (s *Server) getComment(req request) result {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.comment(req.id)
	if c == nil || c.Repo != req.repo.Name {
		return notFound
	}
	return result{http.StatusOK, s.commentObject(c), ""}
}

// listComments is oldest first, by page, and since a time of change.
func (s *Server) listComments(req request) result {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.issue(req.repo.Name, req.id)
	if i == nil {
		return notFound
	}
	q := req.URL.Query()
	since, _ := time.Parse(time.RFC3339, q.Get("since"))
	page, err := strconv.Atoi(q.Get("page"))
	if err != nil || page < 1 {
		page = 1
	}
	per := perPage(req.Request)
	all := []any{}
	for _, c := range s.of(i) {
		if !c.Updated.Before(since) {
			all = append(all, s.commentObject(c))
		}
	}
	from, to := min((page-1)*per, len(all)), min(page*per, len(all))
	out := result{http.StatusOK, all[from:to], ""}
	if to < len(all) {
		out.link = nextPage(req.Request, "page", strconv.Itoa(page+1))
	}
	return out
}

func (s *Server) getIssue(req request) result {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.issue(req.repo.Name, req.id)
	if i == nil {
		return notFound
	}
	return result{http.StatusOK, s.issueObject(i), ""}
}

func (s *Server) getUser(req request) result {
	for login, id := range s.cfg.People {
		if id == req.id {
			return result{http.StatusOK, s.user(login), ""}
		}
	}
	return notFound
}

func text(req request) (string, *result) {
	body, ok := req.body["body"].(string)
	if !ok || body == "" || utf8.RuneCountInString(body) > maxBody {
		bad := refuse(http.StatusUnprocessableEntity, "Validation Failed")
		return "", &bad
	}
	return body, nil
}
