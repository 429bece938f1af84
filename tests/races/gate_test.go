package races

import (
	"fmt"
	"sync"
	"testing"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// message is what a listed person writes in a thread.
func message(thread, ts string) trigger.Trigger {
	return trigger.Trigger{Platform: "slack", Account: team, Kind: "channel", Named: trigger.Mention,
		Thread: trigger.Place{Surface: "slack", Account: team, Channel: "C0OPS", Thread: thread},
		Sender: actor.Actor{Provider: "slack", Workspace: team, ID: "U0", Kind: actor.Human},
		ID:     "slack:A0:" + team + ":C0OPS:" + ts, Message: ts, Delivery: "Ev" + ts, Event: "message", Text: "text " + ts}
}

// TestG48_OneThread: many gates judge the messages of one new Thread at once,
// each of them twice. One ticket with one executor comes of it; every message
// is in its mailbox, once (G47 to G49).
func TestG48_OneThread(t *testing.T) {
	t.Parallel()
	h := open(t)
	const messages = 6
	for n := range races(t) {
		thread := fmt.Sprintf("17%08d.000000", n)
		var mu sync.Mutex
		outcomes, tickets := map[string]int{}, map[string]bool{}
		together(2*messages, func(i int) {
			m := message(thread, fmt.Sprintf("17%08d.%06d", n, i/2))
			for { // a gate that met too many changes is rung again by its queue
				d, err := h.Gate.Judge(t.Context(), m)
				if err != nil {
					continue
				}
				mu.Lock()
				defer mu.Unlock()
				outcomes[d.Outcome]++
				tickets[d.Ticket] = true
				return
			}
		})
		if outcomes["accepted"] != 1 || outcomes["delivered"] != messages-1 || outcomes["duplicate"] != messages || len(tickets) != 1 {
			t.Fatalf("race %d: outcomes %v, tickets %v", n, outcomes, tickets)
		}
		h.oneExecutor(thread, messages)
	}
}

func (h *house) oneExecutor(thread string, messages int) {
	h.t.Helper()
	th, err := h.Store.Thread(h.t.Context(), message(thread, "").Thread)
	if err != nil || len(th.Subscribers) != 1 {
		h.t.Fatalf("thread %s: %+v %v", thread, th, err)
	}
	tk, err := h.Store.Ticket(h.t.Context(), th.Subscribers[0].Ticket)
	if err != nil || tk == nil || tk.State != ticket.Open {
		h.t.Fatalf("ticket: %+v %v", tk, err)
	}
	mail, err := h.Store.Mail(h.t.Context(), tk.Session)
	if err != nil {
		h.t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range mail {
		seen[m.Trigger] = true
	}
	head, err := h.Store.Head(h.t.Context(), tk.Session)
	if err != nil || len(mail) != messages || len(seen) != messages || head.Seq != int64(messages) {
		h.t.Fatalf("%d mails of %d messages, head %+v %v", len(mail), len(seen), head, err)
	}
}
