package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/flow/panel"
	"github.com/postern-dev/postern/shared/store"
)

// linkLasts is how long a sign-in link is good for.
const linkLasts = 10 * time.Minute

func loginCommand() *cobra.Command {
	var person, role, url string
	var here bool
	c := &cobra.Command{Use: "login", Short: "Mint a one-time sign-in link to the panel",
		Long: `Mints a sign-in link that works once, within ten minutes, and prints it. Whoever
may write to the table may mint one: your AWS credentials, or the owner of a
postern dev's folder. No identity provider is needed (U8).

With --here this program signs itself in with it instead, for postern inbox, and
keeps the session in a file that only you can read. An agent that runs as you
can read it as well: do not use it where the agents run that you answer for.`,
		Args: cobra.NoArgs}
	out, w := jsonFlag(c), whereFlags(c)
	c.Flags().StringVar(&person, "as", "panel:owner", "who signs in, as the policy names people")
	c.Flags().StringVar(&role, "role", panel.Owner, "owner, approver, auditor or viewer")
	c.Flags().StringVar(&url, "url", os.Getenv("POSTERN_URL"), "the panel's address (default: POSTERN_URL, or that of postern dev)")
	c.Flags().BoolVar(&here, "here", false, "sign this program in")
	session := sessionFlag(c)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		who, ok := actor.ParseRef(person)
		if !ok {
			return usage("--as %s: it takes a person as the policy names one, such as panel:ada or slack:T1/U1", person)
		}
		if !slices.Contains([]string{panel.Owner, panel.Approver, panel.Auditor, panel.Viewer}, role) {
			return usage("--role %s: it takes owner, approver, auditor or viewer", role)
		}
		if url == "" && w.table != "" {
			return usage("say --url, the panel's address, which is an output of the stack")
		}
		url = strings.TrimSuffix(or(url, devURL), "/")
		return w.at(cmd.Context(), func(p *place) error {
			key, id, ends := rand.Text(), newID(), now().Add(linkLasts)
			if _, err := p.Do(cmd.Context(), id, store.NewLogin(panel.NewLogin(key, person, who.ID, role, ends)), store.NewAudit(store.Audit{
				ID: id, Chain: "people", What: "login-link", Actor: p.who(cmd.Context()), Via: "cli", Is: role, Reason: "for " + person, At: now()})); err != nil {
				return err
			}
			if here {
				if err := signIn(cmd.Context(), url, key, *session); err != nil {
					return err
				}
				return out().value(map[string]any{"url": url, "as": person, "session": *session}, func(o io.Writer) {
					fmt.Fprintf(o, "This program is signed in at %s as %s, for postern inbox.\n", url, person)
				})
			}
			link := url + "/login?key=" + key
			return out().value(map[string]any{"link": link, "as": person, "role": role, "expires": ends}, func(o io.Writer) {
				fmt.Fprintf(o, "Sign in once, until %s, as %s:\n%s\n", when(ends), person, link)
			})
		})
	}
	return c
}
