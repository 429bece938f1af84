package sqlite

import (
	"bytes"
	"context"
	"maps"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/postern-dev/postern/shared/store/table"
)

func drawItem(t *rapid.T) table.Item {
	return rapid.MapOf(rapid.StringN(1, 20, 80), rapid.Custom(func(t *rapid.T) table.Value {
		switch rapid.IntRange(0, 3).Draw(t, "type") {
		case 0:
			return table.Str(rapid.String().Draw(t, "string"))
		case 1:
			return table.Int(rapid.Int64().Draw(t, "number"))
		case 2:
			return table.Bool(rapid.Bool().Draw(t, "bool"))
		}
		return table.Bytes(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
	})).Draw(t, "item")
}

// A row is read as it was written, and its bytes do not depend on map order.
func TestCodec(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		item, key := drawItem(t), table.Key{PK: "p", SK: "s"}
		item["pk"], item["sk"] = table.Str(key.PK), table.Str(key.SK)
		body := appendItem(nil, item)
		got, err := decodeItem(key, string(body))
		if err != nil || !maps.EqualFunc(got, item, table.Value.Equal) {
			t.Fatalf("%v became %v, %v", item, got, err)
		}
		if !bytes.Equal(body, appendItem(nil, maps.Clone(got))) {
			t.Fatal("other bytes for the same item")
		}
		// A body cut short is an error or a shorter item, never a panic.
		cut := rapid.IntRange(0, len(body)).Draw(t, "cut")
		if got, err := decodeItem(key, string(body[:cut])); err == nil && cut < len(body) && maps.EqualFunc(got, item, table.Value.Equal) {
			t.Fatalf("%d of %d bytes were enough", cut, len(body))
		}
	})
}

func FuzzDecodeItem(f *testing.F) {
	f.Add(appendItem(nil, table.Item{"a": table.Str("x"), "b": table.Int(1), "c": table.Bytes([]byte{1})}))
	f.Add([]byte{bodyFormat, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, body []byte) {
		item, err := decodeItem(table.Key{PK: "p", SK: "s"}, string(body))
		if err != nil {
			return
		}
		if again, err := decodeItem(table.Key{PK: "p", SK: "s"}, string(appendItem(nil, item))); err != nil || !maps.EqualFunc(again, item, table.Value.Equal) {
			t.Fatalf("%v became %v, %v", item, again, err)
		}
	})
}

// Another payload is another digest, and the same payload the same one.
func TestDigest(t *testing.T) {
	t.Parallel()
	key := table.Key{PK: "p", SK: "s"}
	seen := map[string]int{}
	for i, a := range []table.Action{
		{Verb: table.Put, Key: key},
		{Verb: table.Put, Key: key, Item: table.Item{"a": table.Str("1")}},
		{Verb: table.Put, Key: key, Item: table.Item{"a": table.Int(1)}},
		{Verb: table.Put, Key: key, If: []table.Cond{table.Absent()}},
		{Verb: table.Put, Key: key, If: []table.Cond{table.Present()}},
		{Verb: table.Put, Key: key, If: []table.Cond{table.Lacks("a")}},
		{Verb: table.Update, Key: key},
		{Verb: table.Update, Key: key, Set: table.Item{"a": table.Int(1)}},
		{Verb: table.Update, Key: key, Add: map[string]int64{"a": 1}},
		{Verb: table.Update, Key: key, Add: map[string]int64{"a": -1}},
		{Verb: table.Update, Key: key, Remove: []string{"a"}},
		{Verb: table.Delete, Key: key},
		{Verb: table.Delete, Key: table.Key{PK: "ps", SK: "s"}},
		{Verb: table.Delete, Key: table.Key{PK: "p", SK: "ss"}},
	} {
		hash := func() string {
			tx, err := table.Prepare(table.Tx{Token: "t", Actions: []table.Action{a}})
			if err != nil {
				t.Fatal(err)
			}
			return string(digest(tx))
		}
		if j, ok := seen[hash()]; ok {
			t.Errorf("actions %d and %d have one digest", i, j)
		}
		seen[hash()] = i
	}
	if len(seen) != 14 {
		t.Errorf("%d digests of 14 actions", len(seen))
	}
}

// A file's commits are flushed: write-ahead log and synchronous=FULL (2).
func TestDurable(t *testing.T) {
	t.Parallel()
	db, err := Open(filepath.Join(t.TempDir(), "table.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var mode string
	var synchronous int
	row := db.writer.conn.QueryRowContext(context.Background(), "SELECT * FROM pragma_journal_mode, pragma_synchronous")
	if err := row.Scan(&mode, &synchronous); err != nil || mode != "wal" || synchronous != 2 {
		t.Errorf("journal mode %s, synchronous %d, %v", mode, synchronous, err)
	}
}

// Each page is read from its index alone, in the index's order.
func TestPagesUseTheirIndex(t *testing.T) {
	t.Parallel()
	db, err := Open(Memory)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for index, want := range map[table.Index]string{
		table.Primary: "SEARCH rows USING INDEX rows_key (pk=? AND sk>? AND sk<?)",
		table.Open:    "SEARCH rows USING COVERING INDEX rows_open (open_pk=? AND open_sk>? AND open_sk<?)",
		table.List:    "SEARCH rows USING COVERING INDEX rows_list (list_pk=? AND list_sk>? AND list_sk<?)",
	} {
		for _, newest := range []bool{false, true} {
			args := []any{"p", "a", "b", "", "", "", 10}
			if index == table.Primary {
				args = []any{"p", "a", "b", 10}
			}
			rows, err := db.writer.conn.QueryContext(context.Background(), "EXPLAIN QUERY PLAN "+pageQuery(index, newest), args...)
			if err != nil {
				t.Fatal(err)
			}
			var steps []string
			for rows.Next() {
				var id, parent, unused int
				var step string
				if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
					t.Fatal(err)
				}
				steps = append(steps, step)
			}
			rows.Close()
			if len(steps) != 1 || steps[0] != want {
				t.Errorf("index %q, newest %v: %q, want %q", index, newest, steps, want)
			}
		}
	}
}
