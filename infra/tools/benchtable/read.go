package main

import (
	"bufio"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// results is the best value of each metric of each benchmark, by
// "package.Benchmark" and unit: the best, since noise only makes things worse.
type results map[string]map[string]float64

var procs = regexp.MustCompile(`-\d+$`)

// higher are the units of which more is better.
var higher = map[string]bool{"trips/s": true, "MB/s": true}

// read takes the output of go test -bench.
func read(r io.Reader) (results, error) {
	out, pkg := results{}, ""
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		if p, ok := strings.CutPrefix(line, "pkg: "); ok {
			pkg = p[strings.LastIndexByte(p, '/')+1:]
			continue
		}
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		name := pkg + "." + procs.ReplaceAllString(strings.TrimPrefix(f[0], "Benchmark"), "")
		if out[name] == nil {
			out[name] = map[string]float64{}
		}
		for i := 2; i+1 < len(f); i += 2 {
			x, err := strconv.ParseFloat(f[i], 64)
			if err != nil {
				break // a line cut short
			}
			unit := f[i+1]
			if was, seen := out[name][unit]; !seen || (x < was) != higher[unit] {
				out[name][unit] = x
			}
		}
	}
	return out, lines.Err()
}
