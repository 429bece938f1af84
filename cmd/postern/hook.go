package main

import (
	"context"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/cmd/postern/internal/hook"
)

func hookCommand() *cobra.Command {
	h := hook.Hook{Sleep: sleep, Now: time.Now, NewID: newID}
	var unreachable, keyFile string
	c := &cobra.Command{Use: "hook", Short: "Ask Postern before a coding agent uses a tool",
		Long: `A pre-tool-use hook for coding agents: the agent's question on standard input,
the decision on standard output, both JSON. It opens a session for each of the
agent's, submits the call, waits while a person decides, and spends the grant.

POSTERN_URL is Postern's address and POSTERN_KEY an API key (postern keys
create). Past --wait it says that the call is still waiting, which is no denial:
the same call asked again joins the item and takes its answer. Give the agent's
own time limit for hooks a little more than --wait.

When Postern cannot be reached it asks the agent's user or denies, as
--unreachable says. It never allows by itself.

Exit code 0 with a decision printed; 2 with none, which agents take as no.`,
		Args: cobra.NoArgs}
	jsonFlag(c) // it prints JSON always
	c.Flags().StringVar(&h.URL, "url", os.Getenv("POSTERN_URL"), "Postern's address (default: POSTERN_URL)")
	c.Flags().StringVar(&keyFile, "key-file", "", "file with the API key, instead of POSTERN_KEY")
	c.Flags().DurationVar(&h.Wait, "wait", 5*time.Minute, "how long to wait for a person")
	c.Flags().StringVar(&unreachable, "unreachable", "ask", "when Postern cannot be reached: ask or deny")
	c.Flags().StringVar(&h.Mode, "mode", "", "permission mode of the session (default: the key's)")
	c.Flags().StringVar(&h.Queue, "queue", "", "Inbox queue of the session (default: the key's)")
	c.Flags().StringVar(&h.Title, "title", "", "title of the session (default: its folder)")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		h.Unreachable = hook.Permission(unreachable)
		if h.Unreachable != hook.Ask && h.Unreachable != hook.Deny {
			return usage("--unreachable %s: it takes ask or deny, and never allow", unreachable)
		}
		h.API.Key, h.API.Again = os.Getenv("POSTERN_KEY"), []time.Duration{time.Second, 3 * time.Second}
		if keyFile != "" {
			raw, err := os.ReadFile(keyFile)
			if err != nil {
				return &exit{exitUsage, err}
			}
			h.API.Key = strings.TrimSpace(string(raw))
		}
		h.API.HTTP = &http.Client{Timeout: 20 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		in, err := hook.Read(cmd.InOrStdin())
		if err == nil {
			err = h.API.Check()
		}
		if err != nil {
			return &exit{exitUsage, err}
		}
		_, err = cmd.OutOrStdout().Write(h.Decide(cmd.Context(), in).Output())
		if err != nil {
			return &exit{exitUsage, err}
		}
		return nil
	}
	return c
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func newID() string { return ulid.Make().String() }
