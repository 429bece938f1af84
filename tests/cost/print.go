package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/postern-dev/postern/infra"
	"github.com/postern-dev/postern/shared/store/table/tablecount"
)

// page writes text and keeps the first error.
type page struct {
	w   io.Writer
	err error
}

func (p *page) f(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func print(w io.Writer, b bill, m measured, prices infra.Prices) error {
	p := &page{w: w}
	p.f("One approval round trip, from the model's asking call to the settled card that says \"ran: ok\".\n")
	p.f("Counted in the embedded runtime, mean of %d; prices of %s, %s, without a free tier.\n\n", m.Trips, prices.Region, prices.Date)
	p.f("  %-42s %12s %-12s %14s\n", "", "amount", "", "$ per 1,000")
	for _, l := range b.Trip {
		p.f("  %-42s %12s %-12s %14.5f\n", l.What, number(l.Amount), l.Unit, 1000*l.USD)
	}
	p.f("  %-42s %12s %-12s %14.5f\n", "together", "", "", b.ThousandAll)
	p.f("  %-42s %12s %-12s %14.5f\n\n", "together, the transcript beside", "", "", b.Thousand)
	p.goals(b, prices)
	p.stretches(m)
	p.rows(m, prices)
	p.keys(m)
	p.idle(b, m)
	p.advice(b)
	return p.err
}

func number(x float64) string {
	switch {
	case x != 0 && x < 0.001:
		return fmt.Sprintf("%.3g", x)
	case x == float64(int64(x)):
		return fmt.Sprintf("%d", int64(x))
	}
	return fmt.Sprintf("%.3f", x)
}

func (p *page) goals(b bill, prices infra.Prices) {
	g := prices.Goals
	p.f("Goals (D9), the transcript beside\n\n")
	for _, x := range []struct {
		what      string
		got, goal float64
		money     bool
	}{
		{"write units", b.WriteUnits, g.WriteUnits, false}, {"read units", b.ReadUnits, g.ReadUnits, false},
		{"per 1,000 round trips", b.Thousand, g.Thousand, true},
		{"idle: secrets, alarms, metrics, logs", b.IdleNamed, g.IdleMonth, true}, {"idle: every line", b.IdleUSD, g.IdleMonth, true},
		{"idle: every line, after the free tier", b.IdleBeyond, g.IdleMonth, true},
	} {
		verdict := "met"
		if x.got > x.goal {
			verdict = fmt.Sprintf("MISSED, %.1f times the goal", x.got/x.goal)
		}
		got, goal := number(x.got), number(x.goal)
		if x.money {
			got, goal = fmt.Sprintf("$%.4f", x.got), fmt.Sprintf("$%.3f", x.goal)
		}
		p.f("  %-38s %10s of %-8s %s\n", x.what, got, goal, verdict)
	}
	p.f("\n")
}

// stretches shows where in the round trip units are spent, and by whom.
func (p *page) stretches(m measured) {
	p.f("Where: by stretch and function, the transcript beside\n\n")
	p.f("  %-22s %8s %8s %8s %8s %8s %8s %8s\n", "", "invoked", "write", "index", "read", "requests", "sent", "platform")
	n := float64(m.Trips)
	for _, u := range m.Uses {
		if !within(u.Stage) {
			continue
		}
		phase := u.Stage + "/" + u.Function
		s := m.Table.Sum(func(r tablecount.Row) bool { return r.Phase == phase && r.Kind != "step" })
		p.f("  %-22s %8s %8s %8s %8s %8s %8s %8s\n", u.Stage+" "+u.Function, number(float64(u.Invoked)/n), number(s.Write/n), number(s.Index/n),
			number(s.Read/n), number(float64(m.Table.Requests(phase))/n), number(float64(u.Sent)/n), number(float64(u.Platform)/n))
	}
	s := m.Table.Sum(func(r tablecount.Row) bool { return stageOf(r.Phase) == beside })
	p.f("  %-22s %8s %8s %8s %8s   (what the agent does after it)\n\n", "beside it", "", number(s.Write/n), number(s.Index/n), number(s.Read/n))
}

// rows shows which rows cost most.
func (p *page) rows(m measured, prices infra.Prices) {
	p.f("Which rows: the dearest first\n\n")
	p.f("  %-22s %8s %8s %8s %8s %14s\n", "", "times", "write", "index", "read", "$ per 1,000")
	for _, r := range rank(m, prices, func(r tablecount.Row) string { return r.Kind + ", " + r.Verb }) {
		kind := r.Kind
		if strings.HasPrefix(kind, "step,") {
			kind += " *"
		}
		p.f("  %-22s %8s %8s %8s %8s %14.5f\n", kind, number(r.Touched), number(r.Write), number(r.Index), number(r.Read), 1000*r.usd)
	}
	p.f("  * the transcript\n\n")
}

// perKey is how many write units a second one key takes, and how many strong
// read units.
const perKey, perKeyRead = 1000, 3000

// keys shows which keys all round trips share, and so which is hot first. Keys
// that are sharded by a number are one, of which each takes its part.
func (p *page) keys(m measured) {
	p.f("Which keys all round trips share, and how many round trips a second each takes at most\n\n")
	p.f("  %-28s %14s %14s\n", "", "units a trip", "trips a second")
	for _, k := range shared(m) {
		p.f("  %-28s %14s %14.0f\n", k.Name, number(k.Units), k.Most)
	}
	p.f("\n")
}

func (p *page) idle(b bill, m measured) {
	p.f("An idle month\n\n")
	p.f("  %-54s %12s %-12s %10s %16s\n", "", "amount", "", "$", "after free tier")
	for _, l := range b.Idle {
		p.f("  %-54s %12s %-12s %10.4f %16.4f\n", l.What, number(round(l.Amount, 4)), l.Unit, l.USD, l.Beyond)
	}
	p.f("  %-54s %12s %-12s %10.4f %16.4f\n\n", "together", "", "", b.IdleUSD, b.IdleBeyond)
	p.f("  A session at rest after one round trip stores %.1f KB: $%.8f a month, and no call.\n", m.Idle.AgentKB, b.AgentUSD)
	p.f("  The reconciler makes %d table requests a pass, whatever sleeps.\n", m.Idle.Requests)
	p.f("  In use, a round trip writes %d custom metric series; each costs $%.2f for a month of being written every hour.\n\n",
		m.Series, b.measuredWith.Price("metric_month").USD)
}
