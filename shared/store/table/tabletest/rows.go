package tabletest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/postern-dev/postern/shared/store/table"
)

func testGet(t *testing.T, e Env) {
	read(t, e, k("a", "1"), nil)
	win(t, e, "t1", put(k("a", "1"), table.Item{"n": table.Int(1)}))
	read(t, e, k("a", "1"), table.Item{"n": table.Int(1), "tx": table.Str("t1")})
	read(t, e, k("a", "2"), nil)
	if _, err := e.Table.Get(t.Context(), k("", "1")); !errors.Is(err, table.ErrInvalid) {
		t.Errorf("get of an empty key: %v", err)
	}
}

func testGetMany(t *testing.T, e Env) {
	var keys []table.Key
	var puts []table.Action
	for i := range table.MaxKeys {
		keys = append(keys, k("a", fmt.Sprintf("%03d", table.MaxKeys-i)))
		if i%2 == 0 {
			puts = append(puts, put(keys[i], table.Item{"i": table.Int(int64(i))}))
		}
	}
	win(t, e, "t1", puts...)
	items, err := e.Table.GetMany(t.Context(), keys)
	if err != nil || len(items) != len(keys) {
		t.Fatalf("get many: %d items, %v", len(items), err)
	}
	for i, it := range items {
		if i%2 == 1 {
			same(t, e, it, keys[i], nil)
			continue
		}
		same(t, e, it, keys[i], table.Item{"i": table.Int(int64(i))})
	}
	if _, err := e.Table.GetMany(t.Context(), append(keys, k("a", "x"))); !errors.Is(err, table.ErrInvalid) {
		t.Errorf("101 keys: %v", err)
	}
	if items, err := e.Table.GetMany(t.Context(), nil); err != nil || len(items) != 0 {
		t.Errorf("no keys: %v, %v", items, err)
	}
	twice := []table.Key{keys[0], keys[1], keys[0]}
	items, err = e.Table.GetMany(t.Context(), twice)
	if err != nil {
		t.Fatalf("one key twice: %v", err)
	}
	same(t, e, items[0], keys[0], table.Item{"i": table.Int(0)})
	same(t, e, items[1], keys[1], nil)
	same(t, e, items[2], keys[0], table.Item{"i": table.Int(0)})
}

func testPut(t *testing.T, e Env) {
	key := k("a", "1")
	win(t, e, "t1", put(key, table.Item{"x": table.Int(1), "y": table.Str("z")}))
	// With its key, with the token it was read with, with an attribute that is none.
	win(t, e, "t2", put(key, table.Item{
		"pk": table.Str("a"), "sk": table.Str("1"), "tx": table.Str("t1"), "x": table.Int(2), "none": table.Value{},
	}))
	read(t, e, key, table.Item{"x": table.Int(2), "tx": table.Str("t2")})
	win(t, e, "t3", put(key, nil))
	read(t, e, key, table.Item{})
	// Neighbours are untouched.
	win(t, e, "t4", put(k("a", "2"), table.Item{"x": table.Int(9)}), put(k("b", "1"), nil))
	read(t, e, key, table.Item{"tx": table.Str("t3")})
	read(t, e, k("a", "2"), table.Item{"x": table.Int(9)})
}

func testUpdate(t *testing.T, e Env) {
	key := k("a", "1")
	update := func(token string, others ...table.Action) {
		t.Helper()
		win(t, e, token, append(others, table.Action{
			Verb: table.Update, Key: key,
			Set:    table.Item{"s": table.Str(token), "b": table.Bytes([]byte{1})},
			Add:    map[string]int64{"n": 5},
			Remove: []string{"old", "never"},
		})...)
	}
	update("t1") // makes the row
	read(t, e, key, table.Item{"s": table.Str("t1"), "b": table.Bytes([]byte{1}), "n": table.Int(5)})
	win(t, e, "t2", set(key, table.Item{"old": table.Bool(true), "keep": table.Str("")}))
	update("t3")
	want := table.Item{"s": table.Str("t3"), "b": table.Bytes([]byte{1}), "n": table.Int(10), "keep": table.Str("")}
	read(t, e, key, want)
	win(t, e, "t4", table.Action{Verb: table.Update, Key: key}) // its token only
	want["tx"] = table.Str("t4")
	read(t, e, key, want)
	// The same as part of a transaction.
	update("t5", put(k("a", "2"), nil))
	read(t, e, key, table.Item{"s": table.Str("t5"), "b": table.Bytes([]byte{1}), "n": table.Int(15), "keep": table.Str("")})
}

func testAdd(t *testing.T, e Env) {
	key, other := k("a", "1"), k("a", "2")
	add := func(token string, n int64, more ...table.Action) {
		t.Helper()
		win(t, e, token, append(more, table.Action{Verb: table.Update, Key: key, Add: map[string]int64{"n": n}})...)
	}
	add("t1", 3)
	add("t2", -5)
	add("t3", 0)
	read(t, e, key, table.Item{"n": table.Int(-2)})
	add("t4", 2, put(other, nil))
	read(t, e, key, table.Item{"n": table.Int(0)})
	win(t, e, "t5", set(key, table.Item{"n": table.Num("12345678901234567890.125")}))
	add("t6", 1)
	read(t, e, key, table.Item{"n": table.Num("12345678901234567891.125")})
}

func testAddRefused(t *testing.T, e Env) {
	key := k("a", "1")
	row := table.Item{"s": table.Str("x"), "n": table.Int(1)}
	win(t, e, "t1", put(key, row))
	add := table.Action{Verb: table.Update, Key: key, Add: map[string]int64{"n": 1, "s": 1}}
	refuse(t, e, "t2", add)
	refuse(t, e, "t3", put(k("a", "2"), nil), add)
	read(t, e, key, row)
	read(t, e, k("a", "2"), nil)
}

func testDelete(t *testing.T, e Env) {
	key := k("a", "1")
	win(t, e, "t1", del(key)) // nothing there: as asked
	win(t, e, "t2", put(key, nil))
	lose(t, e, "t3", []int{0}, del(key, table.Has("x")))
	read(t, e, key, table.Item{})
	win(t, e, "t4", del(key, table.Present()))
	read(t, e, key, nil)
	if lost := lose(t, e, "t5", []int{0}, del(key, table.Present())); lost[0].Item != nil {
		t.Errorf("lost to %v, want no row", lost[0].Item)
	}
	win(t, e, "t6", put(key, nil))
	win(t, e, "t7", del(key, table.Equals("tx", table.Str(e.tok("t6")))), put(k("a", "2"), nil))
	read(t, e, key, nil)
}
