package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/shared/domain/permission"
)

// explained is a decision with its steps (P19).
type explained struct {
	Tool      string  `json:"tool"`
	Outcome   string  `json:"outcome"`
	Reason    string  `json:"reason"`
	By        string  `json:"by"`
	Base      string  `json:"base"`
	Effective string  `json:"effective"`
	Target    string  `json:"target"`
	Digest    string  `json:"digest"`
	Steps     []stepL `json:"steps"`
}

type stepL struct {
	Rule    string `json:"rule"`
	Name    string `json:"name"`
	Reached bool   `json:"reached"`
	Hit     bool   `json:"hit"`
	Why     string `json:"why"`
}

func explainCommand() *cobra.Command {
	var server, overrides string
	var roots []string
	s := permission.State{Session: "explain"}
	c := &cobra.Command{Use: "explain TOOL ARGS", Short: "Say what would be decided on a tool call, and why",
		Long: `Evaluates a call without effect and prints each step of the order (P13) with why
it did or did not hit. ARGS is a JSON file, - for standard input, or the JSON
itself.`,
		Example: `  postern explain Bash '{"command":"ls"}' --mode auto`,
		Args:    cobra.ExactArgs(2)}
	out := jsonFlag(c)
	c.Flags().StringVar((*string)(&s.Mode), "mode", string(permission.Interactive), "permission mode: discuss, plan, interactive, custom, auto")
	c.Flags().BoolVar(&s.Unattended, "unattended", false, "as in a session that nobody sits at")
	c.Flags().StringVar(&server, "server", "", "the MCP server, if the tool is one's")
	c.Flags().StringArrayVar(&roots, "root", nil, "a writable folder; may be repeated")
	c.Flags().StringVar(&overrides, "overrides", "", "TOML file of overrides")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		switch s.Mode {
		case permission.Discuss, permission.Plan, permission.Interactive, permission.Custom, permission.Auto:
		default:
			return usage("--mode %s: it takes discuss, plan, interactive, custom or auto", s.Mode)
		}
		raw, err := arguments(cmd.InOrStdin(), args[1])
		if err != nil {
			return err
		}
		if overrides != "" {
			text, err := os.ReadFile(overrides)
			if err != nil {
				return err
			}
			if s.Overrides, err = permission.ParseOverrides(overrides, string(text)); err != nil {
				return err
			}
		}
		for _, r := range roots {
			full, err := filepath.Abs(r)
			if err != nil {
				return err
			}
			s.Roots = append(s.Roots, permission.Root{Path: filepath.ToSlash(full), Writable: true})
		}
		call, err := permission.NewCall(server, args[0], raw)
		if err != nil {
			return fmt.Errorf("the call cannot be read: %w", err)
		}
		s.Now = now()
		d, steps := permission.Explain(call, s)
		e := explained{Tool: call.Name(), Outcome: string(d.Outcome), Reason: d.Reason, By: d.By.String(), Base: string(d.Base),
			Effective: string(d.Effective), Target: d.Target, Digest: d.Digest}
		for _, st := range steps {
			e.Steps = append(e.Steps, stepL{st.Rule, st.Name, st.Reached, st.Hit, st.Why})
		}
		return out().value(e, e.print)
	}
	return c
}

func (e explained) print(o io.Writer) {
	class := e.Base
	if e.Effective != e.Base {
		class += ", by an override " + e.Effective
	}
	fmt.Fprintf(o, "%s (%s): %s\n%s; decided by %s\n\n", e.Tool, class, e.Outcome, e.Reason, e.By)
	t := tabwriter.NewWriter(o, 0, 4, 2, ' ', 0)
	for _, s := range e.Steps {
		mark := " "
		switch {
		case s.Hit:
			mark = "*"
		case !s.Reached:
			mark = "-"
		}
		fmt.Fprintf(t, "%s %s\t%s\t%s\n", mark, s.Rule, s.Name, s.Why)
	}
	_ = t.Flush()
}

// arguments reads a call's arguments: JSON itself, standard input, or a file.
func arguments(in io.Reader, arg string) ([]byte, error) {
	switch {
	case strings.HasPrefix(strings.TrimSpace(arg), "{"):
		return []byte(arg), nil
	case arg == "-":
		return io.ReadAll(io.LimitReader(in, 1<<20))
	}
	return os.ReadFile(arg)
}
