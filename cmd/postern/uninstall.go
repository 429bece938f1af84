package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/cmd/postern/internal/stack"
)

// uninstalled is what an uninstallation did, or would do.
type uninstalled struct {
	Stack   string       `json:"stack"`
	Parts   int          `json:"parts"`   // resources of the stack
	Deleted bool         `json:"deleted"` // the stack is gone
	Secrets []string     `json:"secrets_deleted,omitempty"`
	Left    []stack.Left `json:"left"`
	Month   float64      `json:"month"` // dollars, of what is left
}

// uninstallTime is how long a deletion is waited for.
const uninstallTime = 30 * time.Minute

func uninstallCommand() *cobra.Command {
	var name string
	var yes, secrets bool
	c := &cobra.Command{Use: "uninstall --stack NAME", Short: "Delete a deployed stack, and say what stays and what that costs",
		Long: `Without --yes it deletes nothing: it says what the stack holds, what would stay
after its deletion, and what that costs a month.

With --yes it deletes the stack and waits for it. The table stays always: it
holds who allowed what, and nothing here deletes it (D7). With --secrets the
secrets that postern setup made go as well; they can be restored for 7 days.

It can be run again: of a stack that is gone it lists what is still there.`,
		Args: cobra.NoArgs}
	out := jsonFlag(c)
	c.Flags().StringVar(&name, "stack", "", "name of a deployed stack")
	c.Flags().BoolVar(&yes, "yes", false, "delete the stack")
	c.Flags().BoolVar(&secrets, "secrets", false, "with --yes: delete its secrets, too")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if name == "" {
			return usage("say which stack: --stack NAME")
		}
		if secrets && !yes {
			return usage("--secrets does nothing without --yes")
		}
		ctx, stop := context.WithTimeout(cmd.Context(), uninstallTime)
		defer stop()
		u, err := uninstall(ctx, name, yes, secrets, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		return out().value(u, func(o io.Writer) { u.print(o, yes) })
	}
	return c
}

func uninstall(ctx context.Context, name string, yes, secrets bool, progress io.Writer) (uninstalled, error) {
	u := uninstalled{Stack: name}
	cfg, err := stack.Config(ctx)
	if err != nil {
		return u, err
	}
	s, err := stack.Open(ctx, name)
	if u.Deleted = errors.Is(err, stack.ErrNone); err != nil && !u.Deleted {
		return u, err
	}
	table := ""
	if s != nil {
		table = s.Outputs["TableName"]
		parts, err := s.Resources(ctx)
		if err != nil {
			return u, err
		}
		u.Parts = len(parts)
		if yes {
			fmt.Fprintf(progress, "deleting stack %s, %d parts...\n", name, u.Parts)
			if err := remove(ctx, s, progress); err != nil {
				return u, err
			}
			u.Deleted = true
		}
	}
	if secrets {
		if u.Secrets, err = stack.DeleteSecrets(ctx, cfg, name); err != nil {
			return u, err
		}
	}
	if u.Left, err = stack.LeftOf(ctx, cfg, name, table); err != nil {
		return u, err
	}
	for _, l := range u.Left {
		u.Month += l.Month
	}
	return u, nil
}

// remove deletes a stack and waits until it is gone.
func remove(ctx context.Context, s *stack.Stack, progress io.Writer) error {
	if err := s.Delete(ctx); err != nil {
		return err
	}
	for {
		done, err := s.Deleted(ctx)
		if done || err != nil {
			return err
		}
		if err := sleep(ctx, 3*time.Second); err != nil {
			return fmt.Errorf("stack %s is still being deleted: %w", s.Name, err)
		}
		fmt.Fprint(progress, ".")
	}
}

func (u uninstalled) print(o io.Writer, yes bool) {
	switch {
	case u.Deleted && !yes:
		fmt.Fprintf(o, "There is no stack %s.\n", u.Stack)
	case u.Deleted:
		fmt.Fprintf(o, "\nStack %s is deleted.\n", u.Stack)
	default:
		fmt.Fprintf(o, "Stack %s has %d parts, which --yes deletes: functions, queues, schedules, the API, logs, alarms.\n", u.Stack, u.Parts)
	}
	for _, x := range u.Secrets {
		fmt.Fprintf(o, "Secret %s is deleted; for 7 days it can be restored.\n", x)
	}
	if len(u.Left) == 0 {
		fmt.Fprintln(o, "Nothing is left.")
		return
	}
	fmt.Fprintf(o, "What stays, and costs about $%.2f a month:\n", u.Month)
	for _, l := range u.Left {
		fmt.Fprintf(o, "  %s %s: $%.2f; %s\n    to remove it: %s\n", l.What, l.Name, l.Month, l.Holds, l.Remove)
	}
}
