// Command benchtable prints what benchmarks measured beside their goals, from
// the output of go test -bench (Q6). It judges nothing but numbers: a missed
// goal is a line that says so.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: benchtable FILE")
		os.Exit(2)
	}
	f, err := os.Open(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchtable:", err)
		os.Exit(1)
	}
	defer f.Close()
	got, err := read(f)
	if err == nil {
		err = table(os.Stdout, got)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchtable:", err)
		os.Exit(1)
	}
}

// table prints a line for each goal.
func table(w io.Writer, got results) error {
	_, err := fmt.Fprintf(w, "\n%-62s %14s %14s  %s\n", "", "measured", "goal", "")
	for _, g := range goals {
		if err != nil {
			return err
		}
		x, ok := g.value(got)
		switch {
		case !ok:
			_, err = fmt.Fprintf(w, "%-62s %14s %14s\n", g.name, "not run", g.goal())
		case g.limit == 0:
			_, err = fmt.Fprintf(w, "%-62s %14s %14s\n", g.name, number(x)+g.unit, "")
		case g.met(x):
			_, err = fmt.Fprintf(w, "%-62s %14s %14s  met\n", g.name, number(x)+g.unit, g.goal())
		default:
			_, err = fmt.Fprintf(w, "%-62s %14s %14s  MISSED\n", g.name, number(x)+g.unit, g.goal())
		}
	}
	return err
}

func number(x float64) string {
	switch {
	case x >= 100 || x == float64(int64(x)):
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}
