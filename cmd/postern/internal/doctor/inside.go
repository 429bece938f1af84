package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// behind is how long something may be overdue: two passes of the reconciler.
const behind = 12 * time.Minute

// silence is how long the reconciler may say nothing: three passes.
const silence = 15 * time.Minute

// cards looks for places that do not show what they should.
func (d *doctor) cards(ctx context.Context) {
	if !d.known {
		return
	}
	rows, err := d.Store.Overdue(ctx, "show", d.Now().Add(-behind), 50)
	if err != nil {
		return // the table was said to be silent
	}
	told := map[string]bool{}
	for _, x := range d.signs.given {
		if !told[x.Place.Key()+x.Error] {
			told[x.Place.Key()+x.Error] = true
			d.note("cards.given", fmt.Sprintf("A card at %s %s was given up: %s.", x.Place.Surface, x.Place.Channel, x.Error),
				"Somebody may have deleted the message. docs/operations.md#cards-not-shown lists the platforms' codes; the panel shows the item.")
		}
	}
	for _, r := range rows {
		x, err := d.Store.ShownRow(ctx, r.Key)
		if err != nil || x == nil || x.Error == "" || told[x.Place.Key()+x.Error] {
			continue
		}
		told[x.Place.Key()+x.Error] = true
		d.bad("cards.undelivered", fmt.Sprintf("A card could not be shown at %s %s after %d tries: %s.", x.Place.Surface, x.Place.Channel, x.Attempts, x.Error),
			"docs/operations.md#cards-not-shown lists the platforms' codes. The panel shows the item meanwhile.")
	}
}

func (d *doctor) queues(ctx context.Context) {
	if d.Queues == nil {
		return
	}
	all, err := d.Queues(ctx)
	if err != nil {
		d.bad("queues.silent", "The queues cannot be looked at: "+err.Error()+".", "These credentials need sqs:GetQueueAttributes on them.")
		return
	}
	dead := 0
	for _, name := range slices.Sorted(maps.Keys(all)) {
		n := all[name].Dead
		if dead += n; n == 0 {
			continue
		}
		do := "Find out why (docs/operations.md#dead-letters-" + name + "), then: postern redrive " + name + " " + d.Stack
		if name == "dispatch" {
			do = "They are pointers to stream records that expired; the reconciler moved their rows by itself (docs/operations.md#dead-letters-dispatch). postern redrive dispatch " + d.Stack + " clears them."
		}
		d.bad("queues.dead", fmt.Sprintf("%d messages of %s were given up.", n, name), do)
	}
	if dead == 0 {
		d.ok("queues", "Nothing lies in a dead-letter queue.")
	}
}

// reconciler looks whether what was missed is found: by its line in the log,
// and by rows that it would have dealt with.
func (d *doctor) reconciler(ctx context.Context) {
	before := d.wrong
	do := "Look at the schedule ReconcileSchedule and the log group of WakeFunction (docs/operations.md#reconciler-silent). Meanwhile: postern wake --due"
	if d.Reconciled != nil {
		at, err := d.Reconciled(ctx)
		switch {
		case err != nil:
			d.note("reconciler.unknown", "The reconciler's log could not be read: "+err.Error()+".", "")
		case d.Now().Sub(at) > silence && d.Now().Sub(d.Since) < silence:
			d.note("reconciler.young", "The reconciler did not run yet: the deployment is new.", "")
		case d.Now().Sub(at) > silence:
			d.bad("reconciler.silent", "The reconciler did not run for 15 minutes.", do)
		}
	}
	if d.known {
		if n, err := d.overdue(ctx); err == nil && n > 0 {
			d.bad("reconciler.behind", fmt.Sprintf("%d things are overdue for more than %v and nobody dealt with them.", n, behind), do)
		}
	}
	if d.wrong == before {
		d.ok("reconciler", "Nothing is overdue.")
	}
}

func (d *doctor) overdue(ctx context.Context) (int, error) {
	late := d.Now().Add(-behind)
	rows, err := d.Store.StuckOutbox(ctx, late, 20)
	if err != nil {
		return 0, err
	}
	n := len(rows)
	for _, kind := range []string{"wake", "pending"} {
		waiting, err := d.Store.Overdue(ctx, kind, late, 20)
		if err != nil {
			return n, err
		}
		n += len(waiting)
	}
	return n, nil
}
