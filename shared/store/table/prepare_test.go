package table

import (
	"errors"
	"maps"
	"reflect"
	"strings"
	"testing"
)

func one(a Action) Tx { return Tx{Token: "t", Actions: []Action{a}} }

// A prepared commit is whole and canonical, and shares nothing with its origin.
func TestPrepare(t *testing.T) {
	t.Parallel()
	key := Key{PK: "p", SK: "s"}
	item := Item{"n": Num("1.0"), "b": Bytes(nil), "none": {}, "tx": Str("older"), "mixed": {Type: Boolean, Bool: true, Str: "x"}}
	conds := []Cond{Equals("n", Num("01"))}
	tx := one(Action{Verb: Put, Key: key, Item: item, If: conds})
	before := maps.Clone(item)
	got, err := Prepare(tx)
	if err != nil {
		t.Fatal(err)
	}
	want := Item{
		"pk": Str("p"), "sk": Str("s"), "tx": Str("t"), "n": Num("1"), "b": Bytes([]byte{}), "mixed": Bool(true),
	}
	if a := got.Actions[0]; !reflect.DeepEqual(a.Item, want) || !a.If[0].Value.Equal(Num("1")) {
		t.Errorf("prepared %v", a)
	}
	if !maps.EqualFunc(item, before, Value.Equal) || conds[0].Value.Str != "01" {
		t.Error("the caller's commit was changed")
	}
	set := Item{"n": Num("1e1")}
	got, err = Prepare(one(Action{Verb: Update, Key: key, Set: set, Add: map[string]int64{"c": 1}, Remove: []string{"r"}}))
	if err != nil {
		t.Fatal(err)
	}
	if a := got.Actions[0]; !reflect.DeepEqual(a.Set, Item{"n": Num("10"), "tx": Str("t")}) || a.Add["c"] != 1 || len(set) != 1 {
		t.Errorf("prepared %v of %v", a, set)
	}
}

// O6: what both engines refuse; the suite tries each case on the engines.
func TestValidate(t *testing.T) {
	t.Parallel()
	key := Key{PK: "p", SK: "s"}
	if err := Validate(one(Action{Verb: Put, Key: key})); err != nil {
		t.Errorf("an empty row: %v", err)
	}
	err := Validate(one(Action{Verb: Put, Key: Key{PK: "big", SK: "one"}, Item: Item{"x": Str(strings.Repeat("x", MaxItemBytes))}}))
	if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "{big one} has 409614 bytes") {
		t.Errorf("too big a row: %v", err)
	}
	err = Validate(Tx{Token: "t", Actions: []Action{{Verb: Delete, Key: key}, {Verb: Check, Key: key, If: []Cond{Absent()}}}})
	if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "twice") {
		t.Errorf("one key twice: %v", err)
	}
}

func TestSizeOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		v    Value
		want int
	}{
		{Str(""), 0}, {Str("é"), 2}, {Bytes([]byte{1, 2, 3}), 3}, {Bool(true), 1}, {Int(0), 1}, {Int(7), 2}, {Int(12), 2},
		{Int(123), 3}, {Int(-123), 4}, {Num("100000"), 2}, {Num("0.001"), 2}, {Num(strings.Repeat("9", 38)), 20},
		{Num("-" + strings.Repeat("9", 38)), 21},
	} {
		if got := SizeOf(Item{"ab": c.v}); got != 2+c.want {
			t.Errorf("size of %v: %d, want %d", c.v, got-2, c.want)
		}
	}
}

// A row with its own token is a success only for the action that wrote it.
func TestWroteBy(t *testing.T) {
	t.Parallel()
	key := Key{PK: "p", SK: "s"}
	row := Item{"pk": Str("p"), "sk": Str("s"), "tx": Str("t"), "x": Int(1), "n": Int(5)}
	for name, c := range map[string]struct {
		action  Action
		token   string
		own     bool
		invalid bool
	}{
		"another's":           {Action{Verb: Put, Item: Item{"x": Int(1), "n": Int(5)}}, "u", false, false},
		"the put":             {Action{Verb: Put, Item: Item{"x": Int(1), "n": Int(5)}}, "t", true, false},
		"another put":         {Action{Verb: Put, Item: Item{"x": Int(2), "n": Int(5)}}, "t", true, true},
		"a smaller put":       {Action{Verb: Put, Item: Item{"x": Int(1)}}, "t", true, true},
		"the update":          {Action{Verb: Update, Set: Item{"x": Int(1)}, Remove: []string{"y"}, Add: map[string]int64{"n": 5}}, "t", true, false},
		"another set":         {Action{Verb: Update, Set: Item{"x": Int(3)}}, "t", true, true},
		"another remove":      {Action{Verb: Update, Remove: []string{"x"}}, "t", true, true},
		"a delete of it":      {Action{Verb: Delete}, "t", true, true},
		"a check beside it":   {Action{Verb: Check, If: []Cond{Absent()}}, "t", true, true},
		"no row at all (nil)": {Action{Verb: Delete, If: []Cond{Present()}}, "x", false, false},
	} {
		c.action.Key = key
		p, err := Prepare(Tx{Token: c.token, Actions: []Action{c.action}})
		if err != nil {
			t.Fatal(name, err)
		}
		own, err := WroteBy(c.token, p.Actions[0], row)
		if own != c.own || errors.Is(err, ErrInvalid) != c.invalid {
			t.Errorf("%s: %v, %v", name, own, err)
		}
	}
	if own, err := WroteBy("t", Action{Verb: Delete, Key: key}, nil); own || err != nil {
		t.Errorf("no row: %v, %v", own, err)
	}
}

// A cursor leads to the same place again, and belongs to one query only.
func TestCursor(t *testing.T) {
	t.Parallel()
	row := Item{"pk": Str("p\x00"), "sk": Str("s🎉"), "open_pk": Str("o"), "open_sk": Str("x")}
	q := Query{Index: Open, PK: "o", Prefix: "x"}
	q.Cursor = NextCursor(q, row)
	out, start, err := PrepareQuery(q)
	if err != nil || out.Limit != DefaultPage || *start != (Start{Sort: "x", Key: row.Key()}) {
		t.Errorf("%v, %v, %v", out, start, err)
	}
	for _, other := range []Query{
		{Index: List, PK: "o", Cursor: q.Cursor}, {PK: "o", Cursor: q.Cursor}, {Index: Open, PK: "p", Cursor: q.Cursor},
		{Index: Open, PK: "o", Prefix: "y", Cursor: q.Cursor}, {Index: Open, PK: "o", Cursor: q.Cursor[1:]},
	} {
		if _, _, err := PrepareQuery(other); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v", other, err)
		}
	}
}
