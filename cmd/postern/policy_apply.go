package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/store"
)

func policyApply() *cobra.Command {
	c := &cobra.Command{Use: "apply FILE", Short: "Make a file the policy, after showing what changes",
		Long: `Shows what the file would change and which open tickets that touches, asks, and
saves it as the next version. It is saved only if the version in force is still
the one that was compared, or the one that --was names (G32): exit code 3 if
somebody else saved one meanwhile.`,
		Args: cobra.ExactArgs(1)}
	apply := applyFlags(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		is, text, err := policyFrom(args[0])
		if err != nil {
			return err
		}
		return apply(cmd, func(context.Context, *place) (policy.Policy, string, error) { return is, string(text), nil })
	}
	return c
}

func policyRevert() *cobra.Command {
	var n int64
	c := &cobra.Command{Use: "revert VERSION", Short: "Make an older version the policy again, as a new one", Args: func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage("say which version; postern policy history lists them")
		}
		if _, err := fmt.Sscan(args[0], &n); err != nil || n < 1 {
			return usage("%s is no version", args[0])
		}
		return nil
	}}
	apply := applyFlags(c)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		return apply(cmd, func(ctx context.Context, p *place) (policy.Policy, string, error) {
			v, err := saved(ctx, p, n)
			return v.Policy, v.Source, err
		})
	}
	return c
}

// applyFlags gives a command what it takes to save a policy.
func applyFlags(c *cobra.Command) func(*cobra.Command, func(context.Context, *place) (policy.Policy, string, error)) error {
	var was int64
	var yes bool
	out, w := jsonFlag(c), whereFlags(c)
	c.Flags().Int64Var(&was, "was", 0, "save only if this version is in force")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return func(cmd *cobra.Command, read func(context.Context, *place) (policy.Policy, string, error)) error {
		ctx := cmd.Context()
		return w.at(ctx, func(p *place) error {
			is, text, err := read(ctx, p)
			if err != nil {
				return err
			}
			l, v, err := planned(ctx, p, is)
			if err != nil {
				return err
			}
			if was != 0 && was != v.Version {
				return finding("version %d is in force, not %d: somebody saved another; look at postern policy diff again", v.Version, was)
			}
			if len(l.Changes) == 0 && text == v.Source {
				return out().value(map[string]any{"version": v.Version, "plan": l}, l.print)
			}
			if !yes {
				l.print(cmd.ErrOrStderr())
				if !agrees(cmd.InOrStdin(), cmd.ErrOrStderr(), "Save it?") {
					return &exit{exitFailed, fmt.Errorf("nothing was saved")}
				}
			}
			is.Paused = v.Policy.Paused
			next, err := save(ctx, p, v, is, text, strings.Join(l.Changes, "; "))
			if err != nil {
				return err
			}
			return out().value(map[string]any{"version": next, "plan": l}, func(o io.Writer) {
				if yes {
					l.print(o)
				}
				fmt.Fprintf(o, "Saved as version %d. It holds from the next message on.\n", next)
			})
		})
	}
}

// save writes the next version, conditional on the one that was read (G32).
func save(ctx context.Context, p *place, was version, is policy.Policy, text, why string) (int64, error) {
	by, at, id := p.who(ctx), now(), newID()
	actions, err := store.SavePolicy(was.Version, is, text, by.Ref(), at)
	if err != nil {
		return 0, err
	}
	lost, err := p.Do(ctx, id, append(actions, store.NewAudit(store.Audit{ID: id, Chain: "policy", What: "policy", Actor: by, Via: "cli",
		Policy: was.Version + 1, Was: fmt.Sprint(was.Version), Is: fmt.Sprint(was.Version + 1), Reason: short(why, 1000), At: at}))...)
	if err != nil {
		return 0, err
	}
	if lost != nil {
		return 0, finding("somebody saved another version meanwhile; nothing was saved; look at postern policy diff again")
	}
	return was.Version + 1, nil
}

// agrees asks on the terminal; anything but a yes is a no.
func agrees(in io.Reader, out io.Writer, question string) bool {
	fmt.Fprintf(out, "%s [y/N] ", question)
	line, _ := bufio.NewReader(in).ReadString('\n')
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes"
}
