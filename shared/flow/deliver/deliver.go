// Package deliver makes places show what is: cards of items, replies, private
// words (I23, I24). It reads the present state and shows that, whatever rang.
//
// It decides nothing about items: a failed delivery never fails a decision.
package deliver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store"
)

// Surface speaks to one platform. Errors are *delivery.SendError where the
// platform said what is wrong.
type Surface interface {
	// Post shows a card for the first time and returns the message's id. key is
	// the platform's idempotency key, where it has one.
	Post(ctx context.Context, place trigger.Place, card inbox.Card, key string) (message string, err error)
	// Update makes a shown message show the card.
	Update(ctx context.Context, ref inbox.Reference, card inbox.Card) error
	// Say writes text at a place, in its thread.
	Say(ctx context.Context, place trigger.Place, text, key string) (message string, err error)
	// Tell writes to one person only.
	Tell(ctx context.Context, place trigger.Place, user actor.Actor, text string) error
}

// Deliverer delivers.
type Deliverer struct {
	Store     *store.Store
	Surfaces  map[string]Surface // by trigger.Place.Surface; unconfigured ones are absent
	ButtonKey []byte             // signs the buttons of cards
	Link      func(item string) string
	SignIn    func(key string) string // the address of a sign-in link
	Secret    func() string           // a sign-in link's key: at least 128 random bits, text
	Now       func() time.Time
	NewID     func() string
	Log       *slog.Logger
	Count     func(name, label string)
}

// SendTime is how long one call to a platform may take, and hence how long a
// claim on a place lasts.
const SendTime = 25 * time.Second

// Hear delivers what one doorbell rings for. An error means: ring again later.
func (d *Deliverer) Hear(ctx context.Context, body string) error {
	b, err := store.DecodeBell(body)
	if err != nil {
		return err
	}
	switch b.Ring {
	case store.RingShow:
		return d.Show(ctx, b.Item, b.Place)
	case store.RingSay, store.RingTell, store.RingOpen:
		return d.say(ctx, b)
	}
	return fmt.Errorf("deliver: unknown doorbell %q", b.Ring)
}

// Show makes one place show one item's present state, however often and late
// it is called.
func (d *Deliverer) Show(ctx context.Context, item string, place trigger.Place) error {
	for range 5 {
		again, err := d.show(ctx, item, place)
		if err != nil || !again {
			return err
		}
	}
	return fmt.Errorf("show %s at %s: changed too often meanwhile", item, place.Key())
}

// show is one round. again means that the row changed under it.
func (d *Deliverer) show(ctx context.Context, item string, place trigger.Place) (again bool, err error) {
	w, err := d.Store.Whole(ctx, item)
	row := w.At(place)
	if err != nil || row == nil {
		return false, err
	}
	if w.Item == nil {
		return d.end(ctx, *row, store.Dropped, "the item is gone")
	}
	version := inbox.ShownVersion(*w.Item, w.Ran())
	if !row.Behind(version) {
		return false, d.close(ctx, w)
	}
	again, err = d.bring(ctx, w, *row, version)
	if err == nil && !again {
		d.Log.Info("shown", "item", item, "place", place.Key(), "version", version, "correlation", w.Item.Correlation)
		row.State, row.Have = store.Visible, version
		err = d.close(ctx, w)
	}
	return again, err
}

// bring makes a place show its item's present version, which it does not yet.
func (d *Deliverer) bring(ctx context.Context, w store.Whole, row store.Shown, version int64) (again bool, err error) {
	now := d.Now()
	if row.Lease.After(now) { // due again perhaps: whoever sends looks once more
		return false, fmt.Errorf("show %s at %s: another delivery is under way", row.Item, row.Place.Key())
	}
	surface := d.Surfaces[row.Place.Surface]
	if surface == nil {
		row.Have = version
		return d.end(ctx, row, store.Dropped, "the surface "+row.Place.Surface+" is not configured")
	}
	card, err := d.card(ctx, w, row.Place)
	if err != nil {
		return false, err
	}
	if card == nil {
		return d.end(ctx, row, store.Dropped, "the item is gone")
	}
	if row.Message == "" && row.Also == "" && card.Settled && row.Attempts == 0 {
		return d.end(ctx, row, store.Dropped, "settled before it was ever shown")
	}
	if row.Message == "" {
		row.Message = row.Also // one that was clicked before its reference was stored
	}
	if row.Message != "" {
		return d.send(ctx, surface, row, *card) // showing the same twice does no harm
	}
	// The claim. After a crash between posting and storing, the next claim
	// posts again: Slack has no key for posts (I23).
	row.State, row.Lease, row.Attempts = store.Sending, now.Add(SendTime), row.Attempts+1
	lost, err := d.Store.Do(ctx, d.NewID(), store.SaveShown(row))
	if err != nil || lost != nil {
		return lost != nil, err
	}
	row.Version++
	return d.send(ctx, surface, row, *card)
}

