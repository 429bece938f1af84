package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/cmd/postern/internal/doctor"
)

func doctorCommand() *cobra.Command {
	var name, url, model string
	c := &cobra.Command{Use: "doctor", Short: "Check each connection and say what is missing, and what to do",
		Long: `Looks at a Postern's connections one by one, from the outside in: its address,
the three entrances, each platform by the stored credentials, the model, the
policy, the queues, the reconciler. It changes nothing and shows no secret.

It looks at a deployed stack with --stack, by your AWS credentials, or at a
postern dev that runs on this machine.

Each finding is ok, note (not known, or perhaps as you meant it) or wrong, with
what to do. Exit code 1 if something is wrong.`,
		Args: cobra.NoArgs}
	out, w := jsonFlag(c), whereFlags(c)
	c.Flags().StringVar(&name, "stack", "", "name of a deployed stack")
	c.Flags().StringVar(&url, "url", "", "the address to look at (default: the stack's output Panel, or that of postern dev)")
	c.Flags().StringVar(&model, "model", "", "model to ask, provider:model (default: the stack's own)")
	c.MarkFlagsMutuallyExclusive("stack", "dir")
	c.MarkFlagsMutuallyExclusive("stack", "table")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if w.table != "" {
			return usage("doctor looks at a whole deployment: name its stack with --stack")
		}
		t, done, err := target(cmd.Context(), name, w, strings.TrimSuffix(url, "/"), model)
		if err != nil {
			return err
		}
		defer done()
		p, all := out(), []doctor.Finding{}
		wrong := doctor.Run(cmd.Context(), t, func(f doctor.Finding) {
			all = append(all, f)
			if !p.json {
				printFinding(p.w, f)
			}
		})
		if err := cmd.Context().Err(); err != nil {
			return err
		}
		err = p.value(map[string]any{"url": t.URL, "wrong": wrong, "findings": all}, func(o io.Writer) {
			if wrong == 0 {
				fmt.Fprintln(o, "Nothing is wrong.")
			} else {
				fmt.Fprintf(o, "%d wrong.\n", wrong)
			}
		})
		if err == nil && wrong > 0 {
			err = told(exitFailed)
		}
		return err
	}
	return c
}

func printFinding(o io.Writer, f doctor.Finding) {
	mark := map[doctor.Level]string{doctor.OK: "ok   ", doctor.Note: "note ", doctor.Wrong: "WRONG"}[f.Level]
	fmt.Fprintf(o, "%s  %s\n", mark, f.Says)
	if f.Do != "" {
		fmt.Fprintf(o, "       %s\n", f.Do)
	}
}
