package store

import (
	"context"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/postern-dev/postern/shared/store/table"
)

// Store is Postern's rows in one table.
type Store struct{ t table.Table }

// New makes a Store on a table.
func New(t table.Table) *Store { return &Store{t: t} }

// Lost is a commit that lost: which action, and the row that beat it. It is
// nil when the commit won.
type Lost struct {
	Action int
	Item   table.Item
	All    []table.Loss
}

// By reports whether action i is among those whose condition did not hold.
func (l *Lost) By(i int) bool {
	if l == nil {
		return false
	}
	for _, x := range l.All {
		if x.Action == i {
			return true
		}
	}
	return false
}

// Row returns the row that beat action i, nil if there was none.
func (l *Lost) Row(i int) table.Item {
	if l == nil {
		return nil
	}
	for _, x := range l.All {
		if x.Action == i {
			return x.Item
		}
	}
	return nil
}

// Do commits actions, all or none (O2). Token names the attempt: the same
// token again after a lost reply is the same commit. A nil Lost means won; an
// error means that the outcome is not known.
func (s *Store) Do(ctx context.Context, token string, actions ...table.Action) (*Lost, error) {
	r, err := s.t.Commit(ctx, table.Tx{Token: token, Actions: actions})
	if err != nil {
		return nil, fmt.Errorf("commit: %w", err)
	}
	if r.Won() {
		return nil, nil
	}
	return &Lost{Action: r.Lost[0].Action, Item: r.Lost[0].Item, All: r.Lost}, nil
}

func get[T any](ctx context.Context, s *Store, k table.Key) (*T, error) {
	it, err := s.t.Get(ctx, k)
	if err != nil {
		return nil, fmt.Errorf("get %s/%s: %w", k.PK, k.SK, err)
	}
	return read[T](it)
}

// query reads every page of q up to max rows (0: all).
func query[T any](ctx context.Context, s *Store, q table.Query, max int) ([]T, error) {
	var out []T
	for {
		p, err := s.t.Query(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("query %s: %w", q.PK, err)
		}
		rows, err := readAll[T](p.Items)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
		if max > 0 && len(out) >= max {
			return out[:max], nil
		}
		if p.Next == "" {
			return out, nil
		}
		q.Cursor = p.Next
	}
}

func key(pk, sk string) table.Key { return table.Key{PK: pk, SK: sk} }

// put makes a Put action of a row of the given kind. Kind is what the stream's
// filter and a person reading the table see.
func put(k table.Key, kind string, it table.Item, cond ...table.Cond) table.Action {
	it["kind"] = table.Str(kind)
	return table.Action{Verb: table.Put, Key: k, Item: it, If: cond}
}

// ttl marks a row for deletion some time after t.
func ttl(it table.Item, t time.Time) { it["ttl"] = table.Int(t.Unix()) }

// open puts a row into the index of what still waits.
func open(it table.Item, pk, sk string) {
	it["open_pk"], it["open_sk"] = table.Str(pk), table.Str(sk)
}

// list puts a row into an index that people read.
func list(it table.Item, pk, sk string) {
	it["list_pk"], it["list_sk"] = table.Str(pk), table.Str(sk)
}

// Shards is over how many partitions the rows that wait are spread, so that no
// one key takes every write (D11).
const Shards = 8

func shard(prefix, id string) string { return fmt.Sprintf("%s#%d", prefix, spread(id, Shards)) }

// spread puts an id into one of n shards, always the same.
func spread(id string, n uint32) uint32 {
	h := fnv.New32a()
	h.Write([]byte(id))
	return h.Sum32() % n
}
