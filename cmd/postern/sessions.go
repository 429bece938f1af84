package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store"
)

// shownSession is a session as it is listed.
type shownSession struct {
	ID      string    `json:"id"`
	State   string    `json:"state"`   // working, sleeping, parked, idle, deleted
	Waiting int       `json:"waiting"` // items that wait for a person
	Persona string    `json:"persona"`
	Mode    string    `json:"mode"`
	Title   string    `json:"title"`
	Owner   string    `json:"owner"`
	Ticket  string    `json:"ticket,omitempty"`
	Created time.Time `json:"created"`
}

func sessionsCommand() *cobra.Command {
	var limit int
	c := &cobra.Command{Use: "sessions", Short: "List sessions, newest first", Args: cobra.NoArgs}
	out, w := jsonFlag(c), whereFlags(c)
	c.Flags().IntVar(&limit, "limit", 50, "how many, at most 1000")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if limit < 1 || limit > 1000 {
			return usage("--limit %d: it takes 1 to 1000", limit)
		}
		return w.at(cmd.Context(), func(p *place) error {
			list, _, err := p.Sessions(cmd.Context(), "", limit)
			if err != nil {
				return err
			}
			waits, err := p.Attention(cmd.Context())
			if err != nil {
				return err
			}
			var shown []shownSession
			for _, s := range list {
				state := session.Idle
				if s.Deleted {
					state = session.Gone
				} else if l, err := p.Lease(cmd.Context(), s.ID); err != nil {
					return err
				} else if l != nil && l.State != "" {
					state = l.State
				}
				if s.Elsewhere && state == session.Idle && waits.BySession[s.ID] > 0 {
					state = session.Parked // it has no turns here; it waits where it runs
				}
				shown = append(shown, shownSession{ID: s.ID, State: string(state), Waiting: waits.BySession[s.ID], Persona: s.Persona,
					Mode: s.Mode, Title: s.Title, Owner: s.Owner, Ticket: s.Ticket, Created: s.Created})
			}
			if waits.Total > store.AttentionLimit && !out().json {
				defer fmt.Fprintf(out().w, "More than %d items wait; the counts are of the soonest to expire.\n", store.AttentionLimit)
			}
			return rows(out(), shown, "There are no sessions.", "SESSION\tSTATE\tWAITING\tPERSONA\tMODE\tSINCE\tTITLE", func(s shownSession) []string {
				return []string{s.ID, s.State, fmt.Sprint(s.Waiting), s.Persona, s.Mode, when(s.Created), short(s.Title, 60)}
			})
		})
	}
	return c
}
