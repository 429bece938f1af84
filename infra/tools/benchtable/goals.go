package main

import "strings"

// goal is one line of the table.
type goal struct {
	name  string
	unit  string
	limit float64 // 0: no goal, only shown
	least bool    // the limit is the least, not the most
	value func(results) (float64, bool)
}

func (g goal) met(x float64) bool { return g.least && x >= g.limit || !g.least && x <= g.limit }

func (g goal) goal() string {
	switch {
	case g.limit == 0:
		return ""
	case g.least:
		return "≥ " + number(g.limit) + g.unit
	}
	return "≤ " + number(g.limit) + g.unit
}

// of reads one metric, scaled.
func of(name, unit string, scale float64) func(results) (float64, bool) {
	return func(r results) (float64, bool) {
		x, ok := r[name][unit]
		return x * scale, ok
	}
}

// ratio is one benchmark's metric over another's.
func ratio(a, b, unit string) func(results) (float64, bool) {
	return func(r results) (float64, bool) {
		x, okX := r[a][unit]
		y, okY := r[b][unit]
		return x / y, okX && okY && y != 0
	}
}

// largest compares the most stored items with none.
func largest(what, unit string) func(results) (float64, bool) {
	return func(r results) (float64, bool) {
		best, name := -1, ""
		for k := range r {
			if n, ok := strings.CutPrefix(k, "bench.Items/"+what+"/stored="); ok && len(n) > best {
				best, name = len(n), k
			}
		}
		return ratio(name, "bench.Items/"+what+"/stored=0", unit)(r)
	}
}

const toMicro, toMilli = 1e-3, 1e-6

var goals = []goal{
	{"permission decision, allow-listed read", " µs", 0.3, false, of("permission.EvaluateRead", "ns/op", toMicro)},
	{"  its allocations", "", 0.5, false, of("permission.EvaluateRead", "allocs/op", 1)},
	{"permission decision, full order, a path and 100 rules", " µs", 2, false, of("permission.EvaluateFull", "ns/op", toMicro)},
	{"  cedar-go on the same read", " x", 5, true, ratio("peers.Cedar/read", "peers.Postern/read", "ns/op")},
	{"  cedar-go on the same full order", " x", 5, true, ratio("peers.Cedar/full", "peers.Postern/full", "ns/op")},
	{"  OPA on the same read", " x", 50, true, ratio("peers.OPA/read", "peers.Postern/read", "ns/op")},
	{"  OPA on the same full order", " x", 50, true, ratio("peers.OPA/full", "peers.Postern/full", "ns/op")},
	{"admission, 100 people listed", " µs", 1, false, of("policy.Admit/people=100/listed", "ns/op", toMicro)},
	{"webhook of Slack, 4 KB: verify, parse, normalise", " µs", 30, false, of("slack.Receive4KB", "ns/op", toMicro)},
	{"  slack-go's own receiver", " x", 1, true, ratio("slack.SDKReceive4KB", "slack.Receive4KB", "ns/op")},
	{"webhook of Feishu, 4 KB: verify, decrypt, parse, normalise", " µs", 30, false, of("feishu.Receive4KB", "ns/op", toMicro)},
	{"  the Lark SDK's own receiver", " x", 1, true, ratio("feishu.SDKReceive4KB", "feishu.Receive4KB", "ns/op")},
	{"webhook of GitHub, 4 KB: verify, parse, normalise", " µs", 30, false, of("github.Receive", "ns/op", toMicro)},
	{"  go-github's own receiver", " x", 1, true, ratio("github.ReceiveSDK", "github.Receive", "ns/op")},
	{"entrance of Slack, request to answer", " µs", 0, false, of("bench.Ingress/slack", "ns/op", toMicro)},
	{"entrance of Feishu, request to answer", " µs", 0, false, of("bench.Ingress/feishu", "ns/op", toMicro)},
	{"entrance of GitHub, request to answer", " µs", 0, false, of("bench.Ingress/github", "ns/op", toMicro)},
	{"raise beside the most stored items over none, time", " x", 1.2, false, largest("raise", "ns/op")},
	{"  the same, processor time", " x", 1.2, false, largest("raise", "cpu-µs/op")},
	{"resolve beside the most stored items over none, time", " x", 1.2, false, largest("resolve", "ns/op")},
	{"  the same, processor time", " x", 1.2, false, largest("resolve", "cpu-µs/op")},
	{"approval round trips a second, 32 sessions at once", "", 1000, true, of("bench.RoundTrips/sessions=32", "trips/s", 1)},
	{"  processor time of one", " ms", 0, false, of("bench.RoundTrips/sessions=32", "cpu-ms/trip", 1)},
	{"decided to resumed, p99, 32 sessions at once", " ms", 50, false, of("bench.RoundTrips/sessions=32", "resumed-p99-ms", 1)},
	{"decided to resumed, p99, one session", " ms", 50, false, of("bench.RoundTrips/sessions=1", "resumed-p99-ms", 1)},
	{"a function's process start to its first request for work", " ms", 25, false, of("bench.FunctionStart", "start-ms", 1)},
	{"reconciler's requests a pass, 100,000 agents asleep over none", " x", 1, false, ratio("bench.Asleep/agents=100000", "bench.Asleep/agents=0", "requests/pass")},
	{"panel, first page of an Inbox of 10,000", " ms", 50, false, of("bench.InboxPage", "ns/op", toMilli)},
	{"  its queries", "", 1, false, of("bench.InboxPage", "queries/op", 1)},
}
