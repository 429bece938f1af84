package resolve

import (
	"context"
	"fmt"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// tell audits an answer that changed nothing, with its reason (I14), tells the
// clicker privately where the surface's own reply cannot (Slack, O1), and
// brings the clicked card up to date (R4).
func (r *Resolver) tell(ctx context.Context, x *inbox.Item, a inbox.Answer, out Outcome) (Outcome, error) {
	now, id := r.Now(), r.NewID()
	chain, correlation := "people", ""
	var shows []table.Action
	var bells []store.Bell
	if x != nil {
		chain, correlation = "session#"+x.Session, x.Correlation
		if a.Shown.Message != "" && out.Result != inbox.Refused {
			shows = append(shows, store.ClickedShown(x.ID, a.Shown, now))
			bells = append(bells, store.Bell{Ring: store.RingShow, Item: x.ID, Place: a.Shown.Place, Correlation: correlation})
		}
	}
	if a.Via == trigger.Slack {
		bells = append(bells, tellBell(a, out.Words, correlation))
	}
	row := store.Audit{
		ID: id, Chain: chain, What: "refused", Actor: a.Actor, Via: a.Via, Delivery: a.Delivery, Item: a.Item,
		Digest: a.Digest, Rule: string(out.Result), Reason: out.Words, At: now,
	}
	if x != nil {
		row.Tool, row.Was, row.Is = x.Tool, string(x.State), string(x.State)
	}
	actions := append([]table.Action{store.NewAudit(row)}, shows...)
	if len(bells) > 0 {
		actions = append(actions, store.NewOutbox(store.Outbox{ID: id, Bells: bells, Correlation: correlation, Created: now}))
	}
	if _, err := r.Store.Do(ctx, id, actions...); err != nil {
		return Outcome{}, fmt.Errorf("audit a refused answer to %s: %w", a.Item, err)
	}
	return out, nil
}

// tellBell says something to the one person who clicked.
func tellBell(a inbox.Answer, words, correlation string) store.Bell {
	return store.Bell{Ring: store.RingTell, Place: a.Shown.Place, User: a.Actor.Ref(), Text: words,
		Key: "tell-" + a.ID, Correlation: correlation}
}
