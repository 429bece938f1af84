package deliver

import (
	"context"
	"errors"
	"fmt"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/store"
)

// say says something at a place, or privately to one person, once by its key.
func (d *Deliverer) say(ctx context.Context, b store.Bell) error {
	row, err := d.Store.Said(ctx, b.Key)
	if err != nil {
		return err
	}
	now := d.Now()
	if row == nil {
		row = &store.Said{Key: b.Key, Place: b.Place, At: now}
	}
	if row.State == store.Visible || row.State == store.Dropped {
		return nil
	}
	if row.State == store.Sending && row.Lease.After(now) {
		return fmt.Errorf("say %s: another delivery is under way", b.Key)
	}
	surface := d.Surfaces[b.Place.Surface]
	row.State, row.Lease, row.Attempts = store.Sending, now.Add(SendTime), row.Attempts+1
	if surface == nil {
		row.State, row.Error = store.Dropped, "the surface "+b.Place.Surface+" is not configured"
	}
	lost, err := d.Store.Do(ctx, d.NewID(), store.SaveSaid(*row))
	if err != nil {
		return err
	}
	if lost != nil {
		return fmt.Errorf("say %s: another delivery began", b.Key)
	}
	row.Version++
	if surface == nil {
		return nil
	}
	return d.saying(ctx, surface, *row, b)
}

func (d *Deliverer) saying(ctx context.Context, surface Surface, row store.Said, b store.Bell) error {
	send, cancel := context.WithTimeout(ctx, SendTime)
	defer cancel()
	var err error
	switch b.Ring {
	case store.RingTell:
		err = d.tell(send, surface, b)
	case store.RingOpen:
		err = d.open(send, surface, b)
	default:
		row.Message, err = surface.Say(send, b.Place, b.Text, b.Key)
	}
	row.State, row.Error = store.Visible, ""
	if err != nil {
		d.Count("undelivered", b.Place.Surface)
		d.Log.Warn("not said", "key", b.Key, "place", b.Place.Key(), "error", err)
		row.State, row.Error = store.Due, err.Error()
		row.Lease = d.Now()
		if final(err) {
			row.State = store.Dropped
		}
	}
	if _, e := d.Store.Do(ctx, d.NewID(), store.SaveSaid(row)); e != nil {
		return errors.Join(err, e)
	}
	d.Log.Info("said", "key", b.Key, "state", row.State, "correlation", b.Correlation)
	if row.State == store.Due {
		return fmt.Errorf("say %s: %w", b.Key, err)
	}
	return nil
}

func (d *Deliverer) tell(ctx context.Context, surface Surface, b store.Bell) error {
	who, ok := actor.ParseRef(b.User)
	if !ok {
		return &delivery.SendError{Code: "no_person", Final: true, Err: fmt.Errorf("%q is no person's identity", b.User)}
	}
	return surface.Tell(ctx, b.Place, who, b.Text)
}
