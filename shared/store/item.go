package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store/table"
)

func itemKey(id string) table.Key { return key("item#"+id, "item") }
func bodyKey(id string) table.Key { return key("item#"+id, "body") }

// NewItem writes an item's head and its immutable body (I2). Raising the same
// prompt again loses against the item that is there, resolved or not (I3).
func NewItem(x inbox.Item, b inbox.Body) []table.Action {
	b.Item = x.ID
	return []table.Action{NewHead(x), NewBody(b)}
}

// NewHead is the head alone, for an item whose body is written already.
func NewHead(x inbox.Item) table.Action {
	x.State, x.Version = inbox.Pending, 1
	return put(itemKey(x.ID), "item", itemRow(x), table.Absent())
}

// NewBody is the body alone. It may be large, and may be written before the
// commit that raises its item (S7), where the item's id is derived from the
// digest of the arguments in it: whoever wrote it first wrote the same.
func NewBody(b inbox.Body) table.Action {
	return put(bodyKey(b.Item), "body", encode(b), table.Absent())
}

// itemRow puts an item into the list that people read and, as long as anything
// is owed for it, into the sparse index. While an answer is owed, that is what
// attention and expiry are views of (I19, I10): ordered by expiry, so the same
// index answers both. Once it is settled, its agent has to read it and its
// places have to show it (W8).
func itemRow(x inbox.Item) table.Item {
	it := encode(x)
	list(it, "items", Stamp(x.Created)+"#"+x.ID)
	switch {
	case x.State == inbox.Pending:
		open(it, "pending", strings.Join([]string{Stamp(x.Expires), x.Persona, x.Session}, "#"))
	case len(x.Places) > 0 || !x.AgentKnows(""):
		open(it, shard("settled", x.ID), Stamp(x.Resolved)+"#"+x.ID)
	}
	return it
}

// Item reads an item's head, nil if there is none.
func (s *Store) Item(ctx context.Context, id string) (*inbox.Item, error) {
	return get[inbox.Item](ctx, s, itemKey(id))
}

// Whole is an item with everything that is written of it.
type Whole struct {
	Item    *inbox.Item // nil if there is none
	Body    *inbox.Body
	Attempt *session.Attempt // of the call that it allowed, once begun
	Shown   []Shown          // one for each place
}

// Ran is how the call that the item allowed stands, empty if it was not begun.
func (w Whole) Ran() string {
	if w.Attempt == nil {
		return ""
	}
	return string(w.Attempt.State)
}

// At is what one place shows of the item, nil if it is none of its places.
func (w Whole) At(p trigger.Place) *Shown {
	for i := range w.Shown {
		if w.Shown[i].Place.Key() == p.Key() {
			return &w.Shown[i]
		}
	}
	return nil
}

// Owed reports whether anybody is still to see what became of the item: its
// agent, or a place that does not show its present state.
func (w Whole) Owed() bool {
	return !w.Item.AgentKnows(w.Ran()) || len(w.Behind()) > 0
}

// Behind are the places that do not show the item's present state.
func (w Whole) Behind() []Shown {
	var out []Shown
	for _, s := range w.Shown {
		if s.Behind(inbox.ShownVersion(*w.Item, w.Ran())) {
			out = append(out, s)
		}
	}
	return out
}

// Whole reads all rows of an item by one strong query.
func (s *Store) Whole(ctx context.Context, id string) (Whole, error) {
	var w Whole
	q := table.Query{PK: "item#" + id}
	for more := true; more; more = q.Cursor != "" {
		p, err := s.t.Query(ctx, q)
		if err != nil {
			return w, fmt.Errorf("read item %s: %w", id, err)
		}
		for _, it := range p.Items {
			if err := w.add(it); err != nil {
				return w, err
			}
		}
		q.Cursor = p.Next
	}
	return w, nil
}

func (w *Whole) add(it table.Item) (err error) {
	switch it["kind"].Str {
	case "item":
		w.Item, err = read[inbox.Item](it)
	case "body":
		w.Body, err = read[inbox.Body](it)
	case "call":
		w.Attempt, err = read[session.Attempt](it)
	case "show":
		var s *Shown
		if s, err = read[Shown](it); err == nil {
			w.Shown = append(w.Shown, *s)
		}
	}
	return err
}

// ItemAndBody reads what an item asks.
func (s *Store) ItemAndBody(ctx context.Context, id string) (*inbox.Item, *inbox.Body, error) {
	w, err := s.Whole(ctx, id)
	return w.Item, w.Body, err
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

// TellItem notes that the agent has read an item's resolution, in the commit
// that appends what it read (I7): lost if it has read it before, or if there is
// none. An item without places is owed nothing after that.
func TellItem(x inbox.Item) table.Action {
	a := table.Action{Verb: table.Update, Key: itemKey(x.ID), Set: table.Item{"told": table.Bool(true)},
		If: []table.Cond{table.Lacks("told"), table.Equals("state", table.Str(string(x.State)))}}
	if len(x.Places) == 0 {
		a.Remove = closed
	}
	return a
}

// CloseItem takes a settled item out of the open index, since nothing is owed
// for it any more. Lost if it changed meanwhile.
func CloseItem(x inbox.Item) table.Action {
	return table.Action{Verb: table.Update, Key: itemKey(x.ID), Remove: closed,
		If: []table.Cond{table.Version(x.Version), table.Has("open_pk")}}
}

var closed = []string{"open_pk", "open_sk"}

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
