package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/store"
)

// How far back the table is read for signs of life, newest first.
const (
	daysBack   = 30
	auditsBack = 400
	itemsBack  = 60
)

// lately says so to people.
var lately = fmt.Sprintf("the last %d days", daysBack)

// patience is how long a card may stand unclicked before that means something.
const patience = time.Hour

// signs are what the table tells of what came in, by platform.
type signs struct {
	read     bool
	messages map[string]bool
	clicks   map[string]bool
	// shown is when the oldest card that is visible on a platform was made.
	shown map[string]time.Time
	// given are cards of the newest items that were given up for good.
	given []store.Shown
}

// read looks at the audit for what arrived and at the newest items for what was
// shown. Failing is not knowing.
func (d *doctor) read(ctx context.Context) signs {
	s := signs{messages: map[string]bool{}, clicks: map[string]bool{}, shown: map[string]time.Time{}}
	from := d.Now().AddDate(0, 0, -daysBack)
	// Whoever asks may have a clock that is behind the deployment's.
	rows, err := d.Store.AuditBetween(ctx, from, d.Now().Add(patience), auditsBack)
	if err != nil {
		return s
	}
	for _, a := range rows {
		switch {
		case strings.HasPrefix(a.Chain, "thread#"): // what the gate decided
			s.messages[a.Via] = true
		case a.What == "resolved", a.What == "refused":
			s.clicks[a.Via] = true
		}
	}
	items, _, err := d.Store.Items(ctx, "", itemsBack)
	if err != nil {
		return s
	}
	for _, x := range items {
		if len(x.Places) == 0 {
			continue
		}
		rows, err := d.Store.ShownOf(ctx, x.ID)
		if err != nil {
			return s
		}
		for _, r := range rows {
			if r.State == store.Dropped && r.Error != "" {
				s.given = append(s.given, r)
			}
			at, ok := s.shown[r.Place.Surface]
			// The click on an older card may be older than the rows that were read.
			if r.State == store.Visible && r.Message != "" && x.Created.After(from) && (!ok || x.Created.Before(at)) {
				s.shown[r.Place.Surface] = x.Created
			}
		}
	}
	s.read = true
	return s
}

// arrivals says what the table tells of a platform's two addresses, which
// nobody can ask the platform for: one for messages, one for clicks.
func (d *doctor) arrivals(configured bool, name, platform, messages, cause, clicks string) {
	if !configured || !d.signs.read {
		return
	}
	if d.signs.messages[platform] {
		d.ok(platform+".messages", "Messages from "+name+" arrive.")
	} else {
		d.note(platform+".messages", "No message from "+name+" was seen in "+lately+".", messages)
	}
	at, shown := d.signs.shown[platform]
	switch {
	case d.signs.clicks[platform]:
		d.ok(platform+".clicks", "Clicks on "+name+"'s cards arrive.")
	case shown && d.Now().Sub(at) > patience:
		d.bad(platform+".clicks", cause+": clicks never arrive. Cards were shown on "+name+", and no click on one was seen in "+lately+".", clicks)
	default:
		d.note(platform+".clicks", "No click on a card of "+name+" was seen in "+lately+", so nobody knows whether they arrive.", clicks)
	}
}
