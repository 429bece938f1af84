package tablecount_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/store/sqlite"
	"github.com/postern-dev/postern/shared/store/table"
	"github.com/postern-dev/postern/shared/store/table/tablecount"
	"github.com/postern-dev/postern/shared/store/table/tabletest"
)

func open(t *testing.T) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(sqlite.Memory)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func k(sk string) table.Key { return table.Key{PK: "p", SK: sk} }

// row makes a row of about so many KB, in the given indexes.
func row(kb float64, in ...string) table.Item {
	it := table.Item{"fill": table.Str(strings.Repeat("x", int(kb*1024)-300))}
	for _, name := range in {
		it[name+"_pk"], it[name+"_sk"] = table.Str("at"), table.Str("1")
	}
	return it
}

func put(sk string, it table.Item, cond ...table.Cond) table.Action {
	return table.Action{Verb: table.Put, Key: k(sk), Item: it, If: cond}
}

func check(sk string, cond ...table.Cond) table.Action {
	return table.Action{Verb: table.Check, Key: k(sk), If: cond}
}

// step is one request and what it is billed.
type step struct {
	name    string
	actions []table.Action
	lost    bool
	want    tablecount.Units
}

// steps are run in order on one table; so are they in the test against a
// server that counts by itself.
var steps = []step{
	{"put alone", []table.Action{put("a", row(1))}, false, tablecount.Units{Write: 1}},
	{"put of 2.5 KB alone", []table.Action{put("big", row(2.5))}, false, tablecount.Units{Write: 3}},
	{"put over a larger row", []table.Action{put("big", row(1))}, false, tablecount.Units{Write: 3}},
	{"put into both indexes", []table.Action{put("i", row(1, "open", "list"))}, false, tablecount.Units{Write: 1, Index: 2}},
	{"put, index attributes stay", []table.Action{put("i", row(2, "open", "list"))}, false, tablecount.Units{Write: 2}},
	{"update alone", []table.Action{{Verb: table.Update, Key: k("i"), Set: table.Item{"x": table.Int(1)}}}, false, tablecount.Units{Write: 2}},
	{"update moves within an index", []table.Action{{Verb: table.Update, Key: k("i"), Set: table.Item{"open_sk": table.Str("2")}}}, false, tablecount.Units{Write: 2, Index: 2}},
	{"update leaves an index", []table.Action{{Verb: table.Update, Key: k("i"), Remove: []string{"open_pk", "open_sk"}}}, false, tablecount.Units{Write: 2, Index: 1}},
	{"an add alone is a transaction", []table.Action{{Verb: table.Update, Key: k("a"), Add: map[string]int64{"n": 1}}}, false, tablecount.Units{Write: 2}},
	{"a transaction", []table.Action{put("t", row(1, "open"), table.Absent()), put("u", row(1.5))}, false, tablecount.Units{Write: 6, Index: 1}},
	{"a transaction with a check", []table.Action{check("i", table.Present()), put("v", row(1))}, false, tablecount.Units{Write: 6}},
	{"a check of no row", []table.Action{check("none", table.Absent()), put("v", row(1))}, false, tablecount.Units{Write: 4}},
	{"check alone", []table.Action{check("i", table.Present())}, false, tablecount.Units{Read: 1}},
	{"delete alone", []table.Action{{Verb: table.Delete, Key: k("big")}}, false, tablecount.Units{Write: 1}},
	{"delete of nothing", []table.Action{{Verb: table.Delete, Key: k("big")}}, false, tablecount.Units{Write: 1}},
	{"conditional delete", []table.Action{{Verb: table.Delete, Key: k("i"), If: []table.Cond{table.Present()}}}, false, tablecount.Units{Write: 4, Index: 1}},
	{"put lost", []table.Action{put("u", row(1), table.Absent())}, true, tablecount.Units{Write: 2}},
	{"transaction lost", []table.Action{put("u", row(1), table.Absent()), put("w", row(1, "open"))}, true, tablecount.Units{Write: 6}},
}

// D9: each write is billed as DynamoDB does.
func TestD9_Writes(t *testing.T) {
	t.Parallel()
	c := tablecount.New(open(t), nil)
	for i, s := range steps {
		c.Reset()
		res, err := c.Commit(t.Context(), table.Tx{Token: fmt.Sprint("step-", i), Actions: s.actions})
		if err != nil || res.Won() == s.lost {
			t.Fatalf("%s: won %v, %v", s.name, res.Won(), err)
		}
		if got := c.Count().Sum(nil); got != s.want {
			t.Errorf("%s: billed %+v, want %+v", s.name, got, s.want)
		}
		if lost := c.Count().Calls[0].Lost == 1; lost != s.lost || c.Count().Requests("") != 1 {
			t.Errorf("%s: calls %+v", s.name, c.Count().Calls)
		}
	}
}

