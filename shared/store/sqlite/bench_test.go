package sqlite_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/postern-dev/postern/shared/store/sqlite"
	"github.com/postern-dev/postern/shared/store/table"
)

// raise makes an item in both indexes beside an outbox row; resolve takes it
// out of one index again. Together they have the shape of one approval.
func raise(i int64) []table.Action {
	id := fmt.Sprintf("%016x", uint64(i)*0x9e3779b97f4a7c15)
	return []table.Action{
		{Verb: table.Put, Key: table.Key{PK: "item#" + id, SK: "item"}, Item: table.Item{
			"version": table.Int(1), "state": table.Str("pending"), "body": table.Str(fmt.Sprintf("%0400d", i)),
			"open_pk": table.Str("item#" + id[:1]), "open_sk": table.Str(id), "list_pk": table.Str("inbox"), "list_sk": table.Str(id),
		}, If: []table.Cond{table.Absent()}},
		{Verb: table.Put, Key: table.Key{PK: "outbox#" + id, SK: "1"}, Item: table.Item{
			"kind": table.Str("outbox"), "body": table.Str(fmt.Sprintf("%0200d", i)),
		}, If: []table.Cond{table.Absent()}},
	}
}

func resolve(i int64) []table.Action {
	a := raise(i)
	return []table.Action{
		{
			Verb: table.Update, Key: a[0].Key, Set: table.Item{"state": table.Str("approved"), "version": table.Int(2)},
			Remove: []string{"open_pk", "open_sk"}, If: []table.Cond{table.Version(1), table.Equals("state", table.Str("pending"))},
		},
		{Verb: table.Put, Key: table.Key{PK: a[1].Key.PK, SK: "2"}, Item: a[1].Item, If: []table.Cond{table.Absent()}},
	}
}

// BenchmarkRaiseAndResolve is two commits of two actions each, with so many
// items stored before; quality's goal is that a million cost at most 1.2 times
// none. Change records are trimmed as they are by a runtime that reads them.
func BenchmarkRaiseAndResolve(b *testing.B) {
	for _, where := range []string{"memory", "file"} {
		for _, stored := range []int64{0, 1_000_000} {
			path := sqlite.Memory
			if where == "file" {
				path = filepath.Join(b.TempDir(), "table.db")
			}
			var once sync.Once
			var db *sqlite.DB
			var n atomic.Int64
			b.Run(fmt.Sprintf("%s/stored=%d", where, stored), func(b *testing.B) {
				once.Do(func() { db = fill(b, path, stored); n.Store(stored) })
				b.SetParallelism(8)
				b.ResetTimer()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						raiseAndResolve(b, db, n.Add(1))
					}
				})
			})
			if db != nil {
				db.Close()
			}
		}
	}
}

func raiseAndResolve(b *testing.B, db *sqlite.DB, i int64) {
	mustWin(b, db, fmt.Sprint("raise-", i), raise(i))
	mustWin(b, db, fmt.Sprint("resolve-", i), resolve(i))
	if i%4096 == 0 {
		trim(b, db)
	}
}

func mustWin(b *testing.B, db *sqlite.DB, token string, actions []table.Action) {
	res, err := db.Commit(context.Background(), table.Tx{Token: token, Actions: actions})
	if err != nil || !res.Won() {
		b.Error(token, res, err)
	}
}

// trim forgets all changes so far.
func trim(b *testing.B, db *sqlite.DB) {
	if err := db.Trim(math.MaxInt64); err != nil {
		b.Error(err)
	}
}

// BenchmarkPage reads the first page of an index of many rows.
func BenchmarkPage(b *testing.B) {
	db := fill(b, sqlite.Memory, 100_000)
	defer db.Close()
	for b.Loop() {
		page, err := db.Query(b.Context(), table.Query{Index: table.List, PK: "inbox", Newest: true})
		if err != nil || len(page.Items) != table.DefaultPage {
			b.Fatal(len(page.Items), err)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	db := fill(b, sqlite.Memory, 100_000)
	defer db.Close()
	key := raise(77)[0].Key
	for b.Loop() {
		if it, err := db.Get(b.Context(), key); err != nil || it == nil {
			b.Fatal(it, err)
		}
	}
}

// fill opens a table with n items in both indexes.
func fill(b *testing.B, path string, n int64) *sqlite.DB {
	b.Helper()
	db, err := sqlite.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	for i := int64(0); i < n; i += 100 {
		var actions []table.Action
		for j := i; j < min(i+100, n); j++ {
			actions = append(actions, raise(j)[0])
		}
		mustWin(b, db, fmt.Sprint("fill-", i), actions)
		trim(b, db)
	}
	return db
}
