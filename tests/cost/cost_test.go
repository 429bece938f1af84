package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/postern-dev/postern/infra"
	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/store/table"
	"github.com/postern-dev/postern/shared/store/table/tablecount"
)

var update = flag.Bool("update", false, "store what is counted now")

// pinned is what the golden file holds: the counts of the round trip, a row a
// line, so that a change shows as one. Bytes of logs change with a word and are left out.
func pinned(m measured) []byte {
	for i := range m.Uses {
		m.Uses[i].Bytes = 0
	}
	m.Idle.Bytes = 0
	m.Idle.AgentKB = 0
	var out bytes.Buffer
	write := func(what string, v any) {
		raw, err := json.Marshal(v)
		if err != nil {
			panic(err) // numbers and strings
		}
		out.WriteString(what + " " + string(raw) + "\n")
	}
	for _, r := range m.Table.Rows {
		if within(stageOf(r.Phase)) {
			write("row", r)
		}
	}
	for _, c := range m.Table.Calls {
		if within(stageOf(c.Phase)) {
			write("call", c)
		}
	}
	for _, u := range m.Uses {
		if within(u.Stage) {
			write("use", u)
		}
	}
	for _, q := range m.Queues {
		if within(q.Stage) {
			write("queue", q)
		}
	}
	write("series", m.Series)
	write("idle", m.Idle)
	return out.Bytes()
}

