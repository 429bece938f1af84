package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/postern-dev/postern/shared/store/table"
)

// Submitted is one tool call that an agent elsewhere asked about (S14), by its
// idempotency key, with what it was told at once. What became of an item since
// is the item's to say.
type Submitted struct {
	ID        string // of session and key
	Session   string
	Tool      string // as the agent named it
	Digest    string
	Arguments json.RawMessage // canonical
	Outcome   string          // allow, deny, waiting
	Reason    string
	Rule      string
	Item      string // waiting: the item, perhaps one raised by an earlier ask (I3)
	At        time.Time
}

func submittedKey(session, id string) table.Key { return key("session#"+session, "submitted#"+id) }

// NewSubmitted records a submitted call; lost if its key was used before.
func NewSubmitted(x Submitted) table.Action {
	return put(submittedKey(x.Session, x.ID), "submitted", encode(x), table.Absent())
}

// Submitted reads a submitted call, nil if there is none.
func (s *Store) Submitted(ctx context.Context, session, id string) (*Submitted, error) {
	return get[Submitted](ctx, s, submittedKey(session, id))
}
