package github

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

type object = map[string]any

// result is one answer of the API.
type result struct {
	status int
	body   any
	link   string // Link header
}

func refuse(status int, message string) result {
	return result{status, object{"message": message, "documentation_url": "https://docs.github.com/rest"}, ""}
}

var notFound = refuse(http.StatusNotFound, "Not Found")

// request is one call, its path taken apart.
type request struct {
	*http.Request
	repo *Repo
	id   int64 // of an issue, comment, user, installation, hook or delivery
	sub  int64 // of a delivery of a repository's hook
	body object
}

type operation struct {
	name   string
	method string
	path   string // {repo} takes two parts, {id} and {sub} a number
	app    bool   // in the App's own name
	run    func(*Server, request) result
}

var operations = []operation{
	{"create_comment", "POST", "/repos/{repo}/issues/{id}/comments", false, (*Server).createComment},
	{"list_comments", "GET", "/repos/{repo}/issues/{id}/comments", false, (*Server).listComments},
	{"update_comment", "PATCH", "/repos/{repo}/issues/comments/{id}", false, (*Server).updateComment},
	{"get_comment", "GET", "/repos/{repo}/issues/comments/{id}", false, (*Server).getComment},
	{"get_issue", "GET", "/repos/{repo}/issues/{id}", false, (*Server).getIssue},
	{"get_user", "GET", "/user/{id}", false, (*Server).getUser},
	{"get_self", "GET", "/user", false, (*Server).getSelf},
	{"get_repo", "GET", "/repos/{repo}", false, (*Server).getRepo},
	{"get_app", "GET", "/app", true, (*Server).getApp},
	{"get_hook", "GET", "/app/hook/config", true, (*Server).getHook},
	{"get_installation", "GET", "/app/installations/{id}", true, (*Server).getInstallation},
	{"list_deliveries", "GET", "/repos/{repo}/hooks/{id}/deliveries", false, (*Server).listDeliveries},
	{"redeliver", "POST", "/repos/{repo}/hooks/{id}/deliveries/{sub}/attempts", false, (*Server).redeliver},
	{"list_deliveries", "GET", "/app/hook/deliveries", true, (*Server).listDeliveries},
	{"redeliver", "POST", "/app/hook/deliveries/{sub}/attempts", true, (*Server).redeliver},
	{"token", "POST", "/app/installations/{id}/access_tokens", true, (*Server).lend},
}

// ServeHTTP answers one call of the API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, op := range operations {
		req := request{Request: r}
		if op.method == r.Method && s.match(op.path, &req) {
			s.serve(w, op, req)
			return
		}
	}
	write(w, notFound)
}

func (s *Server) serve(w http.ResponseWriter, op operation, req request) {
	s.mu.Lock()
	f, faulty := s.take(op.name)
	s.mu.Unlock()
	if faulty && !f.Lost {
		s.note(op.name, f.Status)
		f.write(w)
		return
	}
	out := s.do(op, req)
	if faulty {
		s.note(op.name, 0)
		panic(http.ErrAbortHandler)
	}
	s.note(op.name, out.status)
	write(w, out)
}

func (s *Server) do(op operation, req request) result {
	if !s.allowed(req.Header.Get("Authorization"), op.app) {
		return refuse(http.StatusUnauthorized, "Bad credentials")
	}
	if strings.Contains(op.path, "{repo}") && req.repo == nil {
		return notFound
	}
	raw, err := io.ReadAll(io.LimitReader(req.Body, 1<<20))
	if err != nil || len(raw) > 0 && json.Unmarshal(raw, &req.body) != nil {
		return refuse(http.StatusBadRequest, "Problems parsing JSON")
	}
	return op.run(s, req)
}

// match reads a path by a pattern.
func (s *Server) match(pattern string, req *request) bool {
	want, got := strings.Split(pattern, "/"), strings.Split(req.URL.Path, "/")
	i := 0
	for _, p := range want {
		if i >= len(got) {
			return false
		}
		switch p {
		case "{repo}":
			if i+1 >= len(got) {
				return false
			}
			req.repo = s.repo(got[i] + "/" + got[i+1])
			i++
		case "{id}", "{sub}":
			n, err := strconv.ParseInt(got[i], 10, 64)
			if err != nil {
				return false
			}
			if p == "{id}" {
				req.id = n
			} else {
				req.sub = n
			}
		default:
			if p != got[i] {
				return false
			}
		}
		i++
	}
	return i == len(got)
}

func (s *Server) note(name string, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, Call{name, status})
}

func write(w http.ResponseWriter, out result) {
	if out.link != "" {
		w.Header().Set("Link", out.link)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(out.status)
	_ = json.NewEncoder(w).Encode(out.body)
}

// nextPage is a Link header that leads on with one parameter changed.
func nextPage(r *http.Request, key, value string) string {
	q := r.URL.Query()
	q.Set(key, value)
	path, _, _ := strings.Cut(r.RequestURI, "?")
	return fmt.Sprintf(`<http://%s%s?%s>; rel="next"`, r.Host, path, q.Encode())
}

// page reads per_page, with GitHub's default and maximum.
func perPage(r *http.Request) int {
	n, err := strconv.Atoi(r.URL.Query().Get("per_page"))
	if err != nil || n < 1 {
		return 30
	}
	return min(n, 100)
}