// D9: every AWS call of a round trip is counted; this holds the counts, so
// that whoever changes them sees it.
func TestD9_Counts(t *testing.T) {
	t.Parallel()
	m, err := measure(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	got, path := pinned(m), filepath.Join("testdata", "counts.txt")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	was, is := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for _, l := range was {
		if !slices.Contains(is, l) {
			t.Errorf("was: %s", l)
		}
	}
	for _, l := range is {
		if !slices.Contains(was, l) {
			t.Errorf("is:  %s", l)
		}
	}
	if t.Failed() {
		t.Log("the counts of two round trips changed; if that is meant: go test ./tests/cost -update, and say why in the commit (Q6)")
	}
}

// made is a measurement of two round trips with numbers that are easily added.
func made() measured {
	return measured{Trips: 2, Table: tablecount.Count{
		Rows: []tablecount.Row{
			{Phase: card + "/deliver", Kind: "item", Verb: "put", N: 2, Units: tablecount.Units{Write: 40, Index: 20, Read: 8}},
			{Phase: card + "/deliver", Kind: "step", Verb: "put", N: 2, Units: tablecount.Units{Write: 10}},
			{Phase: beside + "/turn", Kind: "item", Verb: "put", N: 2, Units: tablecount.Units{Write: 1000}},
		},
		Calls: []tablecount.Call{{Phase: card + "/deliver", API: "TransactWriteItems", N: 2}, {Phase: before + "/turn", API: "Query", N: 99}},
	}, Uses: []used{
		{Stage: card, Function: "deliver", Invoked: 2, Sent: 2, Platform: 2, Lines: 2, Bytes: 2000, HTTP: 2, Records: 2},
		{Stage: beside, Function: "deliver", Invoked: 50, Platform: 50, Bytes: 1 << 30},
	}, Queues: []queued{{card, doorbell.Outbound, 6}, {card, doorbell.Turns, 2}, {beside, doorbell.Turns, 70}},
		Idle: idle{Requests: 10, Reads: 5, Bytes: 100, Lines: 1, AgentKB: 1}}
}

// D9: the bill is counts times prices, what lies beside it left out.
func TestD9_Bill(t *testing.T) {
	t.Parallel()
	p, err := infra.LoadPrices()
	if err != nil {
		t.Fatal(err)
	}
	b := price(made(), p)
	if b.WriteUnits != 30 || b.ReadUnits != 4 || b.Transcript.WriteUnits != 5 {
		t.Errorf("%v write, %v read, %v of the transcript", b.WriteUnits, b.ReadUnits, b.Transcript.WriteUnits)
	}
	a := p.Assumptions
	want := map[string]float64{
		"DynamoDB writes": 30 * 0.625e-6, "DynamoDB reads": 4 * 0.125e-6, "the transcript's writes": 5 * 0.625e-6,
		"Lambda deliver, time": (a.Invocation + a.Send + a.Platform + a.Transaction) / 1000 * 0.25 * 13.3334e-6,
		"Lambda, requests":     0.2e-6, "SQS, FIFO queues": 3 * 0.5e-6, "SQS, standard queues": 0.4e-6, "API Gateway": 1e-6,
		"CloudWatch logs": (1000 + 2*a.LogEvent + a.AccessLog) / (1 << 30) * 0.5, "X-Ray": a.Traced * 5e-6,
	}
	for _, l := range b.Trip {
		if w, ok := want[l.What]; ok && math.Abs(l.USD-w) > 1e-12 {
			t.Errorf("%s: $%.9f, want %.9f", l.What, l.USD, w)
		}
		delete(want, l.What)
	}
	if len(want) > 0 {
		t.Errorf("no line for %v", want)
	}
	if d := b.ThousandAll - b.Thousand - 1000*5*0.625e-6; math.Abs(d) > 1e-12 {
		t.Errorf("the transcript's part is off by %v", d)
	}
	if len(b.Missed) != 0 {
		t.Errorf("missed %v", b.Missed)
	}
	dear := made()
	dear.Table.Rows[0].Write = 400
	if got := price(dear, p).Missed; len(got) != 2 || got[0] != "write units" {
		t.Errorf("missed %v", got)
	}
}

// D11: the keys that all share, each with its limit; shards count together.
func TestD11_SharedKeys(t *testing.T) {
	t.Parallel()
	m := made()
	m.Table.Keys = []tablecount.Key{
		{Phase: ask + "/turn", Index: table.List, PK: "audit", Units: 4}, {Phase: run + "/turn", Index: table.List, PK: "audit", Units: 2},
		{Phase: ask + "/turn", Index: table.Open, PK: "show#3", Units: 2}, {Phase: ask + "/turn", Index: table.Open, PK: "show#5", Units: 2},
		{Phase: beside + "/turn", Index: table.List, PK: "audit", Units: 90},
	}
	m.Table.Rows = []tablecount.Row{{Phase: ask + "/turn", Kind: "policy", Verb: "get", Units: tablecount.Units{Read: 6}}}
	want := []sharedKey{{"index list, audit", 3, 333}, {"table, policy (reads)", 3, 1000}, {"index open, show#n", 2, 4000}}
	if got := shared(m); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// The bill speaks of what is deployed: template.yaml has what the price table
// says, and each function the memory.
func TestD9_StackIsTheTemplates(t *testing.T) {
	t.Parallel()
	p, err := infra.LoadPrices()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	count := func(what string) float64 { return float64(strings.Count(text, what)) }
	for what, x := range map[string][2]float64{
		"alarms":          {count("Type: AWS::CloudWatch::Alarm\n"), p.Stack.Alarms},
		"metric filters":  {count("Type: AWS::Logs::MetricFilter\n"), p.Stack.MetricFilters},
		"dashboards":      {count("Type: AWS::CloudWatch::Dashboard\n"), p.Stack.Dashboards},
		"secrets":         {count("Type: AWS::SecretsManager::Secret\n") + float64(len(regexp.MustCompile(`(?m)^  \w+SecretArn:\n    Type: String`).FindAllString(text, -1))), p.Stack.Secrets},
		"queues":          {count("Properties: {Queue: !GetAtt"), p.Stack.FIFOQueues + p.Stack.StandardQueues},
		"reconcile every": {1, count("Reconcile: rate(" + strconv.Itoa(int(p.Stack.ReconcileMinutes)) + " minutes)")},
	} {
		if x[0] != x[1] {
			t.Errorf("%s: %v in the template, %v in prices.json", what, x[0], x[1])
		}
	}
	functions := regexp.MustCompile(`(?ms)^  (\w+)Function:\n    Type: AWS::Serverless::Function\n(.*?)\n\n`).FindAllStringSubmatch(text+"\n\n", -1)
	for _, f := range functions {
		memory := "256" // of Globals
		if m := regexp.MustCompile(`(?m)^      MemorySize: (\d+)`).FindStringSubmatch(f[2]); m != nil {
			memory = m[1]
		}
		if got := p.Stack.MemoryMB[strings.ToLower(f[1])]; strconv.Itoa(int(got)) != memory {
			t.Errorf("%s has %s MB, prices.json says %v", f[1], memory, got)
		}
	}
	if len(functions) != 9 {
		t.Errorf("%d functions found", len(functions))
	}
}

// Both forms of the output say the same, and what is missed is no failure.
func TestOutput(t *testing.T) {
	t.Parallel()
	var human, machine bytes.Buffer
	if err := cost(t.Context(), &human, 1, false); err != nil {
		t.Fatal(err)
	}
	if err := cost(t.Context(), &machine, 1, true); err != nil {
		t.Fatal(err)
	}
	var got struct{ Bill bill }
	if err := json.Unmarshal(machine.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"Goals (D9)", number(got.Bill.WriteUnits) + " of 36", number(got.Bill.ReadUnits) + " of 12", "An idle month", "What would save how much"} {
		if !strings.Contains(human.String(), s) {
			t.Errorf("the text does not say %q", s)
		}
	}
	if err := cost(t.Context(), &human, 0, false); err == nil {
		t.Error("no round trip is none to price")
	}
}
