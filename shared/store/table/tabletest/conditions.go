package tabletest

import (
	"fmt"
	"testing"

	"github.com/postern-dev/postern/shared/store/table"
)

// testConditions tries each condition on a row by a check, a single write and
// in a transaction, and compares with the pure predicate as well.
func testConditions(t *testing.T, e Env) {
	key, none := k("a", "1"), k("a", "none")
	row := table.Item{
		"s": table.Str("m"), "empty": table.Str(""), "n": table.Int(10), "d": table.Num("-0.5"),
		"t": table.Bool(true), "f": table.Bool(false), "b": table.Bytes([]byte{5}), "version": table.Int(3),
	}
	win(t, e, "t0", put(key, row))
	cases := []struct {
		cond table.Cond
		key  table.Key
		want bool
	}{
		{table.Absent(), key, false}, {table.Absent(), none, true},
		{table.Present(), key, true}, {table.Present(), none, false},
		{table.Lacks("s"), key, false}, {table.Lacks("zz"), key, true}, {table.Lacks("s"), none, true},
		{table.Has("s"), key, true}, {table.Has("empty"), key, true}, {table.Has("zz"), key, false}, {table.Has("s"), none, false},
		{table.Equals("s", table.Str("m")), key, true}, {table.Equals("s", table.Str("M")), key, false},
		{table.Equals("empty", table.Str("")), key, true}, {table.Equals("zz", table.Str("")), key, false},
		{table.Equals("n", table.Int(10)), key, true}, {table.Equals("n", table.Num("1.0e1")), key, true},
		{table.Equals("n", table.Int(11)), key, false}, {table.Equals("n", table.Int(10)), none, false},
		{table.Equals("t", table.Bool(true)), key, true}, {table.Equals("f", table.Bool(false)), key, true},
		{table.Equals("t", table.Bool(false)), key, false},
		{table.Equals("b", table.Bytes([]byte{5})), key, true}, {table.Equals("b", table.Bytes([]byte{6})), key, false},
		{table.Before("s", table.Str("n")), key, true}, {table.Before("s", table.Str("m")), key, false},
		{table.Before("s", table.Str("a")), key, false}, {table.Before("s", table.Str("n")), none, false},
		{table.Before("s", table.Str("mm")), key, true},
		{table.After("s", table.Str("a")), key, true}, {table.After("s", table.Str("m")), key, false},
		{table.After("s", table.Str("Z")), key, true}, {table.After("zz", table.Str("")), key, false},
		{table.Before("n", table.Int(11)), key, true}, {table.Before("n", table.Int(10)), key, false},
		{table.Before("n", table.Int(9)), key, false}, {table.Before("n", table.Int(100)), key, true},
		{table.After("n", table.Int(9)), key, true}, {table.After("n", table.Int(-100)), key, true},
		{table.After("n", table.Num("9.999")), key, true}, {table.After("n", table.Int(10)), key, false},
		{table.Before("d", table.Int(0)), key, true}, {table.After("d", table.Num("-0.51")), key, true},
		{table.Before("b", table.Bytes([]byte{5, 0})), key, true}, {table.After("b", table.Bytes(nil)), key, true},
		{table.Version(3), key, true}, {table.Version(4), key, false}, {table.Version(3), none, false},
	}
	for i, c := range cases {
		name := fmt.Sprintf("case %d %+v on %v", i, c.cond, c.key)
		var item table.Item
		if c.key == key {
			item = row
		}
		if table.Holds([]table.Cond{c.cond}, item) != c.want {
			t.Errorf("%s: the predicate says %v", name, !c.want)
		}
		marker := k("b", fmt.Sprint(i))
		for _, try := range [][]table.Action{
			{check(c.key, c.cond)},
			{check(c.key, c.cond), put(marker, nil)},
			// Two conditions, the first of which always holds.
			{check(c.key, table.Lacks("not there"), c.cond), put(marker, nil)},
		} {
			res := commit(t, e, fmt.Sprintf("t%d-%d-%d", i, len(try), len(try[0].If)), try...)
			if res.Won() != c.want {
				t.Errorf("%s, %d actions: won %v", name, len(try), res.Won())
			}
		}
		single := commit(t, e, fmt.Sprintf("s%d", i), set(c.key, table.Item{"mark": table.Int(int64(i))}, c.cond))
		if single.Won() != c.want {
			t.Errorf("%s, single update: won %v", name, single.Won())
		}
		if c.want && c.key == none {
			win(t, e, fmt.Sprintf("d%d", i), del(none))
		}
	}
}

// testConditionTypes compares values of other types, which never holds.
func testConditionTypes(t *testing.T, e Env) {
	key := k("a", "1")
	win(t, e, "t0", put(key, table.Item{
		"s": table.Str("1"), "n": table.Int(1), "b": table.Bytes([]byte("1")), "t": table.Bool(true),
	}))
	values := map[string]table.Value{
		"s": table.Str("1"), "n": table.Int(1), "b": table.Bytes([]byte("1")), "t": table.Bool(true),
	}
	n := 0
	for attr := range values {
		for other, v := range values {
			if attr == other {
				continue
			}
			conds := []table.Cond{table.Equals(attr, v)}
			if v.Type != table.Boolean {
				conds = append(conds, table.Before(attr, v), table.After(attr, v))
			}
			for _, c := range conds {
				n++
				lose(t, e, fmt.Sprintf("t%d", n), []int{0}, check(key, c))
				lose(t, e, fmt.Sprintf("m%d", n), []int{1}, put(k("x", "x"), nil), check(key, c))
				lose(t, e, fmt.Sprintf("s%d", n), []int{0}, set(key, table.Item{"x": table.Int(1)}, c))
			}
		}
	}
}

func testLosses(t *testing.T, e Env) {
	rowA, rowB := table.Item{"v": table.Int(1)}, table.Item{"v": table.Int(2), "s": table.Str("b")}
	win(t, e, "t1", put(k("a", "1"), rowA), put(k("b", "1"), rowB))
	// Each verb alone.
	for i, a := range []table.Action{
		put(k("a", "1"), nil, table.Absent()),
		set(k("a", "1"), table.Item{"v": table.Int(9)}, table.Version(7)),
		del(k("a", "1"), table.Equals("v", table.Int(9))),
		check(k("a", "1"), table.After("v", table.Int(1))),
	} {
		lost := lose(t, e, fmt.Sprintf("s%d", i), []int{0}, a)
		same(t, e, lost[0].Item, k("a", "1"), table.Item{"v": table.Int(1), "tx": table.Str("t1")})
	}
	lost := lose(t, e, "s9", []int{0}, set(k("none", "1"), nil, table.Present()))
	same(t, e, lost[0].Item, k("none", "1"), nil)
	// Several in one commit: all that lost are named, with their rows.
	lost = lose(t, e, "m1", []int{1, 2, 4},
		put(k("c", "1"), nil, table.Absent()),
		check(k("a", "1"), table.Version(1)),
		put(k("b", "1"), nil, table.Absent()),
		check(k("d", "1"), table.Absent()),
		del(k("e", "1"), table.Present()),
	)
	same(t, e, lost[0].Item, k("a", "1"), rowA)
	same(t, e, lost[1].Item, k("b", "1"), rowB)
	same(t, e, lost[2].Item, k("e", "1"), nil)
	read(t, e, k("c", "1"), nil)
}
