package tabletest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/store/table"
)

// all reads every page of a query and returns the sort keys in its index. It
// checks that no page is over the limit and that no row comes twice.
func all(t *testing.T, e Env, q table.Query) []string {
	t.Helper()
	_, sortAttr := q.Index.Attrs()
	seen, got := map[table.Key]bool{}, []string{}
	for pages := 0; ; pages++ {
		page, err := e.Table.Query(t.Context(), q)
		if err != nil {
			t.Fatalf("query %+v: %v", q, err)
		}
		if q.Limit > 0 && len(page.Items) > q.Limit {
			t.Fatalf("query %+v: %d rows", q, len(page.Items))
		}
		for _, it := range page.Items {
			if seen[it.Key()] {
				t.Fatalf("query %+v: row %v twice", q, it.Key())
			}
			seen[it.Key()] = true
			got = append(got, it[sortAttr].Str)
		}
		if page.Next == "" {
			return got
		}
		if pages > 500 {
			t.Fatalf("query %+v does not end", q)
		}
		q.Cursor = page.Next
	}
}

// expect reads a query in pages of several sizes, both ways.
func expect(t *testing.T, e Env, q table.Query, want []string) {
	t.Helper()
	backward := slices.Clone(want)
	slices.Reverse(backward)
	for _, limit := range []int{0, 1, 2, 3, 7, len(want), len(want) + 1, 1000} {
		for _, newest := range []bool{false, true} {
			q.Limit, q.Newest = limit, newest
			expected := want
			if newest {
				expected = backward
			}
			var got []string
			eventually(t, fmt.Sprintf("query %+v gives %q (last: %q)", q, expected, got), func() bool {
				got = all(t, e, q)
				return slices.Equal(got, expected)
			})
		}
	}
}

var sortKeys = []string{"A", "a", "a#1", "a#10", "a#2", "a#9", "b", "b\x00", "b ", "c", "é", "é#1", "漢", "🎉"}

func testPageTable(t *testing.T, e Env) {
	for i, sk := range sortKeys {
		win(t, e, fmt.Sprintf("t%d", i), put(k("p", sk), table.Item{"i": table.Int(int64(i))}), put(k("p2", sk), nil))
	}
	expect(t, e, table.Query{PK: "p"}, sortKeys)
	expect(t, e, table.Query{PK: "none"}, nil)
	page, err := e.Table.Query(t.Context(), table.Query{PK: "p", Limit: 2, Newest: true})
	if err != nil || len(page.Items) != 2 {
		t.Fatalf("%v, %v", page, err)
	}
	// Whole rows, strongly.
	same(t, e, page.Items[0], k("p", "🎉"), table.Item{"i": table.Int(13)})
	win(t, e, "del", del(k("p", "🎉")))
	page, err = e.Table.Query(t.Context(), table.Query{PK: "p", Limit: 1, Newest: true})
	if err != nil || page.Items[0]["sk"].Str != "漢" {
		t.Fatalf("after a delete: %v, %v", page, err)
	}
}

// testPageIndexes pages both indexes, where the order is not that of the table
// and rows share a sort key.
func testPageIndexes(t *testing.T, e Env) {
	want := []string{}
	for i, sk := range sortKeys {
		// The table's order is the reverse of the index's.
		row := func(twin string) table.Action {
			return put(k("p"+twin, fmt.Sprintf("%03d", 999-i)), table.Item{
				"open_pk": table.Str("o"), "open_sk": table.Str(sk), "list_pk": table.Str("l"), "list_sk": table.Str(sk),
			})
		}
		win(t, e, fmt.Sprintf("t%d", i), row("x"), row("y"), row("z"))
		want = append(want, sk, sk, sk)
	}
	expect(t, e, table.Query{Index: table.Open, PK: "o"}, want)
	expect(t, e, table.Query{Index: table.List, PK: "l"}, want)
	expect(t, e, table.Query{Index: table.Open, PK: "l"}, nil)
	expect(t, e, table.Query{Index: table.List, PK: "l", Prefix: "a#"}, want[6:18])
	expect(t, e, table.Query{Index: table.Open, PK: "o", From: "b", To: "c"}, want[18:30])
}

