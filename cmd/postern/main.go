// Command postern is the one program for people: run it on one's own machine,
// look into a deployment, answer, explain, replay (U11).
//
// Each file here is one command: it reads its flags, wires, and prints. What
// the commands do is in the packages under shared, and in internal where it is
// of this program alone.
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
	began := false
	c := root()
	c.PersistentPreRun = func(*cobra.Command, []string) { began = true }
	err := c.ExecuteContext(ctx)
	stop()
	if err == nil {
		return
	}
	if !errors.Is(err, errTold) {
		fmt.Fprintln(os.Stderr, "postern:", err)
	}
	os.Exit(codeOf(err, began))
}

func root() *cobra.Command {
	c := &cobra.Command{
		Use: "postern", Short: "A guarded door for AI agents",
		Long: "Postern decides who may start an agent's work, checks every tool call, asks the right person and takes the answer exactly once.\n\n" +
			"Exit codes: 0 done; 1 it did not work; 2 the command line is wrong; 3 it worked and found something (stuck, or somebody else was first); 4 not allowed.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	c.AddCommand(commands()...)
	return c
}
