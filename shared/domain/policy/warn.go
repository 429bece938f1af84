package policy

import (
	"fmt"
	"slices"

	"github.com/postern-dev/postern/shared/domain/trigger"
)

// Warnings says what a valid policy may not mean: a queue that nobody can
// answer (I12), and a queue bound to a place where sessions listen, so that
// cards and work mix there (I26). Shown when a policy is saved and in lists.
func (p Policy) Warnings() []string {
	var out []string
	queues := p.Queues
	if !slices.ContainsFunc(queues, func(q Queue) bool { return q.Name == DefaultQueue }) {
		queues = append(slices.Clone(queues), Queue{Name: DefaultQueue})
	}
	for _, q := range queues {
		if refs, from := p.Approvers(q.Name); len(refs) == 0 {
			out = append(out, fmt.Sprintf("queue %s: nobody can answer its items, since the list of %s is empty (I12)", q.Name, from))
		}
		for _, b := range q.Bindings {
			if s := p.listener(b); s != "" {
				out = append(out, fmt.Sprintf("queue %s: %s %s is also received by Source %s; sessions may listen where the cards are shown (I26)", q.Name, b.Surface, b.Channel, s))
			}
		}
	}
	return out
}

// listener is the Source with a row of its own for a binding's place that
// receives messages there, if any. The row "other" is not one: it would warn of
// every channel.
func (p Policy) listener(b Binding) string {
	kind := Channel
	if b.Surface == trigger.GitHub {
		kind = Comments
	}
	src, row := p.locate(trigger.Trigger{
		Platform: b.Surface, Account: b.Account, Kind: kind,
		Thread: trigger.Place{Surface: b.Surface, Account: b.Account, Channel: b.Channel},
	})
	if row == nil || row.Name == Other || refuses(row, true) != "" {
		return ""
	}
	return src.Name
}