func testBounds(t *testing.T, e Env) {
	for i, sk := range sortKeys {
		win(t, e, fmt.Sprintf("t%d", i), put(k("p", sk), nil))
	}
	between := func(from, to string) []string {
		var want []string
		for _, sk := range sortKeys {
			if sk >= from && (to == "" || sk <= to) {
				want = append(want, sk)
			}
		}
		return want
	}
	for _, b := range [][2]string{{"a", ""}, {"", "b"}, {"a", "a"}, {"a#1", "a#9"}, {"a!", "b"}, {"b", "a"}, {"zz", ""}, {"", "0"}, {"b\x00", "é"}} {
		expect(t, e, table.Query{PK: "p", From: b[0], To: b[1]}, between(b[0], b[1]))
	}
	for _, prefix := range []string{"a", "a#", "a#1", "b", "é", "🎉", "x"} {
		var want []string
		for _, sk := range sortKeys {
			if strings.HasPrefix(sk, prefix) {
				want = append(want, sk)
			}
		}
		expect(t, e, table.Query{PK: "p", Prefix: prefix}, want)
	}
}

func testBadQueries(t *testing.T, e Env) {
	for i := range 5 {
		win(t, e, fmt.Sprintf("t%d", i), put(k("p", fmt.Sprint(i)), table.Item{
			"list_pk": table.Str("p"), "list_sk": table.Str(fmt.Sprint(i)),
		}))
	}
	page, err := e.Table.Query(t.Context(), table.Query{PK: "p", Limit: 2, From: "0", To: "3"})
	if err != nil || page.Next == "" {
		t.Fatalf("%v, %v", page, err)
	}
	for _, q := range []table.Query{
		{PK: ""},
		{PK: "p", Index: "other"},
		{PK: "p", Limit: -1},
		{PK: "p", Limit: table.MaxPage + 1},
		{PK: "p", Prefix: "a", From: "a"},
		{PK: "p", Prefix: "a", To: "b"},
		{PK: "p", From: "\xff"},
		{PK: "p", Cursor: "not one"},
		{PK: "q", Cursor: page.Next},
		{PK: "p", Cursor: page.Next, Index: table.List},
		{PK: "p", Cursor: page.Next, From: "2"},
		{PK: "p", Cursor: page.Next, To: "0"},
		{PK: "p", Cursor: page.Next, Prefix: "3"},
	} {
		if page, err := e.Table.Query(t.Context(), q); !errors.Is(err, table.ErrInvalid) {
			t.Errorf("query %+v: %v, %v; want ErrInvalid", q, page, err)
		}
	}
}

func testSparse(t *testing.T, e Env) {
	key := k("a", "1")
	has := func(index table.Index, pk string, want ...string) {
		t.Helper()
		expect(t, e, table.Query{Index: index, PK: pk}, want)
	}
	open, list := table.Item{"open_pk": table.Str("o"), "open_sk": table.Str("1")}, table.Item{"list_pk": table.Str("l"), "list_sk": table.Str("1")}
	win(t, e, "t1", put(key, open))
	has(table.Open, "o", "1")
	has(table.List, "l")
	win(t, e, "t2", set(key, list))
	has(table.Open, "o", "1")
	has(table.List, "l", "1")
	win(t, e, "t3", set(key, table.Item{"open_sk": table.Str("2"), "x": table.Int(1)}))
	has(table.Open, "o", "2")
	win(t, e, "t4", set(key, table.Item{"open_pk": table.Str("o2")}))
	has(table.Open, "o")
	has(table.Open, "o2", "2")
	// One of the two attributes is not enough.
	win(t, e, "t5", table.Action{Verb: table.Update, Key: key, Remove: []string{"open_sk"}})
	has(table.Open, "o2")
	has(table.List, "l", "1")
	win(t, e, "t6", set(key, table.Item{"open_sk": table.Str("3")}))
	has(table.Open, "o2", "3")
	win(t, e, "t7", put(key, nil), put(k("a", "2"), table.Item{"list_sk": table.Str("9")}))
	has(table.Open, "o2")
	has(table.List, "l")
	win(t, e, "t8", put(key, open))
	has(table.Open, "o", "1")
	win(t, e, "t9", del(key))
	has(table.Open, "o")
}

func testKeysOnly(t *testing.T, e Env) {
	key := k("a", "1")
	win(t, e, "t1", put(key, table.Item{
		"open_pk": table.Str("o"), "open_sk": table.Str("os"), "list_pk": table.Str("l"), "list_sk": table.Str("ls"),
		"body": table.Str("much"),
	}))
	for index, names := range map[table.Index][2]string{table.Open: {"open_pk", "open_sk"}, table.List: {"list_pk", "list_sk"}} {
		pk := string(index[0])
		var page table.Page
		eventually(t, "the row is in the index", func() (ok bool) {
			var err error
			page, err = e.Table.Query(t.Context(), table.Query{Index: index, PK: pk})
			if err != nil {
				t.Fatal(err)
			}
			return len(page.Items) == 1
		})
		it := page.Items[0]
		if len(it) != 4 || it.Key() != key || it[names[0]].Str != pk || it[names[1]].Str != pk+"s" {
			t.Errorf("index %s holds %v", index, it)
		}
	}
}
