package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/cmd/postern/internal/setup"
	"github.com/postern-dev/postern/cmd/postern/internal/stack"
)

// settled is what setup did.
type settled struct {
	setup.Result
	Parameter string `json:"parameter"` // of the stack, that wants the ARN
	Restarted bool   `json:"restarted"` // its functions read the secret again
}

func setupCommand() *cobra.Command {
	var name, api string
	var only bool
	c := &cobra.Command{Use: "setup CONNECTOR --stack NAME", Short: "Ask for a connector's keys and store them for a deployed stack",
		Long: `Asks for what the secret of a connector holds (slack, feishu, github or model)
and stores it in AWS Secrets Manager, with your credentials. The answers go
there and nowhere else: not to a disk, not into a command line, not on the
screen. An empty answer keeps what is stored.

For a connector that is new it first shows what to do at the platform, with the
deployment's address put in. It prints the parameter of the stack that wants the
secret's ARN; make deploy passes it on.

A signing secret that is replaced stays accepted beside the new one until setup
is told to end that (D3), and the functions that hold the secret read it again.
--restart does only that.`,
		ValidArgs: setup.Names,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs)}
	out := jsonFlag(c)
	c.Flags().StringVar(&name, "stack", "", "name of a deployed stack")
	c.Flags().StringVar(&api, "api", "", "address of the platform's API where it is not the usual one, as of GitHub Enterprise Server")
	c.Flags().BoolVar(&only, "restart", false, "ask nothing; make the functions read the secret again")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if name == "" {
			return usage("say which stack: --stack NAME")
		}
		s, err := stack.Open(cmd.Context(), name)
		if errors.Is(err, stack.ErrNone) {
			return fmt.Errorf("%w; make deploy makes one, and then asks for this", err)
		}
		if err != nil {
			return err
		}
		done := settled{Parameter: setup.Connectors[args[0]].Parameter, Result: setup.Result{Connector: args[0]}}
		if only {
			done.ARN = s.Parameters[done.Parameter]
		} else if done.Result, err = askFor(cmd, s, args[0], api); err != nil {
			return err
		}
		// A stack that does not use the secret yet reads it when it is deployed.
		if uses := s.Parameters[done.Parameter] != "" && s.Parameters[done.Parameter] == done.ARN; uses && (only || done.Changed) {
			if err := s.Restart(cmd.Context(), args[0], now()); err != nil {
				return err
			}
			done.Restarted = true
		} else if only {
			return fmt.Errorf("stack %s does not use a secret for %s", name, args[0])
		}
		return out().value(done, func(o io.Writer) { fmt.Fprintf(o, "%s=%s\n", done.Parameter, done.ARN) })
	}
	return c
}

func askFor(cmd *cobra.Command, s *stack.Stack, connector, api string) (setup.Result, error) {
	c := setup.Connectors[connector]
	url, err := s.Output("Panel")
	if err != nil {
		return setup.Result{}, err
	}
	where := or(s.Parameters[c.Parameter], s.Name+"/"+connector)
	vault := setup.Manager{Client: secretsmanager.NewFromConfig(s.AWS), Tag: stack.Tag, Value: s.Name}
	return setup.Ask(cmd.Context(), &setup.Terminal{In: cmd.InOrStdin(), Out: cmd.ErrOrStderr()}, vault, c, where, strings.TrimSuffix(url, "/"), api)
}
