package github

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Lost is a delivery that GitHub could not make.
type Lost struct {
	Attempt     // the latest
	Tries   int // so far
	First   time.Time
}

// Missed picks what GitHub could not deliver and can still try again: no try of
// it was answered 2xx, and its first is in the list and young enough. What we
// took in spite of a failure there (a slow answer counts as one, B51) is among
// them: its second copy is known by its GUID and does nothing. Oldest first.
func Missed(tries []Attempt, now time.Time) []Lost {
	delivered, all := map[string]bool{}, map[string]Lost{}
	for _, a := range tries {
		l, seen := all[a.GUID]
		if a.Status >= 200 && a.Status < 300 {
			delivered[a.GUID] = true
		}
		if !seen || a.At.After(l.At) {
			l.Attempt = a
		}
		if !a.Again {
			l.First = a.At
		}
		l.Tries++
		all[a.GUID] = l
	}
	var missed []Lost
	for guid, l := range all {
		if guid != "" && !delivered[guid] && !l.First.IsZero() && now.Sub(l.First) < Window {
			missed = append(missed, l)
		}
	}
	slices.SortFunc(missed, func(a, b Lost) int {
		if c := a.First.Compare(b.First); c != 0 {
			return c
		}
		return cmp.Compare(a.ID, b.ID)
	})
	return missed
}

// patience is how long a delivery waits after its first try before it counts as
// missed; the wait doubles with each try, to half a day, so that one that can
// never be made is asked for a dozen times in its three days.
const patience = 2 * time.Minute

// Due reports whether to ask for it now.
func (l Lost) Due(now time.Time) bool {
	wait := min(patience<<min(l.Tries-1, 10), 12*time.Hour)
	return now.Sub(l.At) >= wait
}

// Redelivery asks for what GitHub could not deliver to the App (W8).
type Redelivery struct{ c *Client }

// Redelivery is not there for a plain token: only an App has a list.
func (c *Client) Redelivery() (Redelivery, bool) { return Redelivery{c}, c.cred.isApp() }

// Undelivered gives a try of each delivery of the last 3 days that is to be
// asked for now, oldest delivery first. whole is false if there were too many
// deliveries to look at all of them.
func (r Redelivery) Undelivered(ctx context.Context) (ids []int64, whole bool, err error) {
	now := r.c.now()
	tries, whole, err := r.c.Deliveries(ctx, Hook{}, now.Add(-Window))
	if err != nil {
		return nil, false, err
	}
	for _, l := range Missed(tries, now) {
		if l.Due(now) {
			ids = append(ids, l.ID)
		}
	}
	return ids, whole, nil
}

// Redeliver asks for a delivery by one of its tries.
func (r Redelivery) Redeliver(ctx context.Context, try int64) error {
	return r.c.Redeliver(ctx, Hook{}, try)
}
