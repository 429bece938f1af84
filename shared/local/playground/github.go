package playground

import (
	"bytes"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"github.com/postern-dev/postern/shared/local/standin/github"
)

// repository is one repository as a person sees it.
type repository struct {
	Name   string
	Agent  string // the login that names the agent
	Issues []github.Issue
	Open   *github.Issue // the one that is read
	Notes  []note
}

func (p *Page) githubColumn(v *view) (seen, forms any) {
	var out []repository
	for _, c := range p.GitHub.Config().Repos {
		r := repository{Name: c.Name, Agent: p.GitHub.Config().Slug, Issues: p.GitHub.Issues(c.Name)}
		slices.Reverse(r.Issues) // the newest first
		for i := range r.Issues {
			if r.Issues[i].Number == v.Issue || r.Open == nil && v.Issue == 0 {
				r.Open = &r.Issues[i]
			}
		}
		if r.Open != nil {
			r.Notes = append(r.Notes, p.githubNote(r.Open.ID, r.Open.Author, r.Open.Body, "posted"))
			for _, c := range p.GitHub.Comments(c.Name, r.Open.Number) {
				if !c.Deleted {
					r.Notes = append(r.Notes, p.githubNote(c.ID, c.Author, c.Body, c.State()))
				}
			}
		}
		out = append(out, r)
	}
	return out, out
}

// markdown shows comments as GitHub does. It leaves raw HTML and addresses that
// run something out.
var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM))

func (p *Page) githubNote(id int64, author, body, state string) note {
	n := note{ID: "g" + strconv.FormatInt(id, 10), Who: author, Bot: strings.HasSuffix(author, "[bot]"), State: state}
	var html bytes.Buffer
	if markdown.Convert([]byte(body), &html) != nil {
		n.Lines = plainLines(body, "text")
		return n
	}
	n.HTML = template.HTML(html.String())
	return n
}

func (p *Page) githubHook() github.Hook {
	return github.Hook{URL: p.Hooks + "/github", Client: p.Client}
}

func (p *Page) githubOpen(r *http.Request, v *view) (int, error) {
	v.Tab = "github"
	title := strings.TrimSpace(r.PostFormValue("title"))
	if title == "" {
		return 0, errNoText
	}
	if v.As.GitHub == "" {
		return 0, errNotThere
	}
	i, a, err := p.GitHub.Open(r.Context(), p.githubHook(), github.Draft{Author: v.As.GitHub, Repo: r.PostFormValue("repo"),
		Title: title, Body: strings.TrimSpace(r.PostFormValue("body"))})
	v.Issue = i.Number
	return a.Status, err
}

func (p *Page) githubComment(r *http.Request, v *view) (int, error) {
	v.Tab = "github"
	body := strings.TrimSpace(r.PostFormValue("body"))
	if body == "" {
		return 0, errNoText
	}
	if v.As.GitHub == "" {
		return 0, errNotThere
	}
	_, a, err := p.GitHub.Say(r.Context(), p.githubHook(), v.As.GitHub, r.PostFormValue("repo"), v.Issue, body)
	return a.Status, err
}
