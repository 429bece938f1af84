// Package memory is the table's contract in plain maps, for the simulation: a
// third engine, held to the same conformance suite, that forgets everything
// and is fast enough for millions of operations.
//
// Its indexes may lag behind commits, as DynamoDB's do. It is no engine to run
// anything on.
package memory

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"sync"
	"time"

	"github.com/postern-dev/postern/shared/store/table"
)

// DB is one table with its change feed. Safe for concurrent use.
type DB struct {
	now func() time.Time
	lag func(n int) int

	mu      sync.Mutex
	rows    map[string]*part
	indexes map[table.Index]map[string]*entries
	late    []move // changes that the indexes do not show yet, oldest first
	tokens  map[string]table.Tx
	feed    []table.Change
}

var (
	_ table.Table = (*DB)(nil)
	_ table.Feed  = (*DB)(nil)
)

// New makes an empty table. lag says how many of the n newest changes a query
// of an index does not see; nil: it sees all.
func New(now func() time.Time, lag func(n int) int) *DB {
	if lag == nil {
		lag = func(int) int { return 0 }
	}
	return &DB{now: now, lag: lag, rows: map[string]*part{}, tokens: map[string]table.Tx{},
		indexes: map[table.Index]map[string]*entries{table.Open: {}, table.List: {}}}
}

// Get implements table.Table.
func (db *DB) Get(ctx context.Context, key table.Key) (table.Item, error) {
	items, err := db.GetMany(ctx, []table.Key{key})
	if err != nil {
		return nil, err
	}
	return items[0], nil
}

// GetMany implements table.Table.
func (db *DB) GetMany(ctx context.Context, keys []table.Key) ([]table.Item, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(keys) > table.MaxKeys {
		return nil, fmt.Errorf("get many: %d keys: %w", len(keys), table.ErrInvalid)
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	out := make([]table.Item, len(keys))
	for i, k := range keys {
		if err := table.ValidateKey(k); err != nil {
			return nil, fmt.Errorf("get: %w", err)
		}
		out[i] = maps.Clone(db.row(k))
	}
	return out, nil
}

func (db *DB) row(k table.Key) table.Item {
	p := db.rows[k.PK]
	if p == nil {
		return nil
	}
	return p.items[k.SK]
}

// Commit implements table.Table.
func (db *DB) Commit(ctx context.Context, tx table.Tx) (table.Result, error) {
	if err := ctx.Err(); err != nil {
		return table.Result{}, err
	}
	p, err := table.Prepare(tx)
	if err != nil {
		return table.Result{}, err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if was, known := db.tokens[p.Token]; known {
		if !reflect.DeepEqual(was, p) {
			return table.Result{}, fmt.Errorf("token %s was used for another commit before: %w", p.Token, table.ErrInvalid)
		}
		return table.Result{}, nil
	}
	return db.commit(p)
}

func (db *DB) commit(p table.Tx) (table.Result, error) {
	var r table.Result
	old, is := make([]table.Item, len(p.Actions)), make([]table.Item, len(p.Actions))
	writes := false
	for i, a := range p.Actions {
		old[i] = db.row(a.Key)
		if !table.Holds(a.If, old[i]) {
			r.Lost = append(r.Lost, table.Loss{Action: i, Item: maps.Clone(old[i])})
		}
		writes = writes || a.Verb != table.Check
	}
	if !r.Won() || !writes {
		return r, nil
	}
	for i, a := range p.Actions {
		var err error
		if is[i], err = table.Apply(a, old[i]); err != nil {
			return r, err
		}
	}
	db.tokens[p.Token] = p
	for i, a := range p.Actions {
		if a.Verb != table.Check && (old[i] != nil || is[i] != nil) {
			db.write(a.Key, old[i], is[i])
		}
	}
	return r, nil
}

func (db *DB) write(k table.Key, old, is table.Item) {
	p := db.rows[k.PK]
	if p == nil {
		p = &part{items: map[string]table.Item{}}
		db.rows[k.PK] = p
	}
	p.set(k.SK, is)
	for _, index := range []table.Index{table.Open, table.List} {
		if was, now := place(index, old), place(index, is); was != now {
			db.late = append(db.late, move{index: index, key: k, was: was, now: now})
		}
	}
	db.feed = append(db.feed, table.Change{ID: strconv.Itoa(len(db.feed) + 1), Key: k, Old: maps.Clone(old), New: maps.Clone(is), At: db.now()})
}

// Changes implements table.Feed.
func (db *DB) Changes(ctx context.Context, cursor string, limit int) ([]table.Change, string, error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	after := 0
	if cursor != "" {
		n, err := strconv.Atoi(cursor)
		if err != nil || n < 0 {
			return nil, "", fmt.Errorf("changes: cursor %q: %w", cursor, table.ErrInvalid)
		}
		after = n
	}
	if limit <= 0 {
		limit = table.DefaultPage
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if after >= len(db.feed) {
		return nil, cursor, nil
	}
	out := db.feed[after:min(after+limit, len(db.feed))]
	return out, out[len(out)-1].ID, nil
}

// Close lets go of everything.
func (db *DB) Close() error { return nil }
