package policy

import "time"

// Source finds a Source by name.
func (p Policy) Source(name string) (Source, bool) {
	for _, s := range p.Sources {
		if s.Name == name {
			return s, true
		}
	}
	return Source{}, false
}

// IsPaused says whether a Source is paused, by name or with all (G51).
func (p Policy) IsPaused(source string) bool {
	for _, s := range p.Paused {
		if s == source || s == All {
			return true
		}
	}
	return false
}

// Queue finds a queue by name; an empty name is the default queue. The default
// queue always exists, if only in the panel (I20).
func (p Policy) Queue(name string) (Queue, bool) {
	if name == "" {
		name = DefaultQueue
	}
	for _, q := range p.Queues {
		if q.Name == name {
			return q, true
		}
	}
	if name == DefaultQueue {
		return Queue{Name: DefaultQueue}, true
	}
	return Queue{}, false
}

// Approvers are the refs that may answer a queue's items, and in words where
// they come from (I12): the queue's list, even an empty one, else the owners.
// A queue that is not known has no list. Nobody may answer if refs is empty.
func (p Policy) Approvers(queue string) (refs []string, from string) {
	if q, ok := p.Queue(queue); ok && q.Approvers != nil {
		return *q.Approvers, "queue " + q.Name
	}
	return p.Owners, "owners"
}

// Places are where a queue's cards are shown besides the panel (I20).
func (p Policy) Places(queue string) []Binding {
	q, _ := p.Queue(queue)
	return q.Bindings
}

// Never is when an item expires that does not, and WithoutSay how long one
// waits whose queue does not say (I10).
var Never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// WithoutSay: see Never.
const WithoutSay = 7 * 24 * time.Hour

// Expiry is when an item raised now in a queue expires (I10). An expiry that
// Parse would have refused counts as none said.
func (p Policy) Expiry(queue string, now time.Time) time.Time {
	q, _ := p.Queue(queue)
	d, never, err := parseExpiry(q.Expiry)
	switch {
	case err != nil:
		return now.Add(WithoutSay)
	case never:
		return Never
	}
	return now.Add(d)
}
