package main

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/store/table/tablecount"
)

// The stretches of a round trip, in order; what is beside it is not part of
// it: the work before, what the agent says at its end.
const (
	before  = "before"
	ask     = "1 ask"
	card    = "2 card"
	answer  = "3 answer"
	settle  = "4 settle"
	run     = "5 run"
	outcome = "6 outcome"
	beside  = "beside"
)

// within says whether a stretch is part of the round trip.
func within(stage string) bool { return stage != before && stage != beside && stage != "" }

// used is what one function did in one stretch, besides the table.
type used struct {
	Stage    string `json:"stage"`
	Function string `json:"function"`
	Invoked  int    `json:"invoked"`
	HTTP     int    `json:"http,omitempty"`     // requests through API Gateway
	Records  int    `json:"records,omitempty"`  // of the stream
	Sent     int    `json:"sent,omitempty"`     // messages, whatever the queue
	Received int    `json:"received,omitempty"` // messages, each deleted again
	Platform int    `json:"platform,omitempty"` // calls to Slack, Feishu, GitHub
	Lines    int    `json:"lines,omitempty"`    // log events
	Bytes    int    `json:"bytes,omitempty"`    // of log events
}

// meter counts. Its stage and function are those of the invocation under way;
// there is never more than one.
type meter struct {
	mu       sync.Mutex
	stage    string
	function string
	uses     map[[2]string]*used
	queues   map[[2]string]int // messages by stage and queue
	series   map[string]bool   // custom metrics that were written
}

func newMeter() *meter {
	return &meter{stage: before, uses: map[[2]string]*used{}, queues: map[[2]string]int{}, series: map[string]bool{}}
}

// at is the phase of the table's counter: stage and function.
func (m *meter) at(context.Context) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stage + "/" + m.function
}

func stageOf(phase string) string    { s, _, _ := strings.Cut(phase, "/"); return s }
func functionOf(phase string) string { _, f, _ := strings.Cut(phase, "/"); return f }

// note changes the use of the invocation under way.
func (m *meter) note(f func(*used)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := [2]string{m.stage, m.function}
	if m.uses[k] == nil {
		m.uses[k] = &used{Stage: m.stage, Function: m.function}
	}
	f(m.uses[k])
}

// enter begins an invocation.
func (m *meter) enter(stage, function string) {
	m.mu.Lock()
	m.stage, m.function = stage, function
	m.mu.Unlock()
	m.note(func(u *used) { u.Invoked++ })
}

// turn moves the invocation under way into another stretch, without beginning
// another one.
func (m *meter) turn(stage string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stage = stage
}

// Write takes log lines and metric lines.
func (m *meter) Write(p []byte) (int, error) {
	m.note(func(u *used) {
		u.Lines += bytes.Count(p, []byte("\n"))
		u.Bytes += len(p)
	})
	return len(p), nil
}

func (m *meter) all() []used {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []used
	for _, u := range m.uses {
		out = append(out, *u)
	}
	slices.SortFunc(out, func(a, b used) int { return strings.Compare(a.Stage+"/"+a.Function, b.Stage+"/"+b.Function) })
	return out
}

// ringing counts what a dispatcher sends.
type ringing struct {
	next interface {
		Send(context.Context, doorbell.Message) error
	}
	m *meter
}

func (r ringing) Send(ctx context.Context, x doorbell.Message) error {
	r.m.note(func(u *used) { u.Sent++ })
	r.m.mu.Lock()
	r.m.queues[[2]string{r.m.stage, x.Queue}]++
	r.m.mu.Unlock()
	return r.next.Send(ctx, x)
}

// rowsOf takes the counter's rows of one round trip, the transcript's apart.
func rowsOf(c tablecount.Count, transcript bool) func(tablecount.Row) bool {
	return func(r tablecount.Row) bool { return within(stageOf(r.Phase)) && (r.Kind == "step") == transcript }
}
