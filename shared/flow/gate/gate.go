// Package gate judges Triggers: who may start an agent's work, and what an
// admitted message becomes (gate.md).
//
// Load, decide, commit: one transaction holds the Trigger's claim, the
// decision, and what follows from it. It calls no model and no platform.
//
// This is its first form: a listed person who names the agent is explicit and
// becomes a ticket with an executor; a person's message on a Thread that has a
// ticket reaches that ticket; everyone else is not admitted, recorded with the
// reason. Inferred candidates, evals and the main session come with their own
// issue and fill Judge and become.
package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// Gate judges Triggers.
type Gate struct {
	Store   *store.Store
	Now     func() time.Time
	NewID   func() string
	Log     *slog.Logger
	Count   func(name, label string)
	Persona func(id string) (Persona, error) // the persona that a Source names
	Model   string                           // of sessions whose Source names none
}

// Persona is what the gate needs of a persona version.
type Persona struct{ ID, Version string }

// Hear judges the Trigger of one message of the triggers queue. An error means
// that nothing was committed: judge again. A message that cannot be read is
// refused for good and recorded, so that it never silences its Thread (D4).
func (g *Gate) Hear(ctx context.Context, body string) error {
	var t trigger.Trigger
	if err := json.Unmarshal([]byte(body), &t); err != nil || t.ID == "" {
		g.Count("unreadable_triggers", "")
		g.Log.Error("trigger unreadable; dropped", "error", err)
		return nil
	}
	was, before, err := g.Store.JudgedBefore(ctx, t.ID)
	if err != nil {
		return fmt.Errorf("judge %s: %w", t.ID, err)
	}
	if was == nil && before.Tries >= mostTries {
		return g.giveUp(ctx, t, before)
	}
	if _, err := g.Store.Do(ctx, g.NewID(), store.CountTry(t.ID, g.Now())); err != nil {
		return fmt.Errorf("judge %s: %w", t.ID, err)
	}
	if _, err = g.Judge(ctx, t); err != nil {
		noted := store.FailedTry(t.ID, err.Error())
		if errors.Is(err, errPaused) {
			noted = store.UncountTry(t.ID)
		}
		_, kept := g.Store.Do(ctx, g.NewID(), noted)
		return errors.Join(err, kept)
	}
	return nil
}

// errPaused: the message stays in its queue, or among its dead letters, and is
// judged when its Source goes on (G51). That is no fault of the message.
var errPaused = errors.New("it is paused, so nothing is started")

// mostTries is how often a message is tried before it becomes a stored state:
// a poison message never silences its thread (D4).
const mostTries = 3

// tries is how often a commit that lost against a change of its Thread is
// decided anew.
const tries = 8

// Judge judges one Trigger, once, however often it is called (G47). The
// decision it returns is the one that stands, also if an earlier call made it.
func (g *Gate) Judge(ctx context.Context, t trigger.Trigger) (ticket.Decision, error) {
	for range tries {
		d, done, err := g.judge(ctx, t)
		if err != nil {
			return d, fmt.Errorf("judge %s: %w", t.ID, err)
		}
		if done {
			return d, nil
		}
	}
	return ticket.Decision{}, fmt.Errorf("judge %s: its thread changed %d times meanwhile", t.ID, tries)
}

func (g *Gate) judge(ctx context.Context, t trigger.Trigger) (d ticket.Decision, done bool, err error) {
	was, err := g.Store.Judged(ctx, t.ID)
	if err != nil {
		return d, false, err
	}
	if was != nil && !upgrades(*was, t) {
		g.Count("duplicates", t.Platform)
		return recorded(*was), true, nil
	}
	p, err := g.Store.Policy(ctx)
	if err != nil {
		return d, false, err
	}
	th, err := g.Store.Thread(ctx, t.Thread)
	if err != nil {
		return d, false, err
	}
	w := work{gate: g, t: t, p: p, th: th, was: was, now: g.Now(), id: g.NewID()}
	w.sub = live(th)
	w.adm = policy.Admit(p, t, policy.Facts{HasTicket: w.sub != nil})
	actions, d, err := w.become(ctx)
	if err != nil {
		return d, false, err
	}
	lost, err := g.Store.Do(ctx, w.id, actions...)
	if err != nil {
		return d, false, err
	}
	if lost != nil {
		return d, false, nil // judged meanwhile, or the Thread changed: decide anew
	}
	g.Count("admitted", d.Strength)
	g.Log.Info("judged", "trigger", t.ID, "strength", d.Strength, "outcome", d.Outcome, "reason", d.Reason, "correlation", t.Correlation())
	return d, true, nil
}

// giveUp records a Trigger that cannot be judged as unavailable, with its last
// error: it is covered by a decision (G50), and the next message of its Thread
// is judged.
func (g *Gate) giveUp(ctx context.Context, t trigger.Trigger, before store.Tries) error {
	w := work{gate: g, t: t, th: ticket.Thread{Key: t.Thread.Key()}, now: g.Now(), id: g.NewID()}
	d := ticket.Decision{ID: w.id, Thread: w.th.Key, Trigger: t.ID, Strength: policy.NotAdmitted, Outcome: "unavailable",
		Reason: fmt.Sprintf("judging it failed %d times, last with: %s", before.Tries, before.Error), Sender: t.Sender, At: w.now}
	_, err := g.Store.Do(ctx, w.id, w.claim(d, ""), store.NewDecision(d), w.audit(d))
	g.Count("unavailable", t.Platform)
	g.Log.Error("trigger unavailable", "trigger", t.ID, "error", before.Error)
	return err
}

// upgrades reports whether a message that was judged as naming nobody, and of
// which nothing came, comes again as a mention: Slack sends both, in any order
// (B05).
func upgrades(was store.Judged, t trigger.Trigger) bool {
	return was.Session == "" && was.Named == string(trigger.NotAt) && t.Named == trigger.Mention
}

// live is the ticket to which a Thread's messages belong (G3): its own, not
// stopped by a person.
func live(th ticket.Thread) *ticket.Subscribed {
	for i, s := range th.Subscribers {
		if s.Own && !s.Stopped {
			return &th.Subscribers[i]
		}
	}
	return nil
}

func recorded(j store.Judged) ticket.Decision {
	return ticket.Decision{Trigger: j.ID, Thread: j.Thread, Strength: j.Strength, Reason: j.Reason, Ticket: j.Ticket, Outcome: "duplicate", At: j.At}
}

// claim is the Trigger's own row (G47).
func (w *work) claim(d ticket.Decision, session string) table.Action {
	j := store.Judged{ID: w.t.ID, Thread: w.th.Key, Strength: d.Strength, Named: string(w.t.Named), Reason: d.Reason,
		Ticket: d.Ticket, Session: session, Delivery: w.t.Delivery, At: w.now}
	if w.was != nil {
		return store.UpgradeJudged(*w.was, j)
	}
	return store.NewJudged(j)
}

func (w *work) audit(d ticket.Decision) table.Action {
	return store.NewAudit(store.Audit{ID: w.id, Chain: "thread#" + w.th.Key, What: d.Outcome, Actor: w.t.Sender,
		Via: w.t.Platform, Delivery: w.t.Delivery, Rule: d.Cell, Policy: d.Policy, Is: d.Strength, Reason: d.Reason,
		Evidence: evidence(w.adm, w.t.Sender), At: w.now})
}

func evidence(a policy.Admission, who actor.Actor) string {
	if a.Listed {
		return who.Ref() + " is listed by " + a.Source
	}
	return who.Ref() + " is not listed"
}
