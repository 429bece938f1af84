package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/cmd/postern/internal/stack"
	"github.com/postern-dev/postern/shared/local/queue"
)

// stackStatus gives the status command --stack: the same look at the table,
// and what the stack's queues hold.
func stackStatus(c *cobra.Command) *cobra.Command {
	var name string
	c.Flags().StringVar(&name, "stack", "", "name of a deployed stack")
	c.MarkFlagsMutuallyExclusive("stack", "dir")
	c.MarkFlagsMutuallyExclusive("stack", "table")
	of := c.RunE
	c.Long = strings.Replace(c.Long, "The depths of a deployment's queues are on its dashboard.", "With --stack it counts the queues as well.", 1)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if name == "" {
			return of(cmd, args)
		}
		asJSON, err := cmd.Flags().GetBool("json")
		if err != nil {
			return err
		}
		h, err := lookAtStack(cmd.Context(), name)
		if err != nil {
			return err
		}
		if err := (output{cmd.OutOrStdout(), asJSON}).value(h, func(o io.Writer) { h.printStack(o) }); err != nil {
			return err
		}
		if len(h.Stuck) > 0 {
			return told(exitFinding)
		}
		return nil
	}
	return c
}

// stackHealth is the health of a deployed stack.
type stackHealth struct {
	health
	Stack      string    `json:"stack"`
	State      string    `json:"state"` // CloudFormation's
	Reconciled time.Time `json:"reconciled,omitzero"`
	DeadStream int       `json:"dead_stream"`
}

func lookAtStack(ctx context.Context, name string) (stackHealth, error) {
	x := stackHealth{Stack: name}
	s, err := stack.Open(ctx, name)
	if err != nil {
		return x, err
	}
	x.State = s.Status
	table, err := s.Output("TableName")
	if err != nil {
		return x, err
	}
	if err := (&where{table: table}).at(ctx, func(p *place) error { x.health, err = look(ctx, p); return err }); err != nil {
		return x, err
	}
	depths, err := s.Depths(ctx)
	if err != nil {
		return x, err
	}
	x.Queues = map[string]queue.Depth{}
	for _, q := range stack.Names {
		d := depths[q]
		if q == stack.Dispatch {
			x.DeadStream = d.Dead
			continue
		}
		x.Queues[q] = queue.Depth{Ready: d.Ready, InFlight: d.InFlight, Delayed: d.Delayed, Dead: d.Dead}
		if d.Dead > 0 {
			x.Stuck = append(x.Stuck, fmt.Sprintf("%d messages of %s are dead letters: docs/operations.md#dead-letters-%s, then postern redrive %s --stack %s", d.Dead, q, q, q, name))
		}
	}
	if x.DeadStream > 0 {
		x.Stuck = append(x.Stuck, fmt.Sprintf("%d stream records were given up: docs/operations.md#dead-letters-dispatch, then postern redrive dispatch --stack %s", x.DeadStream, name))
	}
	x.Reconciled, err = s.Reconciled(ctx, now().Add(-20*time.Minute))
	if err != nil {
		return x, err
	}
	if now().Sub(x.Reconciled) > 15*time.Minute && now().Sub(s.Created) > 15*time.Minute {
		x.Stuck = append(x.Stuck, "the reconciler did not run for 15 minutes: docs/operations.md#reconciler-silent")
	}
	return x, nil
}

func (x stackHealth) printStack(o io.Writer) {
	fmt.Fprintf(o, "stack %s: %s; the reconciler ran %s\n", x.Stack, x.State, when(x.Reconciled))
	x.print(o)
}
