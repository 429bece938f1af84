package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/shared/domain/policy"
)

func pauseCommand() *cobra.Command {
	return pausing("pause", "Let a Source, or all, start nothing for now",
		"A paused Source receives and keeps, and starts nothing; answers are still taken (G51). It is saved as a new version of the policy.",
		func(paused []string, name string) []string {
			if slices.Contains(paused, name) {
				return paused
			}
			return append(slices.Clone(paused), name)
		})
}

func unpauseCommand() *cobra.Command {
	return pausing("unpause", "Let a Source, or all, go on",
		"What was kept goes on in order (G51). unpause all ends every pause.",
		func(paused []string, name string) []string {
			if name == policy.All {
				return nil
			}
			return slices.DeleteFunc(slices.Clone(paused), func(s string) bool { return s == name })
		})
}

func pausing(verb, short, long string, change func(paused []string, name string) []string) *cobra.Command {
	c := &cobra.Command{Use: verb + " SOURCE|all", Short: short, Long: long, Args: cobra.ExactArgs(1)}
	out, w := jsonFlag(c), whereFlags(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		return w.at(cmd.Context(), func(p *place) error {
			v, err := saved(cmd.Context(), p, 0)
			if err != nil {
				return err
			}
			if _, ok := v.Policy.Source(args[0]); !ok && args[0] != policy.All {
				return fmt.Errorf("the policy has no Source %q; it has %s, and all", args[0], strings.Join(names(v.Policy), ", "))
			}
			is := v.Policy
			is.Paused = change(v.Policy.Paused, args[0])
			n := v.Version
			if !slices.Equal(is.Paused, v.Policy.Paused) {
				if n, err = save(cmd.Context(), p, v, is, v.Source, verb+" "+args[0]); err != nil {
					return err
				}
			}
			return out().value(map[string]any{"version": n, "paused": some(is.Paused)}, func(o io.Writer) {
				fmt.Fprintf(o, "Paused now: %s (policy version %d)\n", or(strings.Join(is.Paused, ", "), "nothing"), n)
				if verb == "unpause" && is.IsPaused(args[0]) {
					fmt.Fprintf(o, "%s is still paused, by all.\n", args[0])
				}
			})
		})
	}
	return c
}

func names(p policy.Policy) []string {
	var out []string
	for _, s := range p.Sources {
		out = append(out, s.Name)
	}
	return out
}
