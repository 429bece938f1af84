package github

// names is every field that is read, as it stands in the text. Any other is
// passed over without a look.
var names = func() map[string]string {
	known := map[string]string{}
	for _, n := range []string{
		"action", "repository", "sender", "issue", "pull_request", "comment", "review", "workflow_run", "check_suite",
		"id", "full_name", "default_branch", "login", "type", "slug",
		"number", "title", "body", "user", "created_at", "submitted_at", "state", "path", "line", "performed_via_github_app",
		"run_attempt", "name", "event", "head_branch", "head_sha", "conclusion", "updated_at", "html_url", "head_repository", "app",
	} {
		known[`"`+n+`"`] = n
	}
	return known
}()

func (p *payload) field(r reader, name string) error {
	switch name {
	case "action":
		return r.text(&p.Action)
	case "repository":
		return r.object(p.Repository.field)
	case "sender":
		return r.object(p.Sender.field)
	case "issue":
		return r.post(&p.Issue)
	case "pull_request":
		return r.post(&p.PullRequest)
	case "comment":
		return r.post(&p.Comment)
	case "review":
		return r.post(&p.Review)
	case "workflow_run":
		if r.d.PeekKind() == '{' {
			p.WorkflowRun = &run{}
			return r.object(p.WorkflowRun.field)
		}
	case "check_suite":
		if r.d.PeekKind() == '{' {
			p.CheckSuite = &suite{}
			return r.object(p.CheckSuite.field)
		}
	}
	return r.d.SkipValue()
}

func (p *repository) field(r reader, name string) error {
	switch name {
	case "id":
		return r.number(&p.ID)
	case "full_name":
		return r.text(&p.FullName)
	case "default_branch":
		return r.text(&p.DefaultBranch)
	}
	return r.d.SkipValue()
}

func (a *account) field(r reader, name string) error {
	switch name {
	case "id":
		return r.number(&a.ID)
	case "login":
		return r.text(&a.Login)
	case "type":
		return r.text(&a.Type)
	}
	return r.d.SkipValue()
}

// post reads an object that somebody wrote; anything else is none.
func (r reader) post(into **post) error {
	if r.d.PeekKind() != '{' {
		return r.d.SkipValue()
	}
	*into = &post{}
	return r.object((*into).field)
}

func (p *post) field(r reader, name string) error {
	switch name {
	case "id":
		return r.number(&p.ID)
	case "number":
		return r.number(&p.Number)
	case "title":
		return r.text(&p.Title)
	case "body":
		return r.text(&p.Body)
	case "user":
		return r.object(p.User.field)
	case "created_at", "submitted_at":
		return r.text(&p.CreatedAt)
	case "state":
		return r.text(&p.State)
	case "path":
		return r.text(&p.Path)
	case "line":
		return r.number(&p.Line)
	case "performed_via_github_app":
		if r.d.PeekKind() == '{' {
			p.Via = &app{}
			return r.object(p.Via.field)
		}
	}
	return r.d.SkipValue()
}

func (a *app) field(r reader, name string) error {
	switch name {
	case "id":
		return r.number(&a.ID)
	case "slug":
		return r.text(&a.Slug)
	}
	return r.d.SkipValue()
}

func (w *run) field(r reader, name string) error {
	switch name {
	case "id":
		return r.number(&w.ID)
	case "run_attempt":
		return r.number(&w.Attempt)
	case "name":
		return r.text(&w.Name)
	case "event":
		return r.text(&w.Event)
	case "head_branch":
		return r.text(&w.Branch)
	case "head_sha":
		return r.text(&w.SHA)
	case "conclusion":
		return r.text(&w.Conclusion)
	case "updated_at":
		return r.text(&w.UpdatedAt)
	case "html_url":
		return r.text(&w.URL)
	case "head_repository":
		return r.object(w.Head.field)
	}
	return r.d.SkipValue()
}

func (s *suite) field(r reader, name string) error {
	switch name {
	case "id":
		return r.number(&s.ID)
	case "head_branch":
		return r.text(&s.Branch)
	case "head_sha":
		return r.text(&s.SHA)
	case "conclusion":
		return r.text(&s.Conclusion)
	case "updated_at":
		return r.text(&s.UpdatedAt)
	case "app":
		return r.object(s.App.field)
	}
	return r.d.SkipValue()
}
