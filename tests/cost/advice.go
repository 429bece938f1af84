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

// ideas do not overlap, except where one says so.
var ideas = []idea{
	{"a card is not settled between the answer and the outcome of the call that it allows",
		"its buttons stay until the call has run, seconds as a rule; I23 and R4 ask for more. Saves one invocation of deliver, one platform call and three queue requests too",
		func(p pick) tablecount.Units { return p("", "", settle) }},
	{"leases leave the open index: a dead turn's message comes again after its visibility",
		"found after ten minutes instead of five; W8 names leases",
		func(p pick) tablecount.Units { return index(p("lease", "put", "")) }},
	{"a resumed turn takes its lease in the commit of its intent, not before",
		"it judges the call before it holds anything, and again if it loses",
		func(p pick) tablecount.Units { return less(writes(p("lease", "check", "")), 1, 0, 0) }},
	{"whoever answers is not told that the session was deleted: nothing can be spent there anyway",
		"S2 says that resolving checks",
		func(p pick) tablecount.Units { return p("mailbox", "get", answer) }},
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
