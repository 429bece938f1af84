package log

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// emf is a line as CloudWatch reads it.
type emf struct {
	AWS struct {
		Timestamp         int64
		CloudWatchMetrics []struct {
			Namespace  string
			Dimensions [][]string
			Metrics    []struct{ Name, Unit string }
		}
	} `json:"_aws"`
}

// read checks a line against the format: what it names must be a member of the
// root, a dimension a string, a metric a number.
func read(t *testing.T, line string) (emf, map[string]any) {
	t.Helper()
	var e emf
	var members map[string]any
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(line), &members); err != nil {
		t.Fatal(err)
	}
	if e.AWS.Timestamp != 1800000000123 || len(e.AWS.CloudWatchMetrics) != 1 {
		t.Fatalf("got %s", line)
	}
	d := e.AWS.CloudWatchMetrics[0]
	if d.Namespace != Namespace || len(d.Metrics) != 1 || len(d.Dimensions) != 1 {
		t.Fatalf("got %s", line)
	}
	if _, ok := members[d.Metrics[0].Name].(float64); !ok {
		t.Errorf("no number %s in %s", d.Metrics[0].Name, line)
	}
	for _, name := range d.Dimensions[0] {
		if s, ok := members[name].(string); !ok || s == "" {
			t.Errorf("no string %s in %s", name, line)
		}
	}
	return e, members
}

func metrics() (*bytes.Buffer, *Metrics) {
	var out bytes.Buffer
	return &out, NewMetrics(&out, "gate", func() time.Time { return time.UnixMilli(1800000000123) })
}

func TestD8_MetricLines(t *testing.T) {
	t.Parallel()
	out, m := metrics()
	m.Count("deliveries", 3, "platform", "slack", "outcome", "admitted")
	m.Label("decisions", "allow")
	m.Label("parked", "")
	m.Took("decided_to_woken", 1500*time.Microsecond)
	m.Gauge("pending_items", 12, "surface", "")
	m.Gauge("broken", math.NaN())
	all := strings.Split(strings.TrimSpace(out.String()), "\n")
	want := []struct {
		name, unit string
		value      float64
		dims       []string
	}{
		{"deliveries", "Count", 3, []string{"platform", "outcome"}},
		{"decisions", "Count", 1, []string{"label"}},
		{"parked", "Count", 1, []string{}},
		{"decided_to_woken", "Milliseconds", 1.5, []string{}},
		{"pending_items", "None", 12, []string{"surface"}},
	}
	if len(all) != len(want) {
		t.Fatalf("got %s", out)
	}
	for i, w := range want {
		e, members := read(t, all[i])
		d := e.AWS.CloudWatchMetrics[0]
		if d.Metrics[0].Name != w.name || d.Metrics[0].Unit != w.unit || members[w.name] != w.value ||
			!reflect.DeepEqual(d.Dimensions[0], w.dims) || members["function"] != "gate" {
			t.Errorf("got %s", all[i])
		}
	}
}

// D9: no dimension is a session, a thread or a person.
func TestD9_NoCostlyDimension(t *testing.T) {
	t.Parallel()
	out, m := metrics()
	for _, name := range []string{"session", "thread", "person", "user", "actor", "item", "channel", "correlation"} {
		out.Reset()
		m.Count("calls", 1, name, "s-1", "kind", "read")
		e, members := read(t, strings.TrimSpace(out.String()))
		if got := e.AWS.CloudWatchMetrics[0].Dimensions[0]; !reflect.DeepEqual(got, []string{"kind"}) || members[name] != nil {
			t.Errorf("%s: %s", name, out)
		}
		if !reflect.DeepEqual(members["refused"], []any{name}) {
			t.Errorf("%s is dropped silently: %s", name, out)
		}
	}
	values := map[any]bool{}
	for i := range 1000 {
		out.Reset()
		m.Count("calls", 1, "reason", fmt.Sprint("r", i))
		_, members := read(t, strings.TrimSpace(out.String()))
		values[members["reason"]] = true
	}
	if len(values) != mostValues+1 || !values["other"] {
		t.Errorf("%d values", len(values))
	}
}

func TestMetricsFromManyGoroutines(t *testing.T) {
	t.Parallel()
	out, m := metrics()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				m.Label("calls", "read")
			}
		})
	}
	all.Wait()
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		read(t, line)
	}
}

// D9: a member beside a metric is no dimension, and hides nothing of the line's
// own.
func TestD9_MembersAreNoDimensions(t *testing.T) {
	t.Parallel()
	out, m := metrics()
	m.GaugeOf("model_cost", 0.25, map[string]string{"session": "s1", "function": "else", "model_cost": "else"})
	e, members := read(t, out.String())
	d := e.AWS.CloudWatchMetrics[0]
	if len(d.Dimensions[0]) != 0 || members["session"] != "s1" || members["function"] != "gate" || members["model_cost"] != 0.25 {
		t.Errorf("got %s", out)
	}
}
