package panel

import (
	"net/url"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
)

// when is a time as a list shows it.
func when(t time.Time) string { return t.UTC().Format("2 Jan 15:04 UTC") }

// until says when an item expires.
func until(x inbox.Item) string {
	if x.Expires.Year() > 9000 {
		return "does not expire"
	}
	return "expires " + when(x.Expires)
}

func asker(b inbox.Body) string {
	if b.Asked.Kind != actor.Human {
		return ""
	}
	if b.Asked.Name != "" {
		return b.Asked.Name + " (" + b.Asked.Ref() + ")"
	}
	return b.Asked.Ref()
}

// once names the form of an item as it is shown: sent twice, it is one answer.
func once(x inbox.Item) string { return x.ID + "-" + string(x.State) }

func outcomeWords(in itemView) string {
	if in.Won {
		return "Recorded: " + in.Said + "."
	}
	return "Not recorded: " + in.Said + "."
}

func sessionTitle(s session.Session) string {
	if s.Title != "" {
		return s.Title
	}
	return s.ID
}

func liveness(l session.Lease) string {
	switch l.State {
	case session.Parked:
		return "waits for a person"
	case session.Sleeping:
		return "asleep until a wake"
	}
	return string(l.State)
}

func speaker(s session.Step) string {
	switch s.Role {
	case session.User:
		return s.From
	case session.Result:
		return "result of " + s.From
	}
	return "agent (" + s.Model + ")"
}

func queryEscape(s string) string { return url.QueryEscape(s) }