// D9: a transaction repeated with its token is billed as a read of its rows.
func TestD9_Repeated(t *testing.T) {
	t.Parallel()
	c := tablecount.New(open(t), nil)
	many := table.Tx{Token: "many", Actions: []table.Action{put("a", row(5, "open"), table.Absent()), put("b", row(1), table.Absent())}}
	one := table.Tx{Token: "one", Actions: []table.Action{put("c", row(1, "list"), table.Absent())}}
	for _, tx := range []table.Tx{many, one} {
		if _, err := c.Commit(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range []struct {
		tx   table.Tx
		want tablecount.Units
	}{{many, tablecount.Units{Read: 6}}, {one, tablecount.Units{Write: 1}}} {
		c.Reset()
		if res, err := c.Commit(t.Context(), s.tx); err != nil || !res.Won() {
			t.Fatal(res, err)
		}
		if got := c.Count().Sum(nil); got != s.want {
			t.Errorf("%s repeated: billed %+v, want %+v", s.tx.Token, got, s.want)
		}
	}
}

// D9: reads by 4 KB, half on an index, at least one for what is not there.
func TestD9_Reads(t *testing.T) {
	t.Parallel()
	c := tablecount.New(open(t), nil)
	for _, a := range []table.Action{put("a", row(5, "list")), put("b", row(1)), put("c", row(1))} {
		if _, err := c.Commit(t.Context(), table.Tx{Token: "t" + a.Key.SK, Actions: []table.Action{a}}); err != nil {
			t.Fatal(err)
		}
	}
	for name, s := range map[string]struct {
		do   func(context.Context) error
		want float64
	}{
		"get 5 KB": {func(ctx context.Context) error { _, err := c.Get(ctx, k("a")); return err }, 2},
		"get none": {func(ctx context.Context) error { _, err := c.Get(ctx, k("none")); return err }, 1},
		"get many": {func(ctx context.Context) error {
			_, err := c.GetMany(ctx, []table.Key{k("a"), k("b"), k("b"), k("x")})
			return err
		}, 4},
		"query all":  {func(ctx context.Context) error { _, err := c.Query(ctx, table.Query{PK: "p"}); return err }, 2},
		"query none": {func(ctx context.Context) error { _, err := c.Query(ctx, table.Query{PK: "none"}); return err }, 1},
		"index": {func(ctx context.Context) error {
			_, err := c.Query(ctx, table.Query{Index: table.List, PK: "at"})
			return err
		}, 0.5},
		"index none": {func(ctx context.Context) error {
			_, err := c.Query(ctx, table.Query{Index: table.Open, PK: "at"})
			return err
		}, 0.5},
	} {
		c.Reset()
		if err := s.do(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := c.Count().Sum(nil); got != (tablecount.Units{Read: s.want}) {
			t.Errorf("%s: billed %+v, want %v", name, got, s.want)
		}
	}
}

// Units go to the kind of their row and the phase of their context.
func TestKindsAndPhases(t *testing.T) {
	t.Parallel()
	c := tablecount.New(open(t), nil)
	ctx := tablecount.In(t.Context(), "raise")
	item := table.Item{"kind": table.Str("item"), "open_pk": table.Str("pending"), "open_sk": table.Str("1")}
	if _, err := c.Commit(ctx, table.Tx{Token: "t1", Actions: []table.Action{put("item", item),
		put("mail#2026", table.Item{}), check("lease", table.Absent())}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(tablecount.In(ctx, "read"), k("item")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Query(ctx, table.Query{Index: table.Open, PK: "pending"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Query(ctx, table.Query{PK: "outbox#3", To: "2026"}); err != nil {
		t.Fatal(err)
	}
	want := []tablecount.Row{
		{"raise", "item", "put", 1, tablecount.Units{Write: 2, Index: 1}}, {"raise", "lease", "check", 1, tablecount.Units{Write: 2}},
		{"raise", "mail", "put", 1, tablecount.Units{Write: 2}}, {"raise", "open pending", "query", 1, tablecount.Units{Read: 0.5}},
		{"raise", "outbox", "query", 1, tablecount.Units{Read: 1}}, {"read", "item", "get", 1, tablecount.Units{Read: 1}},
	}
	got := c.Count()
	if len(got.Rows) != len(want) {
		t.Fatalf("%+v", got.Rows)
	}
	for i, r := range got.Rows {
		if r != want[i] {
			t.Errorf("%+v, want %+v", r, want[i])
		}
	}
	if len(got.Keys) != 1 || got.Keys[0] != (tablecount.Key{Phase: "raise", Index: table.Open, PK: "pending", Units: 1}) {
		t.Errorf("keys %+v", got.Keys)
	}
	if n := got.Requests("raise"); n != 3 || got.Requests("") != 4 {
		t.Errorf("%d requests in raise of %d", n, got.Requests(""))
	}
	if u := got.Sum(func(r tablecount.Row) bool { return r.Kind == "item" }); u.Writes() != 3 || u.Read != 1 {
		t.Errorf("items: %+v", u)
	}
}

// O6: what is counted behaves as what is not.
func TestConformance(t *testing.T) {
	t.Parallel()
	tabletest.Run(t, func(t *testing.T) tabletest.Env {
		db := open(t)
		l := &lossy{Table: db}
		return tabletest.Env{Table: tablecount.New(l, nil), Feed: db, LoseReply: func() { l.lose.Store(true) }}
	})
}
