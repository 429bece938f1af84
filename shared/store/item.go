package store

import (
	"context"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/store/table"
)

func itemKey(id string) table.Key { return key("item#"+id, "item") }
func bodyKey(id string) table.Key { return key("item#"+id, "body") }

// NewItem writes an item's head and its immutable body (I2). Raising the same
// prompt again loses against the item that is there, resolved or not (I3).
func NewItem(x inbox.Item, b inbox.Body) []table.Action {
	x.State, x.Version = inbox.Pending, 1
	return []table.Action{
		put(itemKey(x.ID), "item", itemRow(x), table.Absent()),
		put(bodyKey(x.ID), "body", encode(b), table.Absent()),
	}
}

// itemRow puts an item into the list that people read and, while it is
// pending, into the sparse index that attention and expiry are views of (I19,
// I10): ordered by expiry, so the same index answers both.
func itemRow(x inbox.Item) table.Item {
	it := encode(x)
	list(it, "items", Stamp(x.Created)+"#"+x.ID)
	if x.State == inbox.Pending {
		open(it, "pending", strings.Join([]string{Stamp(x.Expires), x.Persona, x.Session}, "#"))
	}
	return it
}

// Item reads an item's head, nil if there is none.
func (s *Store) Item(ctx context.Context, id string) (*inbox.Item, error) {
	return get[inbox.Item](ctx, s, itemKey(id))
}

// ItemAndBody reads both rows of an item.
func (s *Store) ItemAndBody(ctx context.Context, id string) (*inbox.Item, *inbox.Body, error) {
	rows, err := s.t.GetMany(ctx, []table.Key{itemKey(id), bodyKey(id)})
	if err != nil {
		return nil, nil, err
	}
	x, err := read[inbox.Item](rows[0])
	if err != nil {
		return nil, nil, err
	}
	b, err := read[inbox.Body](rows[1])
	return x, b, err
}

// DecodeItem reads the row that beat a resolution (I5).
func DecodeItem(it table.Item) (*inbox.Item, error) { return read[inbox.Item](it) }

// ResolveItem makes a pending item terminal, once (I4): lost if it is not
// pending any more or, for anything but its expiry, not before its expiry.
func ResolveItem(x inbox.Item, now time.Time) table.Action {
	cond := []table.Cond{table.Equals("state", table.Str(string(inbox.Pending)))}
	if x.State == inbox.Answered || x.State == inbox.Approved || x.State == inbox.Denied {
		cond = append(cond, table.After("expires", stampValue(now)))
	}
	x.Version++
	return put(itemKey(x.ID), "item", itemRow(x), cond...)
}

// PendingItem holds while an item is pending: the condition for parking on an
// item that an earlier commit raised (S9).
func PendingItem(id string) table.Action {
	return table.Action{Verb: table.Check, Key: itemKey(id),
		If: []table.Cond{table.Equals("state", table.Str(string(inbox.Pending)))}}
}

// Items lists all items, newest first, one page.
func (s *Store) Items(ctx context.Context, cursor string, limit int) ([]inbox.Item, string, error) {
	return listed[inbox.Item](ctx, s, "items", cursor, limit)
}

// PendingItems lists pending items, soonest to expire first, one page.
func (s *Store) PendingItems(ctx context.Context, cursor string, limit int) ([]inbox.Item, string, error) {
	p, err := s.t.Query(ctx, table.Query{Index: table.Open, PK: "pending", Limit: limit, Cursor: cursor})
	if err != nil {
		return nil, "", err
	}
	rows, err := s.rows(ctx, p.Items)
	if err != nil {
		return nil, "", err
	}
	out, err := readAll[inbox.Item](rows)
	return out, p.Next, err
}

// AttentionLimit is where counting stops: above it a view says "1000+" (I19).
const AttentionLimit = 1000

// Attention is the number of pending items, in total, per session and per
// persona: views of one query, never a counter that could drift (I19).
type Attention struct {
	Total     int // AttentionLimit+1 means more than AttentionLimit
	BySession map[string]int
	ByPersona map[string]int
}

// Attention counts what waits for people.
func (s *Store) Attention(ctx context.Context) (Attention, error) {
	a := Attention{BySession: map[string]int{}, ByPersona: map[string]int{}}
	q := table.Query{Index: table.Open, PK: "pending", Limit: 1000}
	for a.Total <= AttentionLimit {
		p, err := s.t.Query(ctx, q)
		if err != nil {
			return a, err
		}
		for _, it := range p.Items {
			f := strings.SplitN(it["open_sk"].Str, "#", 3)
			if len(f) != 3 || a.Total > AttentionLimit {
				continue
			}
			a.Total++
			a.ByPersona[f[1]]++
			a.BySession[f[2]]++
		}
		if q.Cursor = p.Next; q.Cursor == "" {
			break
		}
	}
	return a, nil
}

// PendingOf lists the keys of a session's pending items, for its deletion and
// for a stop.
func (s *Store) PendingOf(ctx context.Context, session string) ([]string, error) {
	var out []string
	q := table.Query{Index: table.Open, PK: "pending", Limit: 1000}
	for {
		p, err := s.t.Query(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, it := range p.Items {
			if strings.HasSuffix(it["open_sk"].Str, "#"+session) {
				out = append(out, strings.TrimPrefix(it["pk"].Str, "item#"))
			}
		}
		if q.Cursor = p.Next; q.Cursor == "" {
			return out, nil
		}
	}
}
