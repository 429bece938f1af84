package tablecount

import "github.com/postern-dev/postern/shared/store/table"

// Sizes that a unit pays for, in bytes.
const (
	writeUnit = 1 << 10
	readUnit  = 4 << 10
)

func units(size, of int) float64 { return float64(max(1, (size+of-1)/of)) }

// written is what one write costs outside a transaction.
func written(old, new table.Item) float64 {
	return max(units(table.SizeOf(old), writeUnit), units(table.SizeOf(new), writeUnit))
}

// spent is what a write costs in one partition of one index.
type spent struct {
	index table.Index
	pk    string
	units float64
}

// indexed is what a write costs on one index: by the entry's change, not by
// the row's. An entry that moves costs where it was and where it is.
func indexed(index table.Index, old, new table.Item) []spent {
	was, is := entry(index, old), entry(index, new)
	if was != nil && is != nil && same(was, is) {
		return nil
	}
	var out []spent
	pk, _ := index.Attrs()
	for _, e := range []table.Item{was, is} {
		if e != nil {
			out = append(out, spent{index, e[pk].Str, units(table.SizeOf(e), writeUnit)})
		}
	}
	return out
}

// entry is a row as a keys-only index holds it; nil if it is not in it.
func entry(index table.Index, row table.Item) table.Item {
	pk, sk := index.Attrs()
	out := table.Item{}
	for _, name := range []string{table.AttrPK, table.AttrSK, pk, sk} {
		v, ok := row[name]
		if !ok {
			return nil
		}
		out[name] = v
	}
	return out
}

func same(a, b table.Item) bool {
	for name, v := range a {
		if !v.Equal(b[name]) {
			return false
		}
	}
	return true
}

// alone says whether an engine does a commit without a transaction, as
// store/dynamo does: one Put, one Update without Add, one Delete without a
// condition, or one Check, which is a read.
func alone(tx table.Tx) bool {
	a := tx.Actions[0]
	return len(tx.Actions) == 1 && len(a.Add) == 0 && (a.Verb != table.Delete || len(a.If) == 0)
}

// api names the request that carries a commit.
func api(tx table.Tx) string {
	if !alone(tx) {
		return "TransactWriteItems"
	}
	switch tx.Actions[0].Verb {
	case table.Put:
		return "PutItem"
	case table.Update:
		return "UpdateItem"
	case table.Delete:
		return "DeleteItem"
	}
	return "GetItem"
}
