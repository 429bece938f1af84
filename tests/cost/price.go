package main

import (
	"maps"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/postern-dev/postern/infra"
	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/store/table/tablecount"
)

// line is one line of a bill.
type line struct {
	What   string  `json:"what"`
	Amount float64 `json:"amount"`
	Unit   string  `json:"unit"`
	USD    float64 `json:"usd"`
	Beyond float64 `json:"usd_after_free_tier,omitempty"` // idle month only
}

// bill is what a round trip and an idle month cost.
type bill struct {
	WriteUnits float64 `json:"write_units"` // without the transcript
	ReadUnits  float64 `json:"read_units"`
	Transcript struct {
		WriteUnits float64 `json:"write_units"`
		ReadUnits  float64 `json:"read_units"`
	} `json:"transcript"`
	Trip         []line   `json:"trip"`         // of one round trip
	Thousand     float64  `json:"usd_thousand"` // without the transcript
	ThousandAll  float64  `json:"usd_thousand_with_transcript"`
	Idle         []line   `json:"idle"`
	IdleNamed    float64  `json:"idle_usd_secrets_alarms_metrics_logs"`
	IdleUSD      float64  `json:"idle_usd"`
	IdleBeyond   float64  `json:"idle_usd_after_free_tier"`
	AgentUSD     float64  `json:"idle_agent_usd_month"`
	Missed       []string `json:"missed_goals"`
	Savings      []saving `json:"savings"`
	perTrip      float64
	measuredWith infra.Prices
}

func sortQueues(q []queued) {
	slices.SortFunc(q, func(a, b queued) int { return strings.Compare(a.Stage+a.Queue, b.Stage+b.Queue) })
}

func price(m measured, p infra.Prices) bill {
	b := bill{perTrip: 1 / float64(m.Trips), measuredWith: p}
	units := m.Table.Sum(rowsOf(m.Table, false))
	beside := m.Table.Sum(rowsOf(m.Table, true))
	b.WriteUnits, b.ReadUnits = units.Writes()*b.perTrip, units.Read*b.perTrip
	b.Transcript.WriteUnits, b.Transcript.ReadUnits = beside.Writes()*b.perTrip, beside.Read*b.perTrip
	b.table()
	b.functions(m)
	b.messages(m)
	b.watched(m)
	for _, l := range b.Trip {
		b.ThousandAll += 1000 * l.USD
	}
	b.Thousand = b.ThousandAll - 1000*(p.Price("write_unit").Of(b.Transcript.WriteUnits)+p.Price("read_unit").Of(b.Transcript.ReadUnits))
	b.idle(m)
	b.judge()
	b.Savings = savings(m, p)
	return b
}

// add puts a line of one round trip.
func (b *bill) add(what string, amount float64, unit, price string) {
	b.Trip = append(b.Trip, line{What: what, Amount: amount, Unit: unit, USD: b.measuredWith.Price(price).Of(amount)})
}

func (b *bill) table() {
	b.add("DynamoDB writes", b.WriteUnits, "write units", "write_unit")
	b.add("DynamoDB reads", b.ReadUnits, "read units", "read_unit")
	b.add("the transcript's writes", b.Transcript.WriteUnits, "write units", "write_unit")
	b.add("the transcript's reads", b.Transcript.ReadUnits, "read units", "read_unit")
}

// functions adds Lambda's requests and time.
func (b *bill) functions(m measured) {
	invoked, time := map[string]float64{}, map[string]float64{}
	a := b.measuredWith.Assumptions
	for _, u := range m.Uses {
		if within(u.Stage) {
			invoked[u.Function] += float64(u.Invoked) * b.perTrip
			time[u.Function] += b.perTrip * (float64(u.Invoked)*a.Invocation + float64(u.Sent)*a.Send + float64(u.Platform)*a.Platform)
		}
	}
	for _, c := range m.Table.Calls {
		if within(stageOf(c.Phase)) {
			time[functionOf(c.Phase)] += b.perTrip * float64(c.N) * took(c.API, a)
		}
	}
	requests := 0.0
	for _, f := range slices.Sorted(maps.Keys(invoked)) {
		requests += invoked[f]
		gb := time[f] / 1000 * b.measuredWith.Stack.MemoryMB[f] / 1024
		b.add("Lambda "+f+", time", gb, "GB-s", "lambda_gb_second")
	}
	b.add("Lambda, requests", requests, "requests", "lambda_request")
}

