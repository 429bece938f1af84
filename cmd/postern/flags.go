package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
)

// output is where a command prints to, and how: for people, or one JSON value
// per line (U11).
type output struct {
	w    io.Writer
	json bool
}

// jsonFlag gives a command its --json. It is made when the command
// runs.
func jsonFlag(c *cobra.Command) func() output {
	var on bool
	c.Flags().BoolVar(&on, "json", false, "print JSON")
	return func() output { return output{w: c.OutOrStdout(), json: on} }
}

// value prints one value: v as JSON, or what human prints.
func (p output) value(v any, human func(w io.Writer)) error {
	if !p.json {
		human(p.w)
		return nil
	}
	enc := json.NewEncoder(p.w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// rows prints a list: a JSON array, or a table with a head; none says so.
func rows[T any](p output, list []T, none string, head string, row func(T) []string) error {
	if list == nil {
		list = []T{}
	}
	return p.value(list, func(w io.Writer) {
		if len(list) == 0 {
			fmt.Fprintln(w, none)
			return
		}
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, head)
		for _, x := range list {
			fmt.Fprintln(t, strings.Join(row(x), "\t"))
		}
		_ = t.Flush() // the terminal is gone: nobody reads
	})
}

// when is a time as people read it here: their own zone, to the minute.
func when(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	if t.Year() > 9000 {
		return "never"
	}
	return t.Local().Format("2006-01-02 15:04")
}

// short cuts a text to n characters of one line.
func short(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
