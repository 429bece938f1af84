package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/shared/domain/permission"
	"github.com/postern-dev/postern/shared/domain/persona"
	"github.com/postern-dev/postern/shared/store"
)

func keysCommand() *cobra.Command {
	c := &cobra.Command{Use: "keys", Short: "API keys of agents that run elsewhere",
		Long: "An API key lets an agent open sessions and submit calls. No key can answer an item (I13)."}
	c.AddCommand(keysCreate(), keysList(), keysRevoke())
	return c
}

var keyName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,62}$`)

func keysCreate() *cobra.Command {
	var k store.APIKey
	var days int
	c := &cobra.Command{Use: "create NAME", Short: "Make a key and print it, once",
		Long: "Makes a key and prints it; only its hash is stored. Keys of one name reach the same sessions, so that a new one can take over before the old one is revoked.",
		Args: cobra.ExactArgs(1)}
	out, w := jsonFlag(c), whereFlags(c)
	c.Flags().StringVar(&k.Mode, "mode", "", "the most its sessions may do: discuss, plan, interactive (default), custom, auto")
	c.Flags().StringVar(&k.Queue, "queue", "", "Inbox queue of its sessions (default: default)")
	c.Flags().StringVar(&k.Persona, "persona", "", "persona of its sessions")
	c.Flags().IntVar(&days, "days", 90, "days until it expires; 0 is never")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		k.Name = args[0]
		if days < 0 {
			return usage("--days %d: it takes 0 or more", days)
		}
		if days > 0 {
			k.Expires = now().Add(time.Duration(days) * 24 * time.Hour)
		}
		return w.at(cmd.Context(), func(p *place) error {
			if err := checkKey(cmd.Context(), p, k); err != nil {
				return err
			}
			secret := "pk_" + rand.Text()
			k.Hash = store.HashSecret(secret)
			by := p.who(cmd.Context())
			k.Owner = by.Ref()
			id := newID()
			if _, err := p.Do(cmd.Context(), id, store.NewAPIKey(k), store.NewAudit(store.Audit{ID: id, Chain: "people", What: "key",
				Actor: by, Via: "cli", Is: "made", Reason: k.Name + " " + k.Hash[:8], At: now()})); err != nil {
				return err
			}
			return out().value(map[string]any{"name": k.Name, "id": k.Hash[:8], "key": secret, "expires": k.Expires}, func(o io.Writer) {
				fmt.Fprintf(o, "Key %s (%s), expires %s. It is shown this once:\n\n  export POSTERN_KEY=%s\n", k.Name, k.Hash[:8], expiry(k.Expires), secret)
			})
		})
	}
	return c
}

func checkKey(ctx context.Context, p *place, k store.APIKey) error {
	if !keyName.MatchString(k.Name) {
		return usage("%q is no name for a key; use small letters, digits, dots and dashes", k.Name)
	}
	switch permission.Mode(k.Mode) {
	case "", permission.Discuss, permission.Plan, permission.Interactive, permission.Custom, permission.Auto:
	default:
		return usage("--mode %s: it takes discuss, plan, interactive, custom or auto", k.Mode)
	}
	if k.Persona != "" {
		if _, ok := persona.Builtin(k.Persona); !ok {
			return usage("--persona %s: there is no such persona", k.Persona)
		}
	}
	pol, err := p.Policy(ctx)
	if err != nil {
		return err
	}
	if _, ok := pol.Queue(k.Queue); !ok {
		return usage("--queue %s: the policy has no such queue", k.Queue)
	}
	return nil
}

// shownKey is a key as it is listed: never its secret, which nobody has.
type shownKey struct {
	Name    string    `json:"name"`
	ID      string    `json:"id"` // of its hash
	Mode    string    `json:"mode"`
	Queue   string    `json:"queue"`
	Owner   string    `json:"owner"`
	Expires time.Time `json:"expires,omitzero"`
	State   string    `json:"state"` // active, expired, revoked
}

func keysList() *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List keys", Args: cobra.NoArgs}
	out, w := jsonFlag(c), whereFlags(c)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		return w.at(cmd.Context(), func(p *place) error {
			keys, err := allKeys(cmd.Context(), p)
			if err != nil {
				return err
			}
			var list []shownKey
			for _, k := range keys {
				s := shownKey{Name: k.Name, ID: k.Hash[:8], Mode: or(k.Mode, "interactive"), Queue: or(k.Queue, "default"), Owner: k.Owner, Expires: k.Expires, State: "active"}
				if k.Revoked {
					s.State = "revoked"
				} else if !k.Expires.IsZero() && !k.Expires.After(now()) {
					s.State = "expired"
				}
				list = append(list, s)
			}
			return rows(out(), list, "There are no keys. postern keys create NAME makes one.", "NAME\tID\tSTATE\tMODE\tQUEUE\tEXPIRES\tMADE BY",
				func(k shownKey) []string {
					return []string{k.Name, k.ID, k.State, k.Mode, k.Queue, expiry(k.Expires), k.Owner}
				})
		})
	}
	return c
}

func keysRevoke() *cobra.Command {
	c := &cobra.Command{Use: "revoke NAME|ID", Short: "Revoke a key, or all keys of a name", Args: cobra.ExactArgs(1)}
	out, w := jsonFlag(c), whereFlags(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		return w.at(cmd.Context(), func(p *place) error {
			keys, err := allKeys(cmd.Context(), p)
			if err != nil {
				return err
			}
			by, gone, known := p.who(cmd.Context()), []string{}, false
			for _, k := range keys {
				if k.Name != args[0] && k.Hash[:8] != args[0] {
					continue
				}
				known = true
				if k.Revoked {
					continue
				}
				id := newID()
				lost, err := p.Do(cmd.Context(), id, store.RevokeAPIKey(k), store.NewAudit(store.Audit{ID: id, Chain: "people", What: "key",
					Actor: by, Via: "cli", Is: "revoked", Reason: k.Name + " " + k.Hash[:8], At: now()}))
				if err != nil {
					return err
				}
				if lost == nil {
					gone = append(gone, k.Hash[:8])
				}
			}
			if !known {
				return fmt.Errorf("there is no key %q; postern keys list shows them", args[0])
			}
			return out().value(map[string]any{"revoked": gone}, func(o io.Writer) {
				fmt.Fprintf(o, "%d revoked. No request with them is taken any more.\n", len(gone))
			})
		})
	}
	return c
}

func allKeys(ctx context.Context, p *place) ([]store.APIKey, error) {
	return pages(func(cursor string) ([]store.APIKey, string, error) { return p.APIKeys(ctx, cursor, 100) })
}

// pages reads a list to its end.
func pages[T any](page func(cursor string) ([]T, string, error)) ([]T, error) {
	var all []T
	for cursor := ""; ; {
		some, next, err := page(cursor)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
		if next == "" {
			return all, nil
		}
		cursor = next
	}
}

func expiry(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return when(t)
}
