package github

import (
	"strings"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// workflowRun is a finished run of GitHub Actions on the default branch. A run
// for a pull request can carry a fork's branch of the same name, so the branch
// alone says nothing.
func workflowRun(r *Receiver, d *delivery.Delivery, p *payload) {
	if p.Action != "completed" {
		dropAction(d, p.Action)
		return
	}
	w := p.WorkflowRun
	if w == nil || w.ID <= 0 {
		d.Drop = "no run"
		return
	}
	if strings.HasPrefix(w.Event, "pull_request") || w.Head.ID != 0 && w.Head.ID != p.Repository.ID {
		d.Drop = "not the default branch"
		return
	}
	r.finished(d, p, result{
		identity: "run:" + w.ID.String() + ":" + w.Attempt.String(), message: w.ID,
		name: w.Name, branch: w.Branch, sha: w.SHA, conclusion: w.Conclusion, url: w.URL, at: w.UpdatedAt,
	})
}

// checkSuite is a finished suite of any other CI. That of Actions itself comes
// as a workflow_run as well and would count twice (G47). A suite may finish
// again after a re-run, so its own time of change is part of its identity.
func checkSuite(r *Receiver, d *delivery.Delivery, p *payload) {
	if p.Action != "completed" {
		dropAction(d, p.Action)
		return
	}
	s := p.CheckSuite
	switch {
	case s == nil || s.ID <= 0:
		d.Drop = "no check suite"
	case s.App.Slug == "github-actions":
		d.Drop = "comes as workflow_run"
	default:
		r.finished(d, p, result{
			identity: "suite:" + s.ID.String() + ":" + parseTime(s.UpdatedAt).Format("20060102T150405Z"), message: s.ID,
			name: s.App.Slug, branch: s.Branch, sha: s.SHA, conclusion: s.Conclusion, at: s.UpdatedAt,
		})
	}
}

type result struct {
	identity                           string
	message                            number
	name, branch, sha, conclusion, url string
	at                                 string
}

// finished makes the Trigger of a CI result. It has no sender (G19), and its
// Thread is the branch's CI, on which nothing can be posted.
func (r *Receiver) finished(d *delivery.Delivery, p *payload, c result) {
	account, ok := fullName(p.Repository.FullName)
	switch {
	case !ok:
		d.Drop = "no repository"
	case c.branch == "" || c.branch != p.Repository.DefaultBranch:
		d.Drop = "not the default branch"
	}
	if d.Drop != "" {
		return
	}
	text := "CI " + orUnknown(c.name) + " on " + c.branch + ": " + orUnknown(c.conclusion) + "\ncommit " + orUnknown(c.sha)
	if c.url != "" {
		text += "\n" + c.url
	}
	d.Trigger = &trigger.Trigger{
		Platform: trigger.GitHub,
		Account:  account,
		Kind:     kindCI,
		Thread:   trigger.Place{Surface: trigger.GitHub, Account: account, Channel: "ci", Thread: cut(c.branch, 256)},
		Sender:   actor.Actor{Provider: trigger.GitHub, Kind: actor.None},
		Named:    trigger.NotAt,
		Text:     cut(text, 4<<10),
		ID:       "github:" + repoID(p.Repository, account) + ":" + c.identity,
		Message:  c.message.String(),
		Delivery: d.ID,
		Event:    d.Event,
		At:       r.at(c.at),
	}
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
