package store

import (
	"context"
	"time"

	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store/table"
)

func threadKey(thread string) table.Key { return key("thread#"+thread, "thread") }
func triggerKey(id string) table.Key    { return key("trigger#"+id, "trigger") }
func ticketKey(id string) table.Key     { return key("ticket#"+id, "ticket") }

// Thread reads a Thread's row; an empty one of version 0 if there is none.
func (s *Store) Thread(ctx context.Context, p trigger.Place) (ticket.Thread, error) {
	t, err := get[ticket.Thread](ctx, s, threadKey(p.Key()))
	if t == nil {
		return ticket.Thread{Key: p.Key(), Place: p}, err
	}
	return *t, err
}

// SaveThread changes a Thread's subscriptions and bumps its version; lost when
// they changed since it was read (G48).
func SaveThread(t ticket.Thread) table.Action {
	cond := table.Version(t.Version)
	if t.Version == 0 {
		cond = table.Absent()
	}
	t.Version++
	return put(threadKey(t.Key), "thread", encode(t), cond)
}

// SameThread holds while a Thread's subscriptions are as they were read (G48).
func SameThread(t ticket.Thread) table.Action {
	cond := table.Version(t.Version)
	if t.Version == 0 {
		cond = table.Absent()
	}
	return table.Action{Verb: table.Check, Key: threadKey(t.Key), If: []table.Cond{cond}}
}

// Judged is the row of one Trigger: written in the commit that judged it, so
// that one message makes at most one Trigger (G47).
type Judged struct {
	ID       string
	Thread   string
	Strength string
	Named    string
	Reason   string
	Ticket   string
	Session  string
	Delivery string
	At       time.Time
	Version  int64
}

// KeepTriggers is how long a Trigger's row outlives it: longer than any
// platform redelivers (webhook facts: GitHub, 3 days).
const KeepTriggers = 30 * 24 * time.Hour

// NewJudged claims a Trigger's identity; lost when it was judged before.
func NewJudged(j Judged) table.Action {
	j.Version = 1
	it := encode(j)
	ttl(it, j.At.Add(KeepTriggers))
	return put(triggerKey(j.ID), "trigger", it, table.Absent())
}

// UpgradeJudged replaces a judgment by a stronger one of the same message: the
// message came first as one that names nobody and was not admitted, then as a
// mention (G47; B05).
func UpgradeJudged(was, is Judged) table.Action {
	is.Version = was.Version + 1
	it := encode(is)
	ttl(it, is.At.Add(KeepTriggers))
	return put(triggerKey(is.ID), "trigger", it, table.Version(was.Version))
}

// Judged reads how a Trigger was judged, nil if it was not.
func (s *Store) Judged(ctx context.Context, id string) (*Judged, error) {
	return get[Judged](ctx, s, triggerKey(id))
}

// Tries counts how often a Trigger was taken up to be judged, so that one
// that breaks its judge becomes a stored state instead of silencing its Thread
// (D4).
type Tries struct {
	ID    string
	Tries int64
	Error string // of the last one that failed
}

func triesKey(id string) table.Key { return key("trigger#"+id, "tries") }

// JudgedBefore reads how a Trigger was judged, nil if it was not, and how often
// that was tried.
func (s *Store) JudgedBefore(ctx context.Context, id string) (*Judged, Tries, error) {
	rows, err := s.t.GetMany(ctx, []table.Key{triggerKey(id), triesKey(id)})
	if err != nil {
		return nil, Tries{}, err
	}
	j, err := read[Judged](rows[0])
	if err != nil {
		return nil, Tries{}, err
	}
	t, err := read[Tries](rows[1])
	if t == nil {
		t = &Tries{ID: id}
	}
	return j, *t, err
}

// CountTry counts one try, before it is made.
func CountTry(id string, now time.Time) table.Action {
	return table.Action{Verb: table.Update, Key: triesKey(id), Add: map[string]int64{"tries": 1},
		Set: table.Item{"id": table.Str(id), "kind": table.Str("tries"), "ttl": table.Int(now.Add(KeepTriggers).Unix())}}
}

// UncountTry takes a try back that was none: its Source is paused (G51).
func UncountTry(id string) table.Action {
	return table.Action{Verb: table.Update, Key: triesKey(id), Add: map[string]int64{"tries": -1}}
}

// FailedTry keeps what a try failed with, for the health view (G45).
func FailedTry(id, why string) table.Action {
	return table.Action{Verb: table.Update, Key: triesKey(id), Set: table.Item{"error": table.Str(why)}}
}

// NewTicket writes an accepted piece of work (G49: one per Trigger, since it
// is committed with the Trigger's claim).
func NewTicket(t ticket.Ticket) table.Action {
	t.State, t.Version = ticket.Open, 1
	return put(ticketKey(t.ID), "ticket", ticketRow(t), table.Absent())
}

// SaveTicket replaces a ticket that nobody changed since it was read.
func SaveTicket(t ticket.Ticket) table.Action {
	was := t.Version
	t.Version++
	return put(ticketKey(t.ID), "ticket", ticketRow(t), table.Version(was))
}

// EndTicket ends a ticket that nobody changed since it was read, for somebody
// else than its executor (G38). The executor's lease is closed in the same
// commit and its token grows: a turn under way can commit nothing any more but
// an outcome, and the next spends no grant (P25). The caller rings the turn.
func EndTicket(t ticket.Ticket) []table.Action {
	a := fenceOff(t.Session)
	a.Set["closed"] = table.Bool(true)
	return []table.Action{SaveTicket(t), a}
}

// ReopenTicket takes an ended ticket up again (G36).
func ReopenTicket(t ticket.Ticket) []table.Action {
	a := fenceOff(t.Session)
	a.Remove = append(a.Remove, "closed")
	return []table.Action{SaveTicket(t), a}
}

func ticketRow(t ticket.Ticket) table.Item {
	it := encode(t)
	list(it, "tickets", Stamp(t.Created)+"#"+t.ID)
	return it
}

// OpenTicket holds while a ticket that was read is open and nobody changed it:
// the condition for giving it a message (G36).
func OpenTicket(t ticket.Ticket) table.Action {
	return table.Action{Verb: table.Check, Key: ticketKey(t.ID), If: []table.Cond{
		table.Equals("state", table.Str(string(ticket.Open))), table.Version(t.Version)}}
}

// Ticket reads one ticket, nil if there is none.
func (s *Store) Ticket(ctx context.Context, id string) (*ticket.Ticket, error) {
	return get[ticket.Ticket](ctx, s, ticketKey(id))
}

// Tickets lists tickets, newest first, one page.
func (s *Store) Tickets(ctx context.Context, cursor string, limit int) ([]ticket.Ticket, string, error) {
	return listed[ticket.Ticket](ctx, s, "tickets", cursor, limit)
}

// NewDecision records how a Trigger was judged; never rewritten.
func NewDecision(d ticket.Decision) table.Action {
	it := encode(d)
	list(it, "decisions", Stamp(d.At)+"#"+d.ID)
	return put(key("thread#"+d.Thread, "decision#"+Stamp(d.At)+"#"+d.ID), "decision", it, table.Absent())
}

// Decisions lists decisions, newest first, one page.
func (s *Store) Decisions(ctx context.Context, cursor string, limit int) ([]ticket.Decision, string, error) {
	return listed[ticket.Decision](ctx, s, "decisions", cursor, limit)
}
