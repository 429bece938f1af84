package store

import (
	"context"

	"github.com/postern-dev/postern/shared/store/table"
)

// Asks is what an agent elsewhere asked for one digest (I3): the items, in
// order. It is how a repeated ask joins the pending item and how a refused
// digest stays refused for the run (P27). A hosted agent's transcript says the
// same, so it needs none.
type Asks struct {
	Session string
	Run     string
	Digest  string
	Entries []Ask
	Version int64
}

// Ask is one item raised for a digest.
type Ask struct {
	Step int64  `json:"step"`
	Pos  int    `json:"pos"`
	Item string `json:"item"`
}

func askKey(session, run, digest string) table.Key {
	return key("session#"+session, "ask#"+run+"#"+digest)
}

// Asks reads the row of one digest in one run; an empty one if there is none.
func (s *Store) Asks(ctx context.Context, session, run, digest string) (Asks, error) {
	a, err := get[Asks](ctx, s, askKey(session, run, digest))
	if a == nil {
		return Asks{Session: session, Run: run, Digest: digest}, err
	}
	return *a, err
}

// SaveAsks writes the row, conditional on its version (I3).
func SaveAsks(a Asks) table.Action {
	cond := table.Version(a.Version)
	if a.Version == 0 {
		cond = table.Absent()
	}
	a.Version++
	return put(askKey(a.Session, a.Run, a.Digest), "ask", encode(a), cond)
}
