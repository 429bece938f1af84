package queue

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/postern-dev/postern/shared/domain/doorbell"
)

// Lingers is how long a schedule's name stays taken after it rang: AWS deletes
// a completed schedule shortly after, not at once.
const Lingers = time.Minute

// maxScheduled is the most bytes that a schedule carries.
const maxScheduled = 256 << 10

var scheduleName = regexp.MustCompile(`^[0-9a-zA-Z_.-]{1,64}$`)

// Set makes a one-time schedule that sends body to the queue wakes at the time
// at, rounded up to the second, or later, and is deleted then (D6). A name that
// is taken is done: the schedule that has it stays as it is. A time that is past
// is an error.
func (e *Engine) Set(ctx context.Context, name string, at time.Time, body string) error {
	err := refuseBody(body, maxScheduled)
	if !scheduleName.MatchString(name) {
		err = fmt.Errorf("a name is 1 to 64 of letters, digits, dots, - and _")
	}
	if up := at.Truncate(time.Second); up.Before(at) {
		at = up.Add(time.Second)
	}
	if err == nil && at.Before(e.now()) {
		err = fmt.Errorf("%s is past", at.UTC().Format(time.RFC3339))
	}
	if err == nil {
		err = e.change(ctx, true, func(t tx) error {
			old := micros(e.now().Add(-Lingers))
			e.soon.by(schedules, micros(at))
			_, err := t.exec(`INSERT INTO schedule (name, at, body) VALUES (?1, ?2, ?3)
				ON CONFLICT (name) DO UPDATE SET at = excluded.at, body = excluded.body, rang = NULL WHERE rang <= ?4`,
				name, micros(at), body, old)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("set schedule %q: %w", name, err)
	}
	e.ring()
	return nil
}

// Cancel deletes a schedule; one that rang or never was is done.
func (e *Engine) Cancel(ctx context.Context, name string) error {
	err := e.change(ctx, true, func(t tx) error {
		_, err := t.exec(`DELETE FROM schedule WHERE name = ?1 AND rang IS NULL`, name)
		return err
	})
	if err != nil {
		return fmt.Errorf("cancel schedule %q: %w", name, err)
	}
	return nil
}

// Schedules counts those that have not rung.
func (e *Engine) Schedules(ctx context.Context) (n int, err error) {
	err = e.change(ctx, false, func(t tx) error {
		_, err := t.row(`SELECT count(*) FROM schedule WHERE rang IS NULL`, nil, []any{&n})
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("count schedules: %w", err)
	}
	return n, nil
}

// fire sends what is due, in one transaction with its completion. It drops the
// names that have been taken long enough.
func (t tx) fire(now time.Time) error {
	type row struct{ name, body string }
	due, err := rows(t, `SELECT name, body FROM schedule WHERE rang IS NULL AND at <= ?1 ORDER BY at, name LIMIT 100`,
		[]any{now.UnixMicro()}, func(r *row) []any { return []any{&r.name, &r.body} })
	if err != nil || len(due) == 0 {
		return err
	}
	if _, err := t.exec(`DELETE FROM schedule WHERE rang <= ?1`, micros(now.Add(-Lingers))); err != nil {
		return err
	}
	for _, r := range due {
		if err := t.insert(doorbell.Wakes, nil, r.body, now, now); err != nil {
			return err
		}
		if _, err := t.exec(`UPDATE schedule SET rang = ?2 WHERE name = ?1`, r.name, micros(now)); err != nil {
			return err
		}
	}
	return nil
}

// NextDue is when something becomes deliverable next, or is already: a message,
// or a schedule. False if nothing ever does.
func (e *Engine) NextDue(ctx context.Context) (at time.Time, ok bool, err error) {
	least := int64(never)
	err = e.change(ctx, false, func(t tx) (err error) {
		least, err = t.due(schedules)
		for name := range e.settings {
			if err == nil {
				var due int64
				due, err = t.due(name)
				least = min(least, due)
			}
		}
		return err
	})
	if err != nil {
		return time.Time{}, false, fmt.Errorf("next due: %w", err)
	}
	if least == never {
		return time.Time{}, false, nil
	}
	return fromMicros(least), true, nil
}

// due is when a queue's next message is deliverable, or the next schedule
// rings; never if there is none.
func (t tx) due(what string) (int64, error) {
	query := `SELECT min(at) FROM schedule WHERE rang IS NULL`
	if what != schedules {
		query = `SELECT min(due) FROM message WHERE head = 1 AND queue = '` + what + `'`
	}
	var due *int64
	if _, err := t.row(query, nil, []any{&due}); err != nil || due == nil {
		return never, err
	}
	return *due, nil
}
