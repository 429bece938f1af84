package simulation

import (
	"context"
	"errors"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/session"
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
	if s := w.working(); s != nil && w.chance(70) {
		id = s.Ticket
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
		lost, err := w.store.Do(ctx, uid, append(store.EndTicket(stopped), store.SaveThread(th), store.NewAudit(store.Audit{
			ID: uid, Chain: "thread#" + th.Key, What: "stopped", Actor: actor.System("stop"), At: w.now}),
			store.NewOutbox(store.Outbox{ID: uid, Created: w.now, Bells: []store.Bell{{Ring: store.RingTurn, Session: tk.Session}}}))...)
		if lost != nil {
			return errors.New("changed meanwhile")
		}
		if err == nil {
			w.counts["stops"]++
		}
		return err
	}, func(*proc) {})
}

// working is an executor whose turn runs just now, if there is one.
func (w *World) working() *session.Session {
	turns := w.named("turns")
	if len(turns) == 0 {
		return nil
	}
	b, err := store.DecodeBell(turns[w.rng.IntN(len(turns))].msg.Body)
	if err != nil {
		panic(err)
	}
	s, err := w.clean.Session(context.Background(), b.Session)
	if err != nil || s == nil || s.Ticket == "" {
		return nil
	}
	return s
}

// restart is the embedded runtime started again after its process died: the
// lease of a session that worked is broken and its turn rung, whatever call it
// had begun (S8).
func (w *World) restart() {
	s := w.working()
	if s == nil {
		return
	}
	w.spawn("restart", func(ctx context.Context) error {
		l, err := w.store.Lease(ctx, s.ID)
		if err != nil || l.Holder == "" {
			return err
		}
		uid := w.id()
		lost, err := w.store.Do(ctx, uid, store.BreakLease(*l), store.NewOutbox(store.Outbox{ID: uid, Created: w.now,
			Bells: []store.Bell{{Ring: store.RingTurn, Session: s.ID}}}))
		if lost == nil && err == nil {
			w.counts["leases_broken"]++
		}
		return err
	}, func(*proc) {})
}
