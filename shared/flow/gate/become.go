package gate

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// work is one judgment under way: what was loaded, and the time and id that
// were given to it.
type work struct {
	gate *Gate
	t    trigger.Trigger
	p    policy.Policy
	th   ticket.Thread
	sub  *ticket.Subscribed
	was  *store.Judged
	adm  policy.Admission
	now  time.Time
	id   string
}

// become makes the commit that an admission leads to: delivered to the ticket
// of its Thread, accepted as new work, or recorded as not admitted.
func (w *work) become(ctx context.Context) ([]table.Action, ticket.Decision, error) {
	d := ticket.Decision{ID: w.id, Thread: w.th.Key, Trigger: w.t.ID, Source: w.adm.Source, Scope: w.adm.Scope,
		Strength: w.adm.Strength, Cell: w.adm.Cell, Reason: w.adm.Reason, Outcome: "not_admitted",
		Sender: w.t.Sender, Policy: w.p.Version, At: w.now}
	switch {
	case w.sub != nil && w.adm.Received && w.t.Sender.Kind == actor.Human:
		return w.deliver(ctx, d)
	case w.adm.Strength == policy.Explicit && !w.p.IsPaused(w.adm.Source):
		return w.accept(d)
	case w.adm.Strength == policy.Inferred:
		d.Reason += "; inferred requests are not evaluated yet, so nothing was started"
	case w.adm.Strength == policy.Explicit:
		return nil, d, fmt.Errorf("source %s: %w", w.adm.Source, errPaused)
	}
	return w.record(d), d, nil
}

// record keeps the decision on a message that starts nothing.
func (w *work) record(d ticket.Decision) []table.Action {
	out := []table.Action{w.claim(d, ""), store.SameThread(w.th), store.NewDecision(d), w.audit(d)}
	src, ok := w.p.Source(w.adm.Source)
	if ok && src.TellRefused && w.t.Named != trigger.NotAt && w.t.Sender.Kind == actor.Human {
		out = append(out, store.NewOutbox(store.Outbox{ID: w.id, Created: w.now, Correlation: w.t.Correlation(),
			Bells: []store.Bell{{Ring: store.RingTell, Place: w.replyTo(), User: w.t.Sender.Ref(), Key: "refused-" + w.id,
				Text: "I may not start work for you here: " + d.Reason + "."}}}))
	}
	return out
}

// deliver gives a person's message to the ticket that claims its Thread (G3):
// it makes no decision of its own and starts nothing; an ended ticket is
// resumed by it (G36).
func (w *work) deliver(ctx context.Context, d ticket.Decision) ([]table.Action, ticket.Decision, error) {
	tk, err := w.gate.Store.Ticket(ctx, w.sub.Ticket)
	if err != nil {
		return nil, d, err
	}
	if tk == nil || tk.Ending == ticket.Stopped || tk.Ending == ticket.Revoked {
		return w.record(d), d, nil
	}
	d.Outcome, d.Ticket = "delivered", tk.ID
	d.Reason = "a message on the thread of ticket " + tk.ID + " reaches it (G3)"
	out := []table.Action{w.claim(d, w.sub.Session), store.SameThread(w.th), store.NewDecision(d), w.audit(d)}
	if tk.State == ticket.Ended {
		again := *tk
		again.State, again.Ending, again.Closed = ticket.Open, "", time.Time{}
		out = append(out, store.ReopenTicket(again)...)
	} else {
		out = append(out, store.OpenTicket(*tk)) // it may end just now: then it is resumed
	}
	out = append(out, store.NewMail(w.mail(w.sub.Session))...)
	return append(out, w.ring(w.sub.Session, nil)), d, nil
}

// accept makes an explicit message one ticket with one executor (G49): both
// are born in the commit that claims the Trigger.
func (w *work) accept(d ticket.Decision) ([]table.Action, ticket.Decision, error) {
	src, _ := w.p.Source(w.adm.Source)
	per, err := w.gate.Persona(src.Persona)
	if err != nil {
		return nil, d, fmt.Errorf("source %s: %w", src.Name, err)
	}
	sid, tid := "s-"+w.id, "t-"+w.id
	place := w.replyTo()
	s := session.Session{
		ID: sid, Persona: per.ID, PersonaVersion: per.Version, Title: title(w.t), Mode: or(src.Mode, "interactive"),
		Unattended: true, // enabling its Source was the confirmation (I15)
		Queue:      or(src.Queue, "default"), Owner: w.t.Sender.Ref(), Asked: w.t.Sender, Origin: &place, Ticket: tid,
		Model: or(src.Model, w.gate.Model), Correlation: w.t.Correlation(), Generation: 1, Created: w.now,
	}
	tk := ticket.Ticket{ID: tid, Session: sid, Thread: w.t.Thread, Title: s.Title, Created: w.now,
		Mandate: ticket.Mandate{Basis: policy.Explicit, Policy: w.p.Version, Source: w.adm.Source, Scope: w.adm.Scope,
			Initiator: w.t.Sender, Trigger: w.t.ID}}
	th := w.th
	th.Subscribers = append(append([]ticket.Subscribed(nil), th.Subscribers...), ticket.Subscribed{Ticket: tid, Session: sid, Own: true})
	d.Outcome, d.Ticket = "accepted", tid

	out := []table.Action{w.claim(d, sid), store.SaveThread(th), store.NewTicket(tk), store.NewDecision(d), w.audit(d)}
	out = append(out, store.NewSession(s, 1)...)
	out = append(out, store.MailEntry(w.mail(sid)))
	receipt := store.Bell{Ring: store.RingSay, Place: place, Key: "receipt-" + w.id, Text: "On it. Ticket " + tid + "."}
	return append(out, w.ring(sid, &receipt)), d, nil
}

func (w *work) mail(sid string) session.Mail {
	text := w.t.Text
	if w.t.Title != "" {
		text = w.t.Title + "\n\n" + text
	}
	return session.Mail{Session: sid, ID: store.MailID(w.now, w.id), Kind: session.Message, From: w.t.Sender,
		Listed: w.adm.Listed, Text: text, Trigger: w.t.ID, At: w.now}
}

func (w *work) ring(sid string, also *store.Bell) table.Action {
	bells := []store.Bell{{Ring: store.RingTurn, Session: sid}}
	if also != nil {
		bells = append(bells, *also)
	}
	return store.NewOutbox(store.Outbox{ID: w.id, Bells: bells, Correlation: w.t.Correlation(), Created: w.now})
}

// replyTo is where this Trigger's answers go: its Thread, by the message to
// reply to where the platform wants one (Feishu).
func (w *work) replyTo() trigger.Place {
	p := w.t.Thread
	if p.Surface == trigger.Feishu && w.t.Message != "" {
		p.Thread = w.t.Message
	}
	return p
}

// title is a session's name until somebody gives it a better one: the first
// line (S4).
func title(t trigger.Trigger) string {
	s := strings.TrimSpace(naming.ReplaceAllString(or(t.Title, t.Text), ""))
	for i, r := range s {
		if r == '\n' || i > 90 {
			return s[:i]
		}
	}
	return s
}

// naming is the mention that a message begins with: of a title it is no part.
var naming = regexp.MustCompile(`^\s*(<@[A-Z0-9]+(\|[^>]*)?>|@[\w-]+(\[bot\])?)[\s,:]*`)

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
