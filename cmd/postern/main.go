// Command postern is the one program for people: run it on one's own machine,
// look into a deployment, answer, explain, replay (U11).
//
// Each file here is one command: it reads its flags, wires, and prints. What
// the commands do is in the packages under shared.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// errTold ends the program with code 1 after the command said why itself.
var errTold = errors.New("told")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := root().ExecuteContext(ctx); err != nil {
		if !errors.Is(err, errTold) {
			fmt.Fprintln(os.Stderr, "postern:", err)
		}
		stop()
		os.Exit(1)
	}
}

func root() *cobra.Command {
	c := &cobra.Command{
		Use: "postern", Short: "A guarded door for AI agents",
		Long:          "Postern decides who may start an agent's work, checks every tool call, asks the right person and takes the answer exactly once.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	c.AddCommand(commands()...)
	return c
}
