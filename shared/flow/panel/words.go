package panel

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/store"
)

// when is a time as a list shows it.
func when(ctx context.Context, t time.Time) string {
	if lang(ctx) == inChinese {
		return t.UTC().Format("1月2日 15:04 UTC")
	}
	return t.UTC().Format("2 Jan 15:04 UTC")
}

// stamp is a time as a machine reads it.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// until says when an item expires.
func until(ctx context.Context, x inbox.Item) string {
	if x.Expires.Year() > 9000 {
		return w(ctx, "does not expire")
	}
	return wf(ctx, "expires %s", when(ctx, x.Expires))
}

// told is inbox.Told in the reader's language.
func told(ctx context.Context, x inbox.Item) string {
	if lang(ctx) == inEnglish {
		return inbox.Told(x)
	}
	by, at := x.By.Name, when(ctx, x.Resolved)
	if by == "" {
		by = x.By.Ref()
	}
	switch x.State {
	case inbox.Pending:
		return w(ctx, "waiting for an answer")
	case inbox.Approved:
		return wf(ctx, "allowed by %s at %s (%s)", by, at, x.Via)
	case inbox.Denied:
		if x.Reason != "" {
			at += " (" + x.Via + "): " + x.Reason
			return wf(ctx, "denied by %s at %s", by, at)
		}
		return wf(ctx, "denied by %s at %s", by, at+" ("+x.Via+")")
	case inbox.Answered:
		return wf(ctx, "answered by %s at %s (%s)", by, at, x.Via)
	case inbox.Expired:
		return wf(ctx, "expired at %s without an answer; nothing was done", at)
	case inbox.Cancelled:
		return wf(ctx, "cancelled at %s; nothing was done", at)
	case inbox.Superseded:
		return wf(ctx, "withdrawn by %s at %s; nothing was done", by, at)
	}
	return inbox.Told(x)
}

// answerGiven is what was answered to a question.
func answerGiven(x inbox.Item, b inbox.Body) string {
	if x.State != inbox.Answered {
		return ""
	}
	return inbox.ForAgent(x, b)
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

func sessionTitle(s session.Session) string {
	if s.Title != "" {
		return plain(s.Title)
	}
	return s.ID
}

func liveness(ctx context.Context, l session.Lease, wake time.Time) string {
	switch {
	case l.State == session.Parked:
		return w(ctx, "waits for a person")
	case l.State == session.Sleeping && !wake.IsZero():
		return wf(ctx, "asleep until %s", when(ctx, wake))
	case l.State == session.Sleeping:
		return w(ctx, "asleep until something happens")
	}
	return w(ctx, string(l.State))
}

func speaker(ctx context.Context, s session.Step) string {
	switch s.Role {
	case session.User:
		return s.From
	case session.Result:
		return wf(ctx, "result of %s", s.From)
	}
	return wf(ctx, "agent (%s)", s.Model)
}

func sender(ctx context.Context, a actor.Actor) string {
	if ref := a.Ref(); ref != "" {
		return ref
	}
	return w(ctx, "nobody named")
}

// shown says whether a place shows an item's present state.
func shown(ctx context.Context, x store.Shown) string {
	switch {
	case x.State == store.Visible:
		return w(ctx, "up to date")
	case x.Error != "":
		return w(ctx, x.State) + " (" + x.Error + ")"
	}
	return w(ctx, x.State)
}

// auditLine is one row of an audit chain, in the chain's own words.
func auditLine(a store.Audit) string {
	var out []string
	for _, f := range []string{a.What, a.Tool, a.Reason} {
		if f != "" {
			out = append(out, f)
		}
	}
	if by := a.Actor.Ref(); by != "" {
		out = append(out, "—", by)
	}
	return strings.Join(out, " ")
}

// withCursor is the address of one page of a list.
func withCursor(base, cursor string) string {
	if cursor == "" {
		return base
	}
	join := "?"
	if strings.Contains(base, "?") {
		join = "&"
	}
	return base + join + "cursor=" + url.QueryEscape(cursor)
}

// outcomeWords says what became of the answer just given. A refusal is in the
// words of whoever refused.
func outcomeWords(ctx context.Context, in itemView, out resolve.Outcome) string {
	switch out.Result {
	case inbox.Won:
		return wf(ctx, "Recorded: %s.", told(ctx, in.Item))
	case inbox.Late, inbox.Overdue:
		return wf(ctx, "Not recorded: %s.", told(ctx, in.Item))
	}
	return wf(ctx, "Not recorded: %s.", out.Words)
}

// mayWords says why somebody may not answer.
func mayWords(ctx context.Context, in itemView) string {
	if in.NoSelf {
		return w(ctx, "In this queue nobody approves his own request.")
	}
	return wf(ctx, "Those who may answer are listed by %s.", in.From)
}
