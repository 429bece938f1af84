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
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// errTold ends the program without another word: the command said why itself.
var errTold = errors.New("told")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run runs one command line and gives its exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	began := false
	c := root()
	notice(c, &began)
	c.SetArgs(args)
	c.SetIn(in)
	c.SetOut(out)
	c.SetErr(errs)
	err := c.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if !errors.Is(err, errTold) {
		fmt.Fprintln(errs, "postern:", err)
	}
	return codeOf(err, began)
}

// notice says in began when a command's own work begins: errors before are of
// the command line.
func notice(c *cobra.Command, began *bool) {
	for _, sub := range c.Commands() {
		notice(sub, began)
	}
	if f := c.RunE; f != nil {
		c.RunE = func(cmd *cobra.Command, args []string) error {
			*began = true
			return f(cmd, args)
		}
	}
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
