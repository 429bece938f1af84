package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/flow/wake"
)

func wakeCommand() *cobra.Command {
	var due bool
	c := &cobra.Command{Use: "wake --due", Short: "Fire the wakes whose time has come",
		Long: `Fires every wake past due, each once, by the same path as its schedule. It is the
ticker where schedules do not fire; where they do, it finds nothing or does what
they were about to do (W2).`,
		Args: cobra.NoArgs}
	out, w := jsonFlag(c), whereFlags(c)
	c.Flags().BoolVar(&due, "due", false, "those past due (the only form there is)")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if !due {
			return usage("say --due")
		}
		return w.at(cmd.Context(), func(p *place) error {
			n, err := fireDue(cmd.Context(), p)
			if err != nil {
				return err
			}
			return out().value(map[string]int{"fired": n}, func(o io.Writer) { fmt.Fprintf(o, "%d fired.\n", n) })
		})
	}
	return c
}

// fireDue fires what is past due until a look finds nothing to fire.
func fireDue(ctx context.Context, p *place) (int, error) {
	waker := &wake.Waker{Store: p.Store, Resolver: &resolve.Resolver{Store: p.Store, Now: now, NewID: newID}, Now: now, NewID: newID,
		Log: slog.New(slog.DiscardHandler), Count: func(string, string) {}}
	for n := 0; ; {
		found, err := p.Overdue(ctx, "wake", now(), 100)
		if err != nil {
			return n, err
		}
		before := n
		for _, x := range found {
			fired, err := waker.Fire(ctx, x.SessionOf(), strings.TrimPrefix(x.Key.SK, "wake#"))
			if err != nil {
				return n, err
			}
			if fired {
				n++
			}
		}
		if n == before {
			return n, nil
		}
	}
}