// close takes a settled item out of what waits, once nothing is owed for it.
// Lost if it changed meanwhile: then something is owed again.
func (d *Deliverer) close(ctx context.Context, w store.Whole) error {
	if !w.Item.State.Terminal() || w.Owed() {
		return nil
	}
	_, err := d.Store.Do(ctx, d.NewID(), store.CloseItem(*w.Item))
	return err
}

func (d *Deliverer) send(ctx context.Context, surface Surface, row store.Shown, card inbox.Card) (bool, error) {
	send, cancel := context.WithTimeout(ctx, SendTime)
	defer cancel()
	var err error
	if row.Message == "" {
		row.Message, err = surface.Post(send, row.Place, card, row.Item)
	} else {
		err = update(send, surface, row, row.Message, card)
	}
	if err == nil && row.Also != "" && row.Also != row.Message {
		if err = update(send, surface, row, row.Also, card); final(err) {
			err = nil // it is gone; the one on record shows what is
		}
	}
	if err != nil {
		return d.failed(ctx, row, card.Version, err)
	}
	row.Have, row.Error = card.Version, ""
	d.Count("shown", row.Place.Surface)
	return d.end(ctx, row, store.Visible, "")
}

// update makes a message show a card. Where it cannot be edited any more the
// outcome is said beside it.
func update(ctx context.Context, surface Surface, row store.Shown, message string, card inbox.Card) error {
	err := surface.Update(ctx, inbox.Reference{Place: row.Place, Message: message}, card)
	if final(err) && card.Settled {
		_, err = surface.Say(ctx, row.Place, card.Title+": "+card.Status, row.Item+"-settled")
	}
	return err
}

// end writes what became of a place. Where its row changed meanwhile another
// round follows: what was shown just now may be older than what is.
func (d *Deliverer) end(ctx context.Context, row store.Shown, state, why string) (again bool, err error) {
	row.State, row.Error = state, why
	return d.save(ctx, row)
}

// save writes a row that was read or claimed, and ends its claim. Where it
// changed meanwhile the place is due again, and the id of the message that was
// posted is kept. Who posted nothing leaves the row to who changed it.
func (d *Deliverer) save(ctx context.Context, row store.Shown) (changed bool, err error) {
	claim := row.Lease
	row.Lease = time.Time{}
	lost, err := d.Store.Do(ctx, d.NewID(), store.SaveShown(row))
	if row.Message == "" && claim.IsZero() {
		return lost != nil, err
	}
	for tries := 0; err == nil && lost != nil; tries++ {
		if tries == 5 {
			return false, fmt.Errorf("show %s at %s: message %s could not be kept", row.Item, row.Place.Key(), row.Message)
		}
		var is *store.Shown
		if is, err = d.Store.Shown(ctx, row.Item, row.Place); err != nil || is == nil {
			return false, err
		}
		changed = true
		lost, err = d.Store.Do(ctx, d.NewID(), store.AgainShown(*is, row.Message, claim, d.Now()))
	}
	return changed, err
}

// failed records a failed post. What is final is given up and shown in the
// panel; the rest is rung again (I24).
func (d *Deliverer) failed(ctx context.Context, row store.Shown, version int64, cause error) (bool, error) {
	d.Count("undelivered", row.Place.Surface)
	if row.Message != "" {
		row.Attempts++
	}
	d.Log.Warn("not shown", "item", row.Item, "place", row.Place.Key(), "attempt", row.Attempts, "error", cause)
	if final(cause) {
		row.Have = version // given up: the next version is tried again
		return d.end(ctx, row, store.Dropped, cause.Error())
	}
	row.State, row.Error = store.Due, cause.Error()
	if _, err := d.save(ctx, row); err != nil {
		return false, err
	}
	return false, fmt.Errorf("show %s at %s: %w", row.Item, row.Place.Key(), cause)
}

func final(err error) bool {
	var s *delivery.SendError
	return errors.As(err, &s) && s.Final
}
