package store

import (
	"context"

	"github.com/postern-dev/postern/shared/domain/wake"
	"github.com/postern-dev/postern/shared/store/table"
)

func wakeKey(session, id string) table.Key { return key("session#"+session, "wake#"+id) }

// NewWake writes a pending wake; it waits in the open index until it fires
// (W2, W3).
func NewWake(w wake.Wake) table.Action {
	w.State, w.Version = wake.Pending, 1
	return put(wakeKey(w.Session, w.ID), "wake", wakeRow(w), table.Absent())
}

// EndWake fires or cancels a pending wake, once (W2).
func EndWake(w wake.Wake) table.Action {
	w.Version++
	return put(wakeKey(w.Session, w.ID), "wake", wakeRow(w),
		table.Equals("state", table.Str(string(wake.Pending))))
}

func wakeRow(w wake.Wake) table.Item {
	it := encode(w)
	if w.State == wake.Pending {
		open(it, shard("wake", w.Session), Stamp(w.At)+"#"+w.Session)
	}
	return it
}

// Wake reads one wake, nil if there is none.
func (s *Store) Wake(ctx context.Context, session, id string) (*wake.Wake, error) {
	return get[wake.Wake](ctx, s, wakeKey(session, id))
}

// Wakes lists a session's wakes.
func (s *Store) Wakes(ctx context.Context, session string) ([]wake.Wake, error) {
	return query[wake.Wake](ctx, s, table.Query{PK: "session#" + session, Prefix: "wake#"}, 0)
}
