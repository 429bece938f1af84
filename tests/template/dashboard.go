package template

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

// namespace is that of all metrics that the functions write.
const namespace = "Postern"

// logsOnly are the metrics that no widget shows: what ordinary work is, or what
// another widget says already.
var logsOnly = map[string]bool{"dropped": true, "duplicates": true, "parked": true, "shown": true, "sessions_elsewhere": true}

// asked are D8's metrics. Budget stops come with the budgets (W7).
var asked = []string{"deliveries", "admitted", "decisions", "pending_items", "decided_to_woken", "undelivered", "reconciler_finds", "model_cost"}

// metric is what a widget shows of ours.
type metric struct {
	Namespace, Name string
	Shape           shape
}

var searched = regexp.MustCompile(`^SEARCH\('\{(Postern),label\} MetricName="([a-z_]+)"'`)

// shownMetrics reads the metrics of ours that a dashboard's body shows.
func shownMetrics(body string) (map[metric]bool, error) {
	var d struct {
		Widgets []struct{ Properties struct{ Metrics [][]any } }
	}
	if err := json.Unmarshal([]byte(body), &d); err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	shown := map[metric]bool{}
	for _, w := range d.Widgets {
		for _, line := range w.Properties.Metrics {
			if options, ok := line[0].(map[string]any); ok {
				expression, _ := options["expression"].(string)
				m := searched.FindStringSubmatch(expression)
				if m == nil {
					return nil, fmt.Errorf("dashboard: %q is not read here", expression)
				}
				shown[metric{m[1], m[2], labelled}] = true
				continue
			}
			if ns := text(line[0]); ns == namespace || ns == stackNamespace {
				shown[metric{ns, text(line[1]), plain}] = true
			}
		}
	}
	return shown, nil
}

// filtered are the metrics that are read from the stack's own log lines.
func (s *Stack) filtered() map[string]bool {
	made := map[string]bool{}
	for _, id := range s.ofType("AWS::Logs::MetricFilter") {
		list, _ := s.Resources[id].Properties["MetricTransformations"].([]any)
		for _, e := range list {
			m, _ := e.(map[string]any)
			made[text(m["MetricName"])] = text(m["MetricNamespace"]) == stackNamespace
		}
	}
	return made
}

// checkShown: whatever the dashboard shows is written by a function, in the shape
// in which it is shown; whatever a function writes is shown or named as one
// that is not; D8's are all there.
func checkShown(s *Stack, emitted map[string]map[shape]bool) []finding {
	shown, err := shownMetrics(text(s.Resources["Dashboard"].Properties["DashboardBody"]))
	if err != nil {
		return []finding{err.Error()}
	}
	var bad []finding
	is, filtered := map[string]bool{}, s.filtered()
	for m := range shown {
		is[m.Name] = true
		switch {
		case m.Namespace == stackNamespace && !filtered[m.Name]:
			bad = append(bad, "the dashboard shows "+m.Name+", which no filter makes")
		case m.Namespace == namespace && !emitted[m.Name][m.Shape]:
			bad = append(bad, fmt.Sprintf("the dashboard shows %s (%s), which no function writes so", m.Name, m.Shape))
		}
	}
	for name := range emitted {
		if is[name] == logsOnly[name] {
			bad = append(bad, fmt.Sprintf("metric %s: shown is %v, named as not shown is %v", name, is[name], logsOnly[name]))
		}
	}
	for name := range logsOnly {
		if emitted[name] == nil {
			bad = append(bad, "metric "+name+" is named as not shown, and no function writes it")
		}
	}
	for _, name := range asked {
		if !is[name] {
			bad = append(bad, "the dashboard does not show "+name+" (D8)")
		}
	}
	slices.Sort(bad)
	return slices.Compact(bad)
}
