package main

import (
	"strings"

	"github.com/postern-dev/postern/infra"
	"github.com/postern-dev/postern/shared/store/table/tablecount"
)

// idea is one way to spend fewer units, with what it costs otherwise. What it
// would save is read off the counts, so that an idea that was carried out
// vanishes by itself.
type idea struct {
	what, price string
	saves       func(pick) tablecount.Units
}

// pick adds up rows of the round trip by kind, verb and a part of the phase;
// empty fits all.
type pick func(kind, verb, phase string) tablecount.Units

func writes(u tablecount.Units) tablecount.Units {
	return tablecount.Units{Write: u.Write, Index: u.Index}
}
func index(u tablecount.Units) tablecount.Units { return tablecount.Units{Index: u.Index} }

// less takes off what an idea still needs.
func less(u tablecount.Units, w, i, r float64) tablecount.Units {
	return tablecount.Units{Write: max(0, u.Write-w), Index: max(0, u.Index-i), Read: max(0, u.Read-r)}
}

func sum(all ...tablecount.Units) (u tablecount.Units) {
	for _, x := range all {
		u.Write += x.Write
		u.Index += x.Index
		u.Read += x.Read
	}
	return u
}

// ideas do not overlap, except where one says so.
var ideas = []idea{
	{"a card is not settled between the answer and the outcome of the call that it allows",
		"its buttons stay until the call has run, seconds as a rule; I23 and R4 ask for more. Saves one invocation of deliver, one platform call and three queue requests too; overlaps with the ideas on reads",
		func(p pick) tablecount.Units { return sum(p("show", "update", answer), p("", "", settle)) }},
	{"show and mail rows ring by themselves: both wait in the open index already, so no outbox row beside them",
		"the stream's filter lets two more kinds through; D5 speaks of outbox rows only",
		func(p pick) tablecount.Units { return sum(p("outbox", "put", ""), p("outbox", "delete", "")) }},
	{"a resolution is read from its item, which stays in the open index until it is consumed, not from a mail",
		"needs an outbox row, or the item's own change, to ring the turn; one index move of the item more",
		func(p pick) tablecount.Units {
			return less(writes(sum(p("mail", "put", ""), p("mail", "delete", ""), p("mailbox", "update", ""))), 0, 2, 0)
		}},
	{"audit rows leave the list index: the tail of all chains is read from a row key by day and shard",
		"their chain is then read by an index, or twice as many rows",
		func(p pick) tablecount.Units { return index(p("audit", "put", "")) }},
	{"the model's message and what it asks are one commit, with one lease write",
		"a crash between them asks the model again",
		func(p pick) tablecount.Units { return writes(p("lease", "check", ask)) }},
	{"whoever ends a ticket or withdraws its mandate raises the lease's token: the lease check covers the ticket",
		"ending a ticket writes one row more",
		func(p pick) tablecount.Units { return sum(p("ticket", "check", ""), p("ticket", "get", "")) }},
	{"leases leave the open index: a dead turn's message comes again after its visibility",
		"found after ten minutes instead of five; W8 names leases",
		func(p pick) tablecount.Units { return index(p("lease", "put", "")) }},
	{"a row per asked digest only for what was denied",
		"joining a pending item of the same digest reads the session's pending items",
		func(p pick) tablecount.Units { return sum(p("ask", "put", ""), p("ask", "get", "")) }},
	{"the body is read only where a question or a first card needs it",
		"settled cards leave the arguments out",
		func(p pick) tablecount.Units { return less(p("body", "get", ""), 0, 0, 1) }},
	{"deliver keeps the policy for a minute: it decides nothing by it",
		"a change of approvers shows in mentions a minute later",
		func(p pick) tablecount.Units { return p("policy", "get", "deliver") }},
	{"the place's row says how the call ran: the outcome's commit writes it anyway",
		"none",
		func(p pick) tablecount.Units { return p("call", "get", "deliver") }},
	{"the intent's own condition finds an earlier attempt: the row that beat it comes back",
		"none",
		func(p pick) tablecount.Units { return p("call", "get", "turn") }},
	{"the parked item is read once in a resumed turn",
		"none",
		func(p pick) tablecount.Units { return less(p("item", "get", "turn"), 0, 0, 1) }},
}

// saving is an idea with its amount in one round trip.
type saving struct {
	What  string           `json:"what"`
	Price string           `json:"price"`
	Units tablecount.Units `json:"units"`
	USD   float64          `json:"usd_thousand"`
}

func savings(m measured, prices infra.Prices) []saving {
	n := float64(m.Trips)
	picked := func(kind, verb, phase string) tablecount.Units {
		u := m.Table.Sum(func(r tablecount.Row) bool {
			return within(stageOf(r.Phase)) && r.Kind != "step" && (kind == "" || r.Kind == kind) &&
				(verb == "" || r.Verb == verb) && strings.Contains(r.Phase, phase)
		})
		return tablecount.Units{Write: u.Write / n, Index: u.Index / n, Read: u.Read / n}
	}
	var out []saving
	for _, i := range ideas {
		if u := i.saves(picked); u.Writes() > 0 || u.Read > 0 {
			out = append(out, saving{i.what, i.price, u,
				1000 * (prices.Price("write_unit").Of(u.Writes()) + prices.Price("read_unit").Of(u.Read))})
		}
	}
	return out
}

// advice says what would save how much, and at what price.
func (p *page) advice(b bill) {
	p.f("What would save how much (write units, read units, $ per 1,000), and at what price\n\n")
	for _, s := range b.Savings {
		p.f("  %4s %4s %9.5f  %s\n%s(%s)\n", number(s.Units.Writes()), number(s.Units.Read), s.USD, s.What, strings.Repeat(" ", 23), s.Price)
	}
}