func took(api string, a infra.Assumptions) float64 {
	switch api {
	case "GetItem", "BatchGetItem", "Query":
		return a.Read
	case "TransactWriteItems":
		return a.Transaction
	}
	return a.Write
}

// messages adds the queues, the entrance and the stream.
func (b *bill) messages(m measured) {
	standard, fifo, http, records := 0.0, 0.0, 0.0, 0.0
	for _, q := range m.Queues {
		switch {
		case !within(q.Stage):
		case doorbell.Fifo(q.Queue):
			fifo += float64(q.N) * b.perTrip
		default:
			standard += float64(q.N) * b.perTrip
		}
	}
	for _, u := range m.Uses {
		if within(u.Stage) {
			http += float64(u.HTTP) * b.perTrip
			records += float64(u.Records) * b.perTrip
		}
	}
	b.add("SQS, FIFO queues", fifo, "requests", "sqs_fifo")
	b.add("SQS, standard queues", standard, "requests", "sqs_standard")
	b.add("API Gateway", http, "requests", "http_api_request")
	b.add("DynamoDB stream", records, "reads", "stream_read")
}

// watched adds logs and traces.
func (b *bill) watched(m measured) {
	a := b.measuredWith.Assumptions
	size, invoked := 0.0, 0.0
	for _, u := range m.Uses {
		if within(u.Stage) {
			size += b.perTrip * (float64(u.Bytes) + a.LogEvent*float64(u.Lines) + float64(u.HTTP)*(a.AccessLog+a.LogEvent))
			invoked += b.perTrip * float64(u.Invoked)
		}
	}
	b.add("CloudWatch logs", size/(1<<30), "GB", "log_gb")
	b.add("X-Ray", invoked*a.Traced, "traces", "trace")
}

func (b *bill) judge() {
	g := b.measuredWith.Goals
	for _, x := range []struct {
		what      string
		got, goal float64
	}{
		{"write units", b.WriteUnits, g.WriteUnits}, {"read units", b.ReadUnits, g.ReadUnits},
		{"dollars per 1,000 round trips", b.Thousand, g.Thousand}, {"dollars of secrets, alarms, metrics and logs per idle month", b.IdleNamed, g.IdleMonth},
	} {
		if x.got > x.goal {
			b.Missed = append(b.Missed, x.what)
		}
	}
}

// ranked is the table's rows by what they cost, the dearest first, without
// the transcript.
type ranked struct {
	Kind    string  `json:"kind"`
	Write   float64 `json:"write"`
	Index   float64 `json:"index"`
	Read    float64 `json:"read"`
	Touched float64 `json:"touched"`
	usd     float64
}

func rank(m measured, p infra.Prices, name func(tablecount.Row) string) []ranked {
	at := map[string]int{}
	var out []ranked
	for _, r := range m.Table.Rows {
		if !within(stageOf(r.Phase)) {
			continue
		}
		k := name(r)
		if _, ok := at[k]; !ok {
			at[k] = len(out)
			out = append(out, ranked{Kind: k})
		}
		x, n := &out[at[k]], float64(m.Trips)
		x.Write += r.Write / n
		x.Index += r.Index / n
		x.Read += r.Read / n
		x.Touched += float64(r.N) / n
		x.usd += (p.Price("write_unit").Of(r.Writes()) + p.Price("read_unit").Of(r.Read)) / n
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].usd > out[j].usd })
	return out
}

func round(x float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(x*p) / p
}
