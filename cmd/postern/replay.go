package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/cmd/postern/internal/event"
	"github.com/postern-dev/postern/cmd/postern/internal/replay"
	devpolicy "github.com/postern-dev/postern/infra/policy"
	"github.com/postern-dev/postern/shared/domain/policy"
)

func replayCommand() *cobra.Command {
	var policyFile, secretsFile string
	var noVerify, captured bool
	c := &cobra.Command{Use: "replay FILE...", Short: "Feed captured deliveries to the gate, offline",
		Long: `Feeds event files to the real entrances and the real gate in this process and
prints what each becomes, with the reason. The files of one call are one
history, in order: a thread whose ticket was accepted has one, and a second copy
of a delivery says so.

Signatures are verified by the development secrets, or those of --secrets, and
by today's clock: a file signed long ago is stale. postern sign signs one anew,
--captured judges each file at its own time, --no-verify skips the check.

Exit code 0 if every file could be replayed, whatever the gate decided.`,
		Args: cobra.MinimumNArgs(1)}
	out := jsonFlag(c)
	c.Flags().StringVar(&policyFile, "policy", "", "policy.yaml to judge by (default: the development policy)")
	c.Flags().StringVar(&secretsFile, "secrets", "", "JSON file of secrets to verify with (default: the development secrets)")
	c.Flags().BoolVar(&noVerify, "no-verify", false, "take every delivery as rightly signed and fresh")
	c.Flags().BoolVar(&captured, "captured", false, "judge each file at the time it was captured")
	c.RunE = func(cmd *cobra.Command, files []string) error {
		cfg := replay.Config{Now: func() time.Time { return time.Now().UTC() }, Captured: captured, Unverified: noVerify}
		var err error
		if cfg.Policy, _, err = policyFrom(policyFile); err != nil {
			return err
		}
		if cfg.Secrets, err = secretsFrom(secretsFile); err != nil {
			return err
		}
		r, err := replay.Open(cmd.Context(), cfg)
		if err != nil {
			return err
		}
		defer r.Close()
		failed := false
		for _, name := range files {
			raw, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			l := r.File(cmd.Context(), name, raw)
			failed = failed || l.Failed()
			if err := out().value(l, func(w io.Writer) { printLine(w, l) }); err != nil {
				return err
			}
		}
		if failed {
			return told(exitFailed)
		}
		return nil
	}
	return c
}

func printLine(w io.Writer, l replay.Line) {
	fmt.Fprintf(w, "%s\n  %d %s\n", l.File, l.Status, l.Event)
	if t := l.Trigger; t != nil {
		fmt.Fprintf(w, "  trigger   %s %s, %s %s, named: %s\n", or(t.Source, "no source"), t.Thread, t.Sender.Kind, or(t.Sender.ID, "-"), t.Named)
		fmt.Fprintf(w, "            %q\n", short(t.Text, 100))
	}
	if r := l.Resolution; r != nil {
		fmt.Fprintf(w, "  answer    %s to item %s by %s\n", r.Choice, r.Item, r.Actor)
	}
	if a := l.Admission; a != nil {
		fmt.Fprintf(w, "  gate      %s: %s\n", a.Strength, a.Reason)
		if l.Outcome != "" {
			fmt.Fprintf(w, "            %s\n", l.Outcome)
		}
	}
	switch e := l.Error; {
	case e != nil:
		fmt.Fprintf(w, "  %-9s %s\n", e.Code, e.Message)
	case l.Trigger == nil && l.Resolution == nil:
		fmt.Fprintln(w, "  answered; there is nothing in it to judge")
	}
}

// policyFrom reads a policy file; no name is the development policy.
func policyFrom(file string) (policy.Policy, []byte, error) {
	name, text := "dev.yaml", devpolicy.Dev
	if file != "" {
		var err error
		if text, err = os.ReadFile(file); err != nil {
			return policy.Policy{}, nil, err
		}
		name = filepath.Base(file)
	}
	p, err := policy.Parse(name, text)
	return p, text, err
}

// secretsFrom reads a secrets file; no name is the development secrets.
func secretsFrom(file string) (event.Secrets, error) {
	if file == "" {
		return event.DevSecrets(), nil
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return event.Secrets{}, err
	}
	return event.ParseSecrets(raw)
}
