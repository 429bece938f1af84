package store

import (
	"context"

	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store/table"
)

func sessionKey(id string) table.Key { return key("session#"+id, "session") }
func leaseKey(id string) table.Key   { return key("session#"+id, "lease") }
func headKey(id string) table.Key    { return key("session#"+id, "mailbox") }

// Session reads one session, nil if there is none.
func (s *Store) Session(ctx context.Context, id string) (*session.Session, error) {
	return get[session.Session](ctx, s, sessionKey(id))
}

// Lease reads a session's lease, nil if there is none.
func (s *Store) Lease(ctx context.Context, id string) (*session.Lease, error) {
	return get[session.Lease](ctx, s, leaseKey(id))
}

// Head reads a session's mailbox head, nil if there is none.
func (s *Store) Head(ctx context.Context, id string) (*session.Head, error) {
	return get[session.Head](ctx, s, headKey(id))
}

// Opened is what a turn reads first: the three rows of a session's own.
type Opened struct {
	Session *session.Session
	Lease   *session.Lease
	Head    *session.Head
}

// Open reads session, lease and mailbox head at once. Fields are nil where
// there is no row.
func (s *Store) Open(ctx context.Context, id string) (Opened, error) {
	var o Opened
	rows, err := s.t.GetMany(ctx, []table.Key{sessionKey(id), leaseKey(id), headKey(id)})
	if err != nil {
		return o, err
	}
	if o.Session, err = read[session.Session](rows[0]); err != nil {
		return o, err
	}
	if o.Lease, err = read[session.Lease](rows[1]); err != nil {
		return o, err
	}
	o.Head, err = read[session.Head](rows[2])
	return o, err
}

// Leased reads session and lease at once, nil where there is no row.
func (s *Store) Leased(ctx context.Context, id string) (*session.Session, *session.Lease, error) {
	rows, err := s.t.GetMany(ctx, []table.Key{sessionKey(id), leaseKey(id)})
	if err != nil {
		return nil, nil, err
	}
	x, err := read[session.Session](rows[0])
	if err != nil {
		return nil, nil, err
	}
	l, err := read[session.Lease](rows[1])
	return x, l, err
}

// NewSession makes the three rows of a session: itself, a free lease, an empty
// mailbox that already holds n mails of the same commit. Each must not exist.
func NewSession(x session.Session, n int64) []table.Action {
	x.Version = 1
	row := encode(x)
	list(row, "sessions", Stamp(x.Created)+"#"+x.ID)
	lease := encode(session.Lease{Session: x.ID, State: session.Idle, Version: 1})
	lease["until"] = stampValue(free)
	head := encode(session.Head{Session: x.ID, Seq: n})
	head["seq"] = table.Int(n)
	return []table.Action{
		put(sessionKey(x.ID), "session", row, table.Absent()),
		put(leaseKey(x.ID), "lease", lease, table.Absent()),
		put(headKey(x.ID), "mailbox", head, table.Absent()),
	}
}

// SaveSession replaces a session that nobody changed since it was read.
func SaveSession(x session.Session) table.Action {
	was := x.Version
	x.Version++
	row := encode(x)
	list(row, "sessions", Stamp(x.Created)+"#"+x.ID)
	return put(sessionKey(x.ID), "session", row, table.Version(was))
}

// Sessions lists sessions, newest first, one page (S5).
func (s *Store) Sessions(ctx context.Context, cursor string, limit int) ([]session.Session, string, error) {
	return listed[session.Session](ctx, s, "sessions", cursor, limit)
}

// listed reads one page of the list index and the rows it names.
func listed[T any](ctx context.Context, s *Store, pk, cursor string, limit int) ([]T, string, error) {
	p, err := s.t.Query(ctx, table.Query{Index: table.List, PK: pk, Newest: true, Limit: limit, Cursor: cursor})
	if err != nil {
		return nil, "", err
	}
	rows, err := s.rows(ctx, p.Items)
	if err != nil {
		return nil, "", err
	}
	out, err := readAll[T](rows)
	return out, p.Next, err
}

// rows reads the rows that a keys-only page names, leaving out those that are
// gone by now.
func (s *Store) rows(ctx context.Context, keys []table.Item) ([]table.Item, error) {
	var out []table.Item
	for len(keys) > 0 {
		n := min(len(keys), 100)
		ks := make([]table.Key, n)
		for i, it := range keys[:n] {
			ks[i] = it.Key()
		}
		rows, err := s.t.GetMany(ctx, ks)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if r != nil {
				out = append(out, r)
			}
		}
		keys = keys[n:]
	}
	return out, nil
}
