package wake

import (
	"context"
	"fmt"
	"time"
)

// Redeliverer is a platform that keeps what it could not deliver and sends it
// again only when asked: GitHub. *github.Redelivery is one.
type Redeliverer interface {
	// Undelivered gives what to ask for now, each delivery once, oldest first.
	// What was taken since, or is to wait longer, is not among it. whole is
	// false if the platform has more than it could look at.
	Undelivered(ctx context.Context) (ids []int64, whole bool, err error)
	// Redeliver asks for one of them. It comes in by its entrance, soon after.
	Redeliver(ctx context.Context, id int64) error
}

const (
	// redeliveries is how many deliveries a pass asks for; the next takes more.
	redeliveries = 50
	// redelivering is the longest that a pass spends on them.
	redelivering = 25 * time.Second
)

// deliveries asks for what the platform could not deliver (W8): while the
// entrance failed, or the reply was too slow. One that cannot be asked for does
// not stop the others.
func (w *Waker) deliveries(ctx context.Context, f *Finds) error {
	if w.GitHub == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, redelivering)
	defer cancel()
	platform, err := w.GitHub(ctx)
	if err != nil || platform == nil {
		return err
	}
	ids, whole, err := platform.Undelivered(ctx)
	if err != nil {
		return err
	}
	if !whole {
		w.Log.Warn("more deliveries than a pass looks at: older ones that failed are not asked for")
	}
	ids = ids[:min(len(ids), redeliveries)]
	failed := 0
	for _, id := range ids {
		if e := platform.Redeliver(ctx, id); e != nil {
			failed, err = failed+1, e
			continue
		}
		f.Deliveries++
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d not asked for: %w", failed, len(ids), err)
	}
	return nil
}
