package tabletest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/store/table"
)

func testRefused(t *testing.T, e Env) {
	key, long := k("a", "1"), strings.Repeat("x", 4096)
	wide := table.Item{}
	for i := range table.MaxClauses + 1 {
		wide[fmt.Sprint("w", i)] = table.Int(1)
	}
	add := func(name string) table.Action {
		return table.Action{Verb: table.Update, Key: key, Add: map[string]int64{name: 1}}
	}
	remove := func(names ...string) table.Action {
		return table.Action{Verb: table.Update, Key: key, Remove: names}
	}
	for name, a := range map[string]table.Action{
		"no verb":               {Key: key},
		"no partition key":      put(k("", "1"), nil),
		"no sort key":           put(k("a", ""), nil),
		"long partition key":    put(k(long[:2049], "1"), nil),
		"long sort key":         put(k("a", long[:1025]), nil),
		"key not UTF-8":         put(k("a", "\xff"), nil),
		"string not UTF-8":      put(key, table.Item{"x": table.Str("\xff")}),
		"no name":               put(key, table.Item{"": table.Int(1)}),
		"long name":             put(key, table.Item{long: table.Int(1)}),
		"another row's key":     put(key, table.Item{"pk": table.Str("b")}),
		"key of another type":   put(key, table.Item{"sk": table.Int(1)}),
		"index key no string":   put(key, table.Item{"open_pk": table.Int(1)}),
		"index key empty":       put(key, table.Item{"list_sk": table.Str("")}),
		"index key long":        put(key, table.Item{"open_sk": table.Str(long[:1025])}),
		"index key set empty":   set(key, table.Item{"list_pk": table.Str("")}),
		"index key added to":    add("open_sk"),
		"set key":               set(key, table.Item{"pk": table.Str("a")}),
		"set token":             set(key, table.Item{"tx": table.Str("a")}),
		"set nothing":           set(key, table.Item{"x": {}}),
		"add to token":          add("tx"),
		"remove key":            remove("sk"),
		"remove twice":          remove("x", "x"),
		"set and add":           {Verb: table.Update, Key: key, Set: table.Item{"x": table.Int(1)}, Add: map[string]int64{"x": 1}},
		"set and remove":        {Verb: table.Update, Key: key, Set: table.Item{"x": table.Int(1)}, Remove: []string{"x"}},
		"update with an item":   {Verb: table.Update, Key: key, Item: table.Item{"x": table.Int(1)}},
		"put with a set":        {Verb: table.Put, Key: key, Set: table.Item{"x": table.Int(1)}},
		"check of nothing":      check(key),
		"condition of nothing":  check(key, table.Cond{}),
		"equals without a type": check(key, table.Cond{Op: table.OpEquals, Attr: "x"}),
		"equals without a name": check(key, table.Equals("", table.Int(1))),
		"order of bools":        check(key, table.Before("x", table.Bool(true))),
		"more than 100 clauses": set(key, wide),
	} {
		t.Run(name, func(t *testing.T) {
			refuse(t, e, "t", a)
			refuse(t, e, "t", put(k("other", "1"), nil), a)
		})
	}
	for _, token := range []string{"", "a b", "ü", strings.Repeat("x", 37)} {
		e := e
		e.scope = ""
		refuse(t, e, token, put(key, nil))
	}
	win(t, e, strings.Repeat("x", 36-len(e.scope)), put(k("b", "1"), nil))
	refuse(t, e, strings.Repeat("x", 37-len(e.scope)), put(k("b", "1"), nil))
	win(t, e, "azAZ09_-", put(k("b", "1"), nil))
	refuse(t, e, "t") // no action
	refuse(t, e, "t", put(key, nil), put(k("a", "2"), nil), del(key))
	refuse(t, e, "t", put(key, nil), check(key, table.Absent()))
	read(t, e, key, nil)
	read(t, e, k("other", "1"), nil)
}

// sized makes a row of exactly size bytes, key and a token of 4 included.
func sized(e Env, key table.Key, size int) table.Item {
	fixed := table.SizeOf(table.Item{
		"pk": table.Str(key.PK), "sk": table.Str(key.SK), "tx": table.Str(e.tok("tok1")), "body": table.Str(""),
	})
	return table.Item{"body": table.Str(strings.Repeat("x", size-fixed))}
}

func testItemSize(t *testing.T, e Env) {
	key := k("a", "big-one")
	row := sized(e, key, table.MaxItemBytes)
	win(t, e, "tok1", put(key, row))
	read(t, e, key, row)
	win(t, e, "tok2", put(key, row), put(k("a", "other"), nil))
	for _, size := range []int{table.MaxItemBytes + 1, 2 * table.MaxItemBytes} {
		for _, actions := range [][]table.Action{
			{put(key, sized(e, key, size))}, {put(k("c", "1"), nil), put(key, sized(e, key, size))}, {set(key, sized(e, key, size))},
		} {
			text := refuse(t, e, "tok3", actions...).Error()
			if !strings.Contains(text, "big-one") || (actions[0].Verb == table.Put && !strings.Contains(text, fmt.Sprint(size))) {
				t.Errorf("%d bytes: the error names not key and size: %s", size, text)
			}
		}
	}
	read(t, e, key, row)
	read(t, e, k("c", "1"), nil)
}

// testUpdateSize grows a row past the limit by an update that is small.
func testUpdateSize(t *testing.T, e Env) {
	key := k("a", "big-one")
	row := sized(e, key, table.MaxItemBytes-10)
	win(t, e, "tok1", put(key, row))
	grow := set(key, table.Item{"more": table.Str("0123456789")})
	for _, actions := range [][]table.Action{{grow}, {put(k("c", "1"), nil), grow}} {
		if text := refuse(t, e, "tok2", actions...).Error(); !strings.Contains(text, "big-one") {
			t.Errorf("the error names not the key: %s", text)
		}
	}
	read(t, e, key, row)
	read(t, e, k("c", "1"), nil)
	win(t, e, "tok3", set(key, table.Item{"more": table.Str("012345")}))
}

func testCommitSize(t *testing.T, e Env) {
	var actions []table.Action
	for i := range 10 {
		key := k("a", fmt.Sprint(i))
		actions = append(actions, put(key, sized(e, key, 390<<10)))
	}
	win(t, e, "tok1", actions...)
	key := k("b", "1")
	actions[9] = put(k("a", "9"), sized(e, k("a", "9"), 400<<10))
	actions = append(actions, put(key, sized(e, key, 200<<10)))
	refuse(t, e, "tok2", actions...)
	read(t, e, key, nil)
}

func testHundredActions(t *testing.T, e Env) {
	var actions []table.Action
	for i := range table.MaxActions {
		actions = append(actions, put(k("a", fmt.Sprint(i)), table.Item{"i": table.Int(int64(i))}, table.Absent()))
	}
	refuse(t, e, "t1", append(actions, put(k("b", "1"), nil))...)
	read(t, e, k("a", "0"), nil)
	win(t, e, "t2", actions...)
	read(t, e, k("a", "99"), table.Item{"i": table.Int(99)})
}
