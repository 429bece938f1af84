package simulation

import (
	"context"
	"errors"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/store"
)

// stop is a person who stops a ticket: it stays ended, receives nothing more,
// and spends no grant (G38, P25). The flow that does this is still to come;
// the conditions that must hold against it are there.
func (w *World) stop() {
	list, _, err := w.clean.Tickets(context.Background(), "", 10)
	if err != nil {
		panic(err)
	}
	if len(list) == 0 {
		return
	}
	id := list[w.rng.IntN(len(list))].ID
	if turns := w.named("turns"); len(turns) > 0 && w.chance(70) { // of one that works just now
		b, err := store.DecodeBell(turns[w.rng.IntN(len(turns))].msg.Body)
		if err != nil {
			panic(err)
		}
		if s, err := w.clean.Session(context.Background(), b.Session); err == nil && s != nil && s.Ticket != "" {
			id = s.Ticket
		}
	}
	w.spawn("stop", func(ctx context.Context) error {
		tk, err := w.store.Ticket(ctx, id)
		if err != nil || tk.Ending == ticket.Stopped {
			return err
		}
		th, err := w.store.Thread(ctx, tk.Thread)
		if err != nil {
			return err
		}
		stopped := *tk
		stopped.State, stopped.Ending, stopped.Closed, stopped.Mandate.Withdrawn = ticket.Ended, ticket.Stopped, w.now, true
		th.Subscribers = append([]ticket.Subscribed(nil), th.Subscribers...)
		for i := range th.Subscribers {
			if th.Subscribers[i].Ticket == id {
				th.Subscribers[i].Stopped = true
			}
		}
		uid := w.id()
		lost, err := w.store.Do(ctx, uid, store.SaveTicket(stopped), store.SaveThread(th), store.NewAudit(store.Audit{
			ID: uid, Chain: "thread#" + th.Key, What: "stopped", Actor: actor.System("stop"), At: w.now}))
		if lost != nil {
			return errors.New("changed meanwhile")
		}
		if err == nil {
			w.counts["stops"]++
		}
		return err
	}, func(*proc) {})
}
