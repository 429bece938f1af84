package main

import "math"

const (
	days  = 30.0
	hours = 24 * days
)

// month adds one line of an idle month, with the price after the free tier.
func (b *bill) month(what string, amount float64, unit, price string) {
	p := b.measuredWith.Price(price)
	b.Idle = append(b.Idle, line{What: what, Amount: amount, Unit: unit, USD: p.Of(amount), Beyond: p.Beyond(amount)})
}

// idle is the bill of a month in which nothing happens.
func (b *bill) idle(m measured) {
	s, a := b.measuredWith.Stack, b.measuredWith.Assumptions
	passes := hours * 60 / s.ReconcileMinutes
	logs := passes * (float64(m.Idle.Bytes) + a.LogEvent*float64(m.Idle.Lines)) / (1 << 30)
	b.month("secrets, one per connector and the link's", s.Secrets, "secrets", "secret_month")
	b.month("alarms", s.Alarms, "alarms", "alarm_month")
	b.month("metrics read from the reconciler's line", s.MetricFilters, "series", "metric_month")
	b.month("logs of the reconciler", logs, "GB", "log_gb")
	b.month("logs, kept", logs, "GB", "log_gb_month")
	for _, l := range b.Idle { // what the goal names
		b.IdleNamed += l.USD
	}
	b.month("dashboard", s.Dashboards, "dashboards", "dashboard_month")
	b.month("table", a.IdleTableGB, "GB", "table_gb_month")
	b.month("point-in-time backup", a.IdleTableGB, "GB", "backup_gb_month")
	b.polling(passes)
	b.month("reconciler, table reads", passes*m.Idle.Reads, "read units", "read_unit")
	seconds := (a.Invocation + float64(m.Idle.Requests)*a.Read + a.ReconcileWait) / 1000
	b.month("reconciler, Lambda time", passes*seconds*s.MemoryMB["wake"]/1024, "GB-s", "lambda_gb_second")
	b.month("reconciler, Lambda requests", passes, "requests", "lambda_request")
	b.month("reconciler, its schedule", passes, "invocations", "schedule")
	b.month("reconciler, traces", passes*a.Traced, "traces", "trace")
	for _, l := range b.Idle {
		b.IdleUSD += l.USD
		b.IdleBeyond += l.Beyond
	}
	b.AgentUSD = b.measuredWith.Price("table_gb_month").Of(m.Idle.AgentKB/(1<<20)) + b.measuredWith.Price("backup_gb_month").Of(m.Idle.AgentKB/(1<<20))
}

// polling is what Lambda's pollers ask the empty queues, and the reconciler
// its dead letters. The free million is of both kinds together: it is taken
// off the standard queues first, which have more of it.
func (b *bill) polling(passes float64) {
	s, a := b.measuredWith.Stack, b.measuredWith.Assumptions
	each := a.Pollers * hours * 3600 / a.PollSeconds
	standard, fifo := s.StandardQueues*each, s.FIFOQueues*each+passes
	b.month("Lambda's polling of empty standard queues", standard, "requests", "sqs_standard")
	b.month("Lambda's polling of empty FIFO queues, dead letters", fifo, "requests", "sqs_fifo")
	if left := b.measuredWith.Price("sqs_standard").Free - standard; left > 0 {
		l := &b.Idle[len(b.Idle)-1]
		l.Beyond = b.measuredWith.Price("sqs_fifo").Of(math.Max(0, fifo-left))
	}
}
