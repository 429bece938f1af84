package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/flow/wake"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/local/queue"
	"github.com/postern-dev/postern/shared/store"
)

// health is what a look at a Postern found.
type health struct {
	Policy    int64                  `json:"policy"` // version in force
	Paused    []string               `json:"paused"`
	Attention int                    `json:"attention"` // items that wait for people; 1001 is more than 1000
	Queues    map[string]queue.Depth `json:"queues,omitempty"`
	// What should have happened more than two minutes ago and has not (W8).
	Cards  int `json:"undelivered_cards"`
	Outbox int `json:"outbox"`
	Wakes  int `json:"wakes"`
	Mail   int `json:"mail"`
	Unread int `json:"unread_answers"`
	Leases int `json:"leases"`
	// Decisions of the last hour that no judgment covers (G45).
	Unavailable int      `json:"unavailable"`
	Stuck       []string `json:"stuck"` // each in words, with what to do
}

func statusCommand() *cobra.Command {
	c := &cobra.Command{Use: "status", Short: "Say how a Postern is, and what is stuck",
		Long: `Looks at what waits and at what should have happened and has not. Exit code 3 if
something is stuck. The depths of a deployment's queues are on its dashboard.`,
		Args: cobra.NoArgs}
	out, w := jsonFlag(c), whereFlags(c)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		return w.at(cmd.Context(), func(p *place) error {
			h, err := look(cmd.Context(), p)
			if err != nil {
				return err
			}
			if err := out().value(h, h.print); err != nil {
				return err
			}
			if len(h.Stuck) > 0 {
				return told(exitFinding)
			}
			return nil
		})
	}
	return c
}

// batch is how many rows of one shard a look takes: enough to say that
// something is stuck.
const batch = 100

func look(ctx context.Context, p *place) (health, error) {
	var h health
	pol, err := p.Policy(ctx)
	if err != nil {
		return h, err
	}
	h.Policy, h.Paused, h.Stuck = pol.Version, some(pol.Paused), []string{}
	waits, err := p.Attention(ctx)
	if err != nil {
		return h, err
	}
	h.Attention = waits.Total
	err = errors.Join(h.queues(ctx, p), h.overdue(ctx, p), h.evals(ctx, p))
	h.words()
	return h, err
}

// queues counts what the queues of a folder hold.
func (h *health) queues(ctx context.Context, p *place) error {
	if p.dir == "" {
		return nil
	}
	q, err := queue.Open(filepath.Join(p.dir, "queues.db"), clock.Real{}, queue.Options{})
	if err != nil {
		return err
	}
	h.Queues, err = q.Depths(ctx)
	return errors.Join(err, q.Close())
}

func (h *health) overdue(ctx context.Context, p *place) error {
	late := now().Add(-wake.Late)
	outbox, err := p.StuckOutbox(ctx, late, batch)
	if err != nil {
		return err
	}
	h.Outbox = len(outbox)
	for kind, count := range map[string]*int{"show": &h.Cards, "wake": &h.Wakes, "mail": &h.Mail, "lease": &h.Leases} {
		found, err := p.Overdue(ctx, kind, late, batch)
		if err != nil {
			return err
		}
		seen := map[string]bool{}
		for _, x := range found {
			sid := x.SessionOf()
			if kind == "mail" || kind == "lease" {
				if seen[sid] {
					continue
				}
				seen[sid] = true
				idle, err := nobodyRuns(ctx, p, sid, kind)
				if err != nil {
					return err
				}
				if !idle {
					continue
				}
			}
			*count++
		}
	}
	return h.unread(ctx, p, late)
}

// unread counts answers that their agent has not read, and places that do not
// show them.
func (h *health) unread(ctx context.Context, p *place, late time.Time) error {
	found, err := p.Overdue(ctx, "settled", late, batch)
	if err != nil {
		return err
	}
	for _, r := range found {
		x, err := p.Whole(ctx, r.ItemOf())
		if err != nil {
			return err
		}
		if x.Item == nil || !x.Item.State.Terminal() {
			continue
		}
		_, rings, err := wake.Unread(ctx, p.Store, x, now())
		if err != nil {
			return err
		}
		if rings {
			h.Unread++
		}
		for _, s := range x.Behind() {
			if !s.Open() { // else it waits by itself
				h.Cards++
			}
		}
	}
	return nil
}

// nobodyRuns reports whether a session that should run does not: no turn holds
// its lease, and it waits for no person (S9).
func nobodyRuns(ctx context.Context, p *place, sid, kind string) (bool, error) {
	l, err := p.Lease(ctx, sid)
	if err != nil || l == nil || l.Deleted || l.Until.After(now()) {
		return false, err
	}
	if l.State != session.Parked {
		return kind == "mail" || l.State == session.Working, nil
	}
	x, err := p.Item(ctx, l.Item)
	return err == nil && (x == nil || x.State.Terminal()), err
}

// evals counts the decisions of the last hour that are still unavailable: a
// later one of the same Thread resolves an earlier one.
func (h *health) evals(ctx context.Context, p *place) error {
	since, newest := now().Add(-time.Hour), map[string]bool{}
	for cursor := ""; ; {
		list, next, err := p.Decisions(ctx, cursor, 200)
		if err != nil {
			return err
		}
		for _, d := range list {
			if d.Outcome == "unavailable" && !newest[d.Thread] && d.At.After(since) {
				h.Unavailable++
			}
			newest[d.Thread] = true
		}
		if next == "" || slices.ContainsFunc(list, func(d ticket.Decision) bool { return d.At.Before(since) }) {
			return nil
		}
		cursor = next
	}
}

func (h *health) words() {
	say := func(n int, format string) {
		if n > 0 {
			h.Stuck = append(h.Stuck, fmt.Sprintf(format, n))
		}
	}
	dead := 0
	for _, d := range h.Queues {
		dead += d.Dead
	}
	say(dead, "%d messages are dead letters: something fails each time it is tried; its error is in the log")
	say(h.Outbox, "%d rings were not moved: is dispatch running, or postern dev?")
	say(h.Cards, "%d cards do not show their item's present state: the platform refuses them, or deliver is not running")
	say(h.Wakes, "%d wakes are past due: postern wake --due fires them")
	say(h.Mail, "%d sessions have mail that no turn reads: the reconciler rings them again")
	say(h.Unread, "%d answers were not read by the agents that wait for them: the reconciler rings them again")
	say(h.Leases, "%d turns died in the middle: the reconciler starts them again")
	say(h.Unavailable, "%d judgments are unavailable: evaluate them again in the panel, or dismiss them")
}

func (h health) print(o io.Writer) {
	fmt.Fprintf(o, "policy version %d\n", h.Policy)
	if len(h.Paused) > 0 {
		fmt.Fprintf(o, "paused: %v\n", h.Paused)
	}
	n := fmt.Sprint(h.Attention)
	if h.Attention > store.AttentionLimit {
		n = fmt.Sprintf("%d+", store.AttentionLimit)
	}
	fmt.Fprintf(o, "%s waiting for people\n", n)
	for _, name := range []string{"triggers", "turns", "outbound", "wakes"} {
		if d, ok := h.Queues[name]; ok {
			fmt.Fprintf(o, "queue %-9s %d ready, %d in flight, %d delayed, %d dead\n", name, d.Ready, d.InFlight, d.Delayed, d.Dead)
		}
	}
	if len(h.Stuck) == 0 {
		fmt.Fprintln(o, "nothing is stuck")
		return
	}
	list(o, "stuck:", h.Stuck)
}
