package log

import (
	"encoding/json"
	"io"
	"slices"
	"sync"
	"time"
)

// Namespace is that of all metrics.
const Namespace = "Postern"

// dimensions are all that a metric may have: each has a handful of values. A
// session, a thread or a person is none of them (D9); every combination of
// values is a metric that is paid for.
var dimensions = []string{"label", "outcome", "platform", "strength", "decision", "reason", "kind", "queue",
	"surface", "provider", "state"}

// mostValues is how many values of one dimension an instance lets out; others
// are counted as "other".
const mostValues = 24

// Metrics writes lines of CloudWatch's embedded metric format. They are lines
// of their own, not log records: a level would drop them, a group would hide
// them. With Lambda's JSON logs the application level must be INFO or below.
type Metrics struct {
	w        io.Writer
	function string
	now      func() time.Time

	mu   sync.Mutex
	seen map[string][]string // by dimension
}

// NewMetrics writes to w, os.Stdout in a function; function is a plain member
// of each line, not a dimension.
func NewMetrics(w io.Writer, function string, now func() time.Time) *Metrics {
	return &Metrics{w: w, function: function, now: now, seen: map[string][]string{}}
}

// Count adds n to a metric. dims are pairs of a dimension's name and value; a
// name that is not allowed is left out, and the line says which.
func (m *Metrics) Count(name string, n int64, dims ...string) {
	m.write(name, "Count", float64(n), nil, dims)
}

// Label counts one, with the dimension "label" if it is not empty.
func (m *Metrics) Label(name, label string) {
	if label == "" {
		m.Count(name, 1)
		return
	}
	m.Count(name, 1, "label", label)
}

// Took records a duration, of which CloudWatch makes percentiles:
// decided-to-woken for instance.
func (m *Metrics) Took(name string, d time.Duration, dims ...string) {
	m.write(name, "Milliseconds", float64(d)/float64(time.Millisecond), nil, dims)
}

// Gauge records a value that is not counted up: pending items for instance.
func (m *Metrics) Gauge(name string, value float64, dims ...string) {
	m.write(name, "None", value, nil, dims)
}

// GaugeOf records a value without a dimension, with plain members beside it: a
// session's id stands in the line, where a search of the log sums it up, and
// makes no metric of its own (D9).
func (m *Metrics) GaugeOf(name string, value float64, members map[string]string) {
	m.write(name, "None", value, members, nil)
}

type definition struct {
	Namespace  string
	Dimensions [][]string
	Metrics    []unit
}

type unit struct{ Name, Unit string }

func (m *Metrics) write(name, in string, value float64, members map[string]string, dims []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	line, used, refused := map[string]any{}, []string{}, []string{}
	for k, v := range members {
		line[k] = v
	}
	line["function"] = m.function
	for i := 0; i+1 < len(dims); i += 2 {
		if !slices.Contains(dimensions, dims[i]) || dims[i] == name {
			refused = append(refused, dims[i])
			continue
		}
		if _, twice := line[dims[i]]; !twice {
			used = append(used, dims[i])
		}
		line[dims[i]] = m.value(dims[i], dims[i+1])
	}
	if len(refused) > 0 {
		line["refused"] = refused
	}
	line[name] = value
	line["_aws"] = map[string]any{"Timestamp": m.now().UnixMilli(), "CloudWatchMetrics": []definition{{
		Namespace: Namespace, Dimensions: [][]string{used}, Metrics: []unit{{name, in}}}}}
	raw, err := json.Marshal(line)
	if err != nil {
		return // a value that is no number: nothing to write
	}
	m.w.Write(append(raw, '\n')) // a metric that cannot be written fails nothing
}

// value keeps the number of values of a dimension small.
func (m *Metrics) value(dimension, value string) string {
	if value == "" {
		return "none" // CloudWatch takes no empty one
	}
	if len(value) > 64 {
		return "other"
	}
	if slices.Contains(m.seen[dimension], value) {
		return value
	}
	if len(m.seen[dimension]) >= mostValues {
		return "other"
	}
	m.seen[dimension] = append(m.seen[dimension], value)
	return value
}
