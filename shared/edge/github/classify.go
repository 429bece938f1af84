package github

import (
	"strings"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// kinds is every event that is handled. A name or an action that is not here
// is dropped with 2xx: GitHub adds both without notice.
var kinds = map[string]func(*Receiver, *delivery.Delivery, *payload){
	"ping":                        ping,
	"issues":                      issues,
	"issue_comment":               issueComment,
	"pull_request":                pullRequest,
	"pull_request_review":         review,
	"pull_request_review_comment": reviewComment,
	"workflow_run":                workflowRun,
	"check_suite":                 checkSuite,
}

// Scope kinds (gate.md, Scope).
const (
	kindIssues   = "issues"
	kindPulls    = "pull_requests"
	kindComments = "comments"
	kindCI       = "ci"
)

func ping(_ *Receiver, d *delivery.Delivery, _ *payload) {
	d.Reply = &delivery.Reply{Status: 200}
}

func issues(r *Receiver, d *delivery.Delivery, p *payload) {
	if p.Action != "opened" {
		dropAction(d, p.Action)
		return
	}
	r.said(d, p, said{kind: kindIssues, on: p.Issue, by: p.Issue, what: "issue", identity: "opened"})
}

func pullRequest(r *Receiver, d *delivery.Delivery, p *payload) {
	if p.Action != "opened" {
		dropAction(d, p.Action)
		return
	}
	r.said(d, p, said{kind: kindPulls, on: p.PullRequest, by: p.PullRequest, what: "pull", identity: "opened"})
}

// issueComment covers the conversation of pull requests too. Only what is
// created counts: an edited comment would run its command again (B43).
func issueComment(r *Receiver, d *delivery.Delivery, p *payload) {
	if p.Action != "created" {
		dropAction(d, p.Action)
		return
	}
	r.said(d, p, said{kind: kindComments, on: p.Issue, by: p.Comment, what: "comment", identity: "created", answers: true})
}

// reviewComment is a comment on a line. Its thread is the pull request.
func reviewComment(r *Receiver, d *delivery.Delivery, p *payload) {
	if p.Action != "created" {
		dropAction(d, p.Action)
		return
	}
	s := said{kind: kindComments, on: p.PullRequest, by: p.Comment, what: "review_comment", identity: "created"}
	if c := p.Comment; c != nil && c.Path != "" {
		s.before = "On " + c.Path
		if c.Line > 0 {
			s.before += ", line " + c.Line.String()
		}
	}
	r.said(d, p, s)
}

// review is a submitted review. A comment on a line makes a review without
// text beside itself, which says nothing (B48).
func review(r *Receiver, d *delivery.Delivery, p *payload) {
	if p.Action != "submitted" {
		dropAction(d, p.Action)
		return
	}
	s := said{kind: kindComments, on: p.PullRequest, by: p.Review, what: "review", identity: "submitted"}
	if p.Review != nil {
		switch strings.ToLower(p.Review.State) {
		case "approved":
			s.before = "Review: approved"
		case "changes_requested":
			s.before = "Review: changes requested"
		}
		if s.before == "" && strings.TrimSpace(p.Review.Body) == "" {
			d.Drop = "review without text"
			return
		}
	}
	r.said(d, p, s)
}

// said is something that somebody wrote: on an issue or pull request, by the
// post that holds author and text.
type said struct {
	kind     string
	on, by   *post
	what     string
	identity string
	before   string // a line of ours above the text
	answers  bool   // may hold an answer to an item (I25)
}

func (r *Receiver) said(d *delivery.Delivery, p *payload, s said) {
	account, ok := fullName(p.Repository.FullName)
	switch {
	case !ok:
		d.Drop = "no repository"
	case s.on == nil || s.by == nil || s.on.Number <= 0:
		d.Drop = "no issue or pull request"
	case s.by.ID <= 0:
		d.Drop = "no id"
	case r.own(p.Sender, s.by):
		d.Drop = "own message"
	case s.by.User.ID != 0 && p.Sender.ID != 0 && s.by.User.ID != p.Sender.ID:
		// An issue that somebody moved here: whoever moved it did not write it,
		// and whoever wrote it asked for nothing here.
		d.Drop = "sender is not the author"
	}
	if d.Drop != "" {
		return
	}
	who, ok := person(p.Sender, s.by.User)
	if !ok {
		d.Drop = "no sender"
		return
	}
	id := "github:" + repoID(p.Repository, account) + ":" + s.what + ":" + s.by.ID.String() + ":" + s.identity
	if s.answers && isCommand(s.by.Body) {
		r.answer(d, s.by, who, id)
		return
	}
	text := s.by.Body
	if s.before != "" {
		text = strings.TrimSpace(cut(s.before, 1<<10) + "\n\n" + text)
	}
	d.Trigger = &trigger.Trigger{
		Platform: trigger.GitHub,
		Account:  account,
		Kind:     s.kind,
		Thread:   trigger.Place{Surface: trigger.GitHub, Account: account, Channel: s.on.Number.String()},
		Sender:   who,
		Named:    named(s.by.Body, r.slug),
		Title:    cut(s.on.Title, maxTitle),
		Text:     cut(text, trigger.MaxText),
		ID:       id,
		Message:  s.by.ID.String(),
		Delivery: d.ID,
		Event:    d.Event,
		At:       r.at(s.by.CreatedAt),
	}
}

// own knows what we wrote ourselves: by our App's or machine user's name, by
// the App it was done through, or by the hidden line that all our comments
// begin with (a token of a person's account has neither name).
func (r *Receiver) own(sender account, p *post) bool {
	if r.isUs(sender.Login) || r.isUs(p.User.Login) || strings.HasPrefix(p.Body, markerOpen) {
		return true
	}
	return p.Via != nil && (r.appID != 0 && p.Via.ID == r.appID || strings.EqualFold(p.Via.Slug, r.slug))
}

func (r *Receiver) isUs(login string) bool {
	return login != "" && strings.EqualFold(strings.TrimSuffix(strings.ToLower(login), "[bot]"), r.slug)
}

// person names the sender by the immutable id, and as a bot if either the
// sender or the author is one (G22).
func person(sender, author account) (actor.Actor, bool) {
	a := sender
	if a.ID <= 0 {
		a = author
	}
	if a.ID <= 0 {
		return actor.Actor{}, false
	}
	who := actor.Actor{Provider: trigger.GitHub, ID: a.ID.String(), Name: cut(a.Login, 64), Kind: actor.Human}
	if isBot(sender) || isBot(author) {
		who.Kind = actor.Bot
	}
	return who, true
}

func isBot(a account) bool {
	return strings.EqualFold(a.Type, "Bot") || strings.HasSuffix(strings.ToLower(a.Login), "[bot]")
}

func dropAction(d *delivery.Delivery, action string) {
	d.Drop = "action not handled"
	if isWord(action) {
		d.Drop += ": " + action
	}
}
