package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/postern-dev/postern/shared/store/table"
)

// part is one partition: its rows and their sort keys in order.
type part struct {
	keys  []string
	items map[string]table.Item
}

func (p *part) set(sk string, is table.Item) {
	_, had := p.items[sk]
	at, _ := slices.BinarySearch(p.keys, sk)
	switch {
	case is == nil && had:
		p.keys = slices.Delete(p.keys, at, at+1)
		delete(p.items, sk)
	case is != nil:
		p.items[sk] = is
		if !had {
			p.keys = slices.Insert(p.keys, at, sk)
		}
	}
}

// spot is where a row stands in an index; the zero value is nowhere.
type spot struct{ pk, sort string }

func place(i table.Index, it table.Item) spot {
	pk, sk := i.Attrs()
	if it[pk].Type == 0 || it[sk].Type == 0 {
		return spot{}
	}
	return spot{it[pk].Str, it[sk].Str}
}

// move is one change of an index.
type move struct {
	index    table.Index
	key      table.Key
	was, now spot
}

// entry is one row's place in a partition of an index; entries are in order.
type entry struct {
	sort string
	key  table.Key
}

type entries struct{ list []entry }

func order(a, b entry) int {
	return cmp.Or(strings.Compare(a.sort, b.sort), strings.Compare(a.key.PK, b.key.PK), strings.Compare(a.key.SK, b.key.SK))
}

// catchUp lets the indexes see all but the newest n changes.
func (db *DB) catchUp(n int) {
	for len(db.late) > n {
		m := db.late[0]
		db.late = db.late[1:]
		if m.was != (spot{}) {
			e := db.indexes[m.index][m.was.pk]
			if at, ok := slices.BinarySearchFunc(e.list, entry{m.was.sort, m.key}, order); ok {
				e.list = slices.Delete(e.list, at, at+1)
			}
		}
		if m.now == (spot{}) {
			continue
		}
		e := db.indexes[m.index][m.now.pk]
		if e == nil {
			e = &entries{}
			db.indexes[m.index][m.now.pk] = e
		}
		at, _ := slices.BinarySearchFunc(e.list, entry{m.now.sort, m.key}, order)
		e.list = slices.Insert(e.list, at, entry{m.now.sort, m.key})
	}
}

// Query implements table.Table.
func (db *DB) Query(ctx context.Context, q table.Query) (table.Page, error) {
	q, start, err := table.PrepareQuery(q)
	if err != nil || q.Empty() {
		return table.Page{}, err
	}
	if err := ctx.Err(); err != nil {
		return table.Page{}, err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	var items []table.Item
	if q.Index == table.Primary {
		items = db.table(q, start)
	} else {
		items = db.index(q, start)
	}
	page := table.Page{Items: items}
	if len(items) > q.Limit {
		page.Items = items[:q.Limit]
		page.Next = table.NextCursor(q, page.Items[q.Limit-1])
	}
	return page, nil
}

func (db *DB) table(q table.Query, start *table.Start) []table.Item {
	p := db.rows[q.PK]
	if p == nil {
		return nil
	}
	var out []table.Item
	each(len(p.keys), func(i int) string { return p.keys[i] }, q, func(i int) bool {
		sk := p.keys[i]
		if start != nil && !beyond(strings.Compare(sk, start.Sort), q.Newest) {
			return true
		}
		out = append(out, maps.Clone(p.items[sk]))
		return len(out) <= q.Limit
	})
	return out
}

func (db *DB) index(q table.Query, start *table.Start) []table.Item {
	db.catchUp(min(db.lag(len(db.late)), len(db.late)))
	e := db.indexes[q.Index][q.PK]
	if e == nil {
		return nil
	}
	pk, sk := q.Index.Attrs()
	var out []table.Item
	each(len(e.list), func(i int) string { return e.list[i].sort }, q, func(i int) bool {
		x := e.list[i]
		if start != nil && !beyond(order(x, entry{start.Sort, start.Key}), q.Newest) {
			return true
		}
		out = append(out, table.Item{table.AttrPK: table.Str(x.key.PK), table.AttrSK: table.Str(x.key.SK), pk: table.Str(q.PK), sk: table.Str(x.sort)})
		return len(out) <= q.Limit
	})
	return out
}

func beyond(order int, newest bool) bool { return order > 0 != newest && order != 0 }

// each visits, in the query's order, the places whose sort key is within its
// bounds, until f says enough.
func each(n int, key func(int) string, q table.Query, f func(int) bool) {
	from, to := q.From, q.To
	if q.Prefix != "" {
		from, to = q.Prefix, q.Prefix+"\xff"
	}
	lo := sort.Search(n, func(i int) bool { return key(i) >= from })
	hi := n
	if to != "" {
		hi = sort.Search(n, func(i int) bool { return key(i) > to })
	}
	for i := lo; i < hi; i++ {
		at := i
		if q.Newest {
			at = hi - 1 - (i - lo)
		}
		if !f(at) {
			return
		}
	}
}
