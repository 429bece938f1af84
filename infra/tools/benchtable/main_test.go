package main

import (
	"bytes"
	"strings"
	"testing"
)

const output = `goos: linux
pkg: github.com/postern-dev/postern/shared/domain/permission
BenchmarkEvaluateRead-2   	  100	       350.0 ns/op	       0 B/op	       0 allocs/op
BenchmarkEvaluateRead-2   	  100	       250.0 ns/op	       0 B/op	       0 allocs/op
BenchmarkEvaluateFull-16  	  100	      2500 ns/op	      96 B/op	       2 allocs/op
PASS
pkg: github.com/postern-dev/postern/tests/bench
BenchmarkItems/raise/stored=0-2         	 2000	 100000 ns/op	 50.0 cpu-µs/op
BenchmarkItems/raise/stored=10000-2     	 2000	 900000 ns/op	 90.0 cpu-µs/op
BenchmarkItems/raise/stored=1000000-2   	 2000	 110000 ns/op	 70.0 cpu-µs/op
BenchmarkRoundTrips/sessions=32-2   	 500	 6135405 ns/op	 163.0 trips/s
BenchmarkRoundTrips/sessions=32-2   	 500	 6135405 ns/op	 1163.0 trips/s
`

// Q6: each goal has its line, with the best of several runs.
func TestQ6_Table(t *testing.T) {
	t.Parallel()
	got, err := read(strings.NewReader(output))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := table(&out, got); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for what, want := range map[string]string{
		"permission decision, allow-listed read": "0.25 µs ≤ 0.30 µs met",
		"permission decision, full order":        "2.50 µs ≤ 2 µs MISSED",
		"its allocations":                        "0 ≤ 0.50 met",
		"raise beside the most stored items":     "1.10 x ≤ 1.20 x met",
		"the same, processor time":               "1.40 x ≤ 1.20 x MISSED",
		"approval round trips a second":          "1163 ≥ 1000 met",
		"a function's process start":             "not run ≤ 25 ms",
	} {
		found := false
		for _, l := range lines {
			found = found || strings.Contains(l, what) && strings.HasSuffix(strings.Join(strings.Fields(l), " "), want)
		}
		if !found {
			t.Errorf("no line %q ... %q in\n%s", what, want, out.String())
		}
	}
}
