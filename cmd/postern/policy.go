package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/cmd/postern/internal/change"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/ticket"
)

func policyCommand() *cobra.Command {
	c := &cobra.Command{Use: "policy", Short: "Who may start work, who may answer: show, compare, change"}
	c.AddCommand(policyShow(), policyDiff(), policyApply(), policyRevert(), policyHistory())
	return c
}

// version is one saved policy.
type version struct {
	Version int64         `json:"version"`
	By      string        `json:"by"`
	At      time.Time     `json:"at,omitzero"`
	Policy  policy.Policy `json:"policy"`
	Source  string        `json:"source"` // the text it was made from, comments and all
}

// saved reads the version in force (0) or an older one.
func saved(ctx context.Context, p *place, n int64) (version, error) {
	pol, err := p.Policy(ctx)
	if err != nil {
		return version{}, err
	}
	if n == 0 {
		n = pol.Version
	}
	rows, err := p.PolicyHistory(ctx, 0)
	if err != nil {
		return version{}, err
	}
	for _, r := range rows {
		if r.Version == n {
			v := version{Version: n, By: r.By, At: r.At, Source: r.Source}
			if err := json.Unmarshal([]byte(r.Text), &v.Policy); err != nil {
				return v, fmt.Errorf("policy version %d: %w", n, err)
			}
			v.Policy.Version = n
			return v, nil
		}
	}
	if n == 0 {
		return version{Policy: pol}, nil // none was ever saved: nobody is listed
	}
	return version{}, fmt.Errorf("there is no version %d of the policy; postern policy history lists them", n)
}

func policyShow() *cobra.Command {
	var n int64
	c := &cobra.Command{Use: "show", Short: "Print the policy in force, or an older version", Args: cobra.NoArgs}
	out, w := jsonFlag(c), whereFlags(c)
	c.Flags().Int64Var(&n, "version", 0, "an older version")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		return w.at(cmd.Context(), func(p *place) error {
			v, err := saved(cmd.Context(), p, n)
			if err != nil {
				return err
			}
			return out().value(v, func(o io.Writer) {
				fmt.Fprintf(o, "# version %d, saved %s by %s\n", v.Version, when(v.At), or(v.By, "nobody"))
				if len(v.Policy.Paused) > 0 {
					fmt.Fprintf(o, "# paused: %s\n", strings.Join(v.Policy.Paused, ", "))
				}
				fmt.Fprint(o, v.Source)
			})
		})
	}
	return c
}

// plan is what a new policy would change.
type plan struct {
	From     int64    `json:"from"` // the version in force
	Changes  []string `json:"changes"`
	Affected []string `json:"affected"` // open tickets
	Warnings []string `json:"warnings"`
}

func (l plan) print(o io.Writer) {
	if len(l.Changes) == 0 {
		fmt.Fprintf(o, "Nothing would change: version %d does the same.\n", l.From)
	}
	list(o, "Against version "+fmt.Sprint(l.From)+":", l.Changes)
	list(o, "Open tickets that are touched:", l.Affected)
	list(o, "Mind:", l.Warnings)
}

func list(o io.Writer, head string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintln(o, head)
	for _, l := range lines {
		fmt.Fprintln(o, "  "+l)
	}
}

func planned(ctx context.Context, p *place, is policy.Policy) (plan, version, error) {
	was, err := saved(ctx, p, 0)
	if err != nil {
		return plan{}, was, err
	}
	tickets, err := pages(func(cursor string) ([]ticket.Ticket, string, error) { return p.Tickets(ctx, cursor, 500) })
	if err != nil {
		return plan{}, was, err
	}
	is.Paused = was.Policy.Paused // not in the file: pausing is its own command
	return plan{From: was.Version, Changes: some(change.Words(was.Policy, is)), Affected: some(change.Affected(is, tickets)),
		Warnings: some(is.Warnings())}, was, nil
}

func some(list []string) []string {
	if list == nil {
		return []string{} // [] in JSON, not null
	}
	return list
}

func policyDiff() *cobra.Command {
	c := &cobra.Command{Use: "diff FILE", Short: "Say in words what a file would change", Args: cobra.ExactArgs(1)}
	out, w := jsonFlag(c), whereFlags(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		is, _, err := policyFrom(args[0])
		if err != nil {
			return err
		}
		return w.at(cmd.Context(), func(p *place) error {
			l, _, err := planned(cmd.Context(), p, is)
			if err != nil {
				return err
			}
			return out().value(l, l.print)
		})
	}
	return c
}

func policyHistory() *cobra.Command {
	var limit int
	c := &cobra.Command{Use: "history", Short: "List saved versions, newest first", Args: cobra.NoArgs}
	out, w := jsonFlag(c), whereFlags(c)
	c.Flags().IntVar(&limit, "limit", 50, "how many")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		type entry struct {
			Version int64     `json:"version"`
			By      string    `json:"by"`
			At      time.Time `json:"at"`
		}
		return w.at(cmd.Context(), func(p *place) error {
			saved, err := p.PolicyHistory(cmd.Context(), limit)
			if err != nil {
				return err
			}
			var l []entry
			for _, r := range saved {
				l = append(l, entry{r.Version, r.By, r.At})
			}
			return rows(out(), l, "No policy was ever saved.", "VERSION\tSAVED\tBY", func(e entry) []string {
				return []string{fmt.Sprint(e.Version), when(e.At), e.By}
			})
		})
	}
	return c
}
