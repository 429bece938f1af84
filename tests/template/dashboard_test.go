package template

import (
	"maps"
	"strings"
	"testing"
)

func emitted(t testing.TB) map[string]map[shape]bool {
	t.Helper()
	found, err := emittedBy(root, functionNames)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// D8: the dashboard shows what the functions write, and nothing else.
func TestD8_DashboardAgainstFunctions(t *testing.T) {
	t.Parallel()
	written := emitted(t)
	if len(written) < 15 {
		t.Errorf("only %d metrics were found: %v", len(written), written)
	}
	for form, tree := range forms(t) {
		for _, f := range checkShown(mustResolve(t, tree, nil), written) {
			t.Errorf("%s: %s", form, f)
		}
	}
}

// D8: a widget of something that nobody writes, one in the wrong form, and a
// metric that nobody shows are named.
func TestD8_WhatIsNotWrittenIsNamed(t *testing.T) {
	t.Parallel()
	written := emitted(t)
	for form, original := range forms(t) {
		for name, c := range map[string]struct {
			was, is string // in the dashboard's body
			change  func(map[string]map[shape]bool)
			says    string
		}{
			"written by nobody":      {`["Postern", "pending_items"]`, `["Postern", "pending_items"], ["Postern", "budget_stops"]`, nil, "shows budget_stops (plain)"},
			"searched in vain":       {`MetricName=\"deliveries\"`, `MetricName=\"landings\"`, nil, "shows landings (label)"},
			"a label that is none":   {`["Postern", "runs_failed"]`, `[{"expression": "SEARCH('{Postern,label} MetricName=\"runs_failed\"', 'Sum', 300)"}]`, nil, "shows runs_failed (label)"},
			"none that is a label":   {`["Postern", "runs_failed"]`, `["Postern", "refused"]`, nil, "shows refused (plain)"},
			"another expression":     {`SEARCH('{Postern,label} MetricName=\"refused\"'`, `FILL(m1`, nil, "is not read here"},
			"no filter":              {`"answered_not_woken"]`, `"answered_late"]`, nil, "shows answered_late, which no filter makes"},
			"D8's is gone":           {`["Postern", "model_cost", {"label": "models ($)"}], `, ``, nil, "does not show model_cost (D8)"},
			"a new one":              {"", "", func(m map[string]map[shape]bool) { m["new"] = map[shape]bool{plain: true} }, "metric new: shown is false"},
			"an old one in the list": {"", "", func(m map[string]map[shape]bool) { delete(m, "parked") }, "metric parked is named as not shown"},
		} {
			s := mustResolve(t, clone(original).(map[string]any), nil)
			p := s.Resources["Dashboard"].Properties
			body := text(p["DashboardBody"])
			if !strings.Contains(body, c.was) {
				t.Fatalf("%s: nothing to change", name)
			}
			p["DashboardBody"] = strings.Replace(body, c.was, c.is, 1)
			changed := maps.Clone(written)
			if c.change != nil {
				c.change(changed)
			}
			if found := strings.Join(checkShown(s, changed), "\n"); !strings.Contains(found, c.says) {
				t.Errorf("%s, %s: found %q, want it to name %q", form, name, found, c.says)
			}
		}
	}
}

// Metrics are read from the source as it is called.
func TestMetricsAreRead(t *testing.T) {
	t.Parallel()
	w := &emission{found: map[string]map[shape]bool{}}
	imports, err := w.file("x.go", []byte(`package x
import ("strings"; "github.com/postern-dev/postern/shared/store")
func f() {
	g.Count("with", s); g.Count("without", ""); b.Gauge("value", 1); t.Took("time", d); m.b.GaugeOf("of", 1, nil)
	strings.Count("a.b", "."); list.Count(); Count("not", "a method")
}`))
	if err != nil || len(imports) != 1 || imports[0] != "shared/store" {
		t.Fatal(imports, err)
	}
	for name, f := range map[string]shape{"with": labelled, "without": plain, "value": plain, "time": plain, "of": plain} {
		if !w.found[name][f] || len(w.found[name]) != 1 {
			t.Errorf("%s: %v", name, w.found[name])
		}
	}
	if len(w.found) != 5 {
		t.Errorf("%v", w.found)
	}
	if _, err := emittedBy(root, []string{"Nosuch"}); err == nil {
		t.Error("a function that is not there was read")
	}
}
