package inbox

import (
	"fmt"
	"strings"

	"github.com/postern-dev/postern/shared/domain/actor"
)

// Told says in one line what became of an item: what, by whom, when, where.
// The same words stand on every settled card and in every late answer (I5).
func Told(x Item) string {
	when := x.Resolved.UTC().Format("2 Jan 15:04 MST")
	switch x.State {
	case Pending:
		return "waiting for an answer"
	case Approved:
		return fmt.Sprintf("allowed by %s at %s (%s)", name(x.By), when, x.Via)
	case Denied:
		return fmt.Sprintf("denied by %s at %s (%s)", name(x.By), when, x.Via) + because(x.Reason)
	case Answered:
		return fmt.Sprintf("answered by %s at %s (%s)", name(x.By), when, x.Via)
	case Expired:
		return "expired at " + when + " without an answer; nothing was done"
	case Cancelled:
		return fmt.Sprintf("cancelled at %s; nothing was done", when)
	case Superseded:
		return fmt.Sprintf("withdrawn by %s at %s; nothing was done", name(x.By), when)
	}
	return string(x.State)
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

func name(a actor.Actor) string {
	if a.Name != "" {
		return a.Name
	}
	if r := a.Ref(); r != "" {
		return r
	}
	return "somebody"
}

// ForAgent is what the agent is told of a settled item that is no approval to
// run something: different words for each outcome (I4), so that an expiry is
// never read as a person's no.
func ForAgent(x Item, b Body) string {
	switch x.State {
	case Denied:
		return "A person denied this call" + because(x.Reason) + ". Do not try it again in this run unless a person asks for it."
	case Answered:
		return strings.TrimSpace(labels(x.Choice, b) + "\n" + x.Reason)
	case Expired:
		return "Nobody answered in time. This is not a refusal; the call did not run."
	case Cancelled:
		return "The request was cancelled because the work was stopped. The call did not run."
	case Superseded:
		return "A person withdrew this call so that the work can go on. The call did not run."
	case Approved:
		return "Allowed" + because(x.Reason) + "."
	}
	return "Still waiting for a person."
}

// labels turns the chosen options' values into the words that were shown.
func labels(choice string, b Body) string {
	var out []string
	for _, c := range strings.Split(choice, ",") {
		for _, o := range b.Options {
			if o.Value == c {
				c = o.Label
				break
			}
		}
		out = append(out, c)
	}
	return strings.Join(out, ", ")
}
