package resolve

import (
	"cmp"
	"context"
	"fmt"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// Open takes a click on a card's Open (I22): it answers nothing, and has a
// sign-in link to the item made for whoever clicked, and told to him alone. No
// key is made here, so that none lies in an outbox row (C4). The same click
// again is the same asking. Whoever can click may ask: the panel judges what
// he sees.
func (r *Resolver) Open(ctx context.Context, a inbox.Answer) (Outcome, error) {
	all, err := r.Store.Whole(ctx, a.Item)
	if err != nil {
		return Outcome{}, fmt.Errorf("open %s: %w", a.Item, err)
	}
	x := all.Item
	if x == nil {
		return r.tell(ctx, nil, a, Outcome{Result: inbox.NoItem, Words: "there is no such request here"})
	}
	a.Shown.Place = x.PlaceOf(a.Shown)
	a.Shown.Place.Surface = cmp.Or(a.Shown.Place.Surface, a.Via)
	switch {
	case a.Actor.Ref() == "" || a.Actor.Kind != actor.Human:
		return r.tell(ctx, x, a, Outcome{Result: inbox.Refused, Words: "only a person can open a request"})
	case x.State.Terminal(): // a card as it was: it has no Open any more
		return r.tell(ctx, x, a, Outcome{Result: inbox.Late, Words: "this request is settled; its card says how"})
	}
	now, id := r.Now(), r.NewID()
	key := "open-" + a.ID
	bells := []store.Bell{{Ring: store.RingOpen, Item: x.ID, Place: a.Shown.Place, User: a.Actor.Ref(), Name: cmp.Or(a.Actor.Name, a.Actor.ID),
		Key: key, Correlation: x.Correlation}}
	actions := []table.Action{
		store.NewIdempotent(store.Idempotent{Key: key, Request: x.ID, Answer: id, At: now}),
		store.NewAudit(store.Audit{
			ID: id, Chain: "session#" + x.Session, What: "opened", Actor: a.Actor, Via: a.Via, Delivery: a.Delivery, Item: x.ID,
			Tool: x.Tool, Digest: x.Digest, Was: string(x.State), Is: string(x.State), At: now}),
	}
	if a.Shown.Message != "" { // a message whose reference was never stored is settled too (I23)
		if row := all.At(a.Shown.Place); row == nil || !row.Knows(a.Shown.Message) {
			actions = append(actions, store.ClickedShown(x.ID, a.Shown, now))
			bells = append(bells, store.Bell{Ring: store.RingShow, Item: x.ID, Place: a.Shown.Place, Correlation: x.Correlation})
		}
	}
	actions = append(actions, store.NewOutbox(store.Outbox{ID: id, Correlation: x.Correlation, Created: now, Bells: bells}))
	// Lost if this very click asked before: its link is on its way.
	_, err = r.Store.Do(ctx, id, actions...)
	if err != nil {
		return Outcome{}, fmt.Errorf("open %s: %w", a.Item, err)
	}
	return Outcome{Result: inbox.Opened, Words: "The link is in your messages with me.", Item: x}, nil
}
