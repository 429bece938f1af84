package tablecount

import (
	"context"
	"slices"
	"sync"

	"github.com/postern-dev/postern/shared/store/table"
)

// Counter is a table.Table that counts. Safe for concurrent use; commits go
// through one at a time.
type Counter struct {
	next   table.Table
	phase  func(context.Context) string
	commit sync.Mutex

	mu    sync.Mutex
	rows  map[[3]string]*used
	calls map[[2]string]*tally
	keys  map[[3]string]float64
}

var _ table.Table = (*Counter)(nil)

// New counts what is asked of next. Phases come from In, unless phase is given.
func New(next table.Table, phase func(context.Context) string) *Counter {
	c := &Counter{next: next, phase: phase}
	if phase == nil {
		c.phase = Phase
	}
	c.Reset()
	return c
}

// Get implements table.Table.
func (c *Counter) Get(ctx context.Context, key table.Key) (table.Item, error) {
	row, err := c.next.Get(ctx, key)
	if err == nil {
		c.called(c.phase(ctx), "GetItem", false)
		c.read(ctx, key, row)
	}
	return row, err
}

// GetMany implements table.Table.
func (c *Counter) GetMany(ctx context.Context, keys []table.Key) ([]table.Item, error) {
	rows, err := c.next.GetMany(ctx, keys)
	if err != nil || len(keys) == 0 {
		return rows, err
	}
	c.called(c.phase(ctx), "BatchGetItem", false)
	seen := map[table.Key]bool{}
	for i, key := range keys {
		if !seen[key] {
			seen[key] = true
			c.read(ctx, key, rows[i])
		}
	}
	return rows, nil
}

func (c *Counter) read(ctx context.Context, key table.Key, row table.Item) {
	c.bill(c.phase(ctx), KindOf(key, row), "get", Units{Read: units(table.SizeOf(row), readUnit)})
}

// Query implements table.Table. The units are billed to the kind of the first
// row, on an index to the index and its partition's word.
func (c *Counter) Query(ctx context.Context, q table.Query) (table.Page, error) {
	page, err := c.next.Query(ctx, q)
	if err != nil || q.Empty() {
		return page, err
	}
	c.called(c.phase(ctx), "Query", false)
	size := 0
	for _, row := range page.Items {
		size += table.SizeOf(row)
	}
	u := Units{Read: units(size, readUnit)}
	kind := KindOf(table.Key{PK: q.PK, SK: q.Prefix}, nil)
	switch {
	case q.Index != table.Primary:
		u.Read /= 2
		kind = string(q.Index) + " " + KindOf(table.Key{PK: q.PK}, nil)
	case len(page.Items) > 0:
		kind = KindOf(page.Items[0].Key(), page.Items[0])
	}
	c.bill(c.phase(ctx), kind, "query", u)
	return page, nil
}

// Commit implements table.Table. A commit whose outcome is not known is not
// counted.
func (c *Counter) Commit(ctx context.Context, tx table.Tx) (table.Result, error) {
	prepared, err := table.Prepare(tx)
	if err != nil {
		return c.next.Commit(ctx, tx) // nothing is sent; the engine says why
	}
	c.commit.Lock()
	defer c.commit.Unlock()
	keys := make([]table.Key, len(prepared.Actions))
	for i, a := range prepared.Actions {
		keys[i] = a.Key
	}
	before, err := c.next.GetMany(ctx, keys)
	if err != nil {
		return table.Result{}, err
	}
	res, err := c.next.Commit(ctx, tx)
	if err != nil {
		return res, err
	}
	how := fate{alone: alone(prepared), won: res.Won(), again: slices.ContainsFunc(before, func(row table.Item) bool {
		return row[table.AttrTx].Equal(table.Str(tx.Token))
	})}
	c.called(c.phase(ctx), api(prepared), !res.Won())
	for i, a := range prepared.Actions {
		u, spent := cost(a, before[i], how)
		c.bill(c.phase(ctx), kindOf(a, before[i]), verbs[a.Verb], u)
		c.heat(c.phase(ctx), spent)
	}
	return res, nil
}

func kindOf(a table.Action, before table.Item) string {
	row := before
	if _, ok := a.Item["kind"]; ok {
		row = a.Item
	} else if _, ok := a.Set["kind"]; ok {
		row = a.Set
	}
	return KindOf(a.Key, row)
}

var verbs = map[table.Verb]string{table.Put: "put", table.Update: "update", table.Delete: "delete", table.Check: "check"}

// fate is how a commit went.
type fate struct {
	alone bool // no transaction
	won   bool
	again bool // it was made before, by its token
}

// cost is what one action of a commit is billed, and where on the indexes.
func cost(a table.Action, before table.Item, how fate) (Units, []spent) {
	after, err := table.Apply(a, before)
	if err != nil {
		after = before // cannot be: the commit went through
	}
	switch {
	case how.alone && a.Verb == table.Check:
		return Units{Read: units(table.SizeOf(before), readUnit)}, nil
	case how.again && !how.alone && how.won:
		return Units{Read: 2 * units(max(table.SizeOf(before), table.SizeOf(after)), readUnit)}, nil
	}
	u := Units{Write: written(before, after)}
	if !how.alone {
		u.Write *= 2
	}
	if !how.won || how.again {
		return u, nil
	}
	on := append(indexed(table.Open, before, after), indexed(table.List, before, after)...)
	for _, x := range on {
		u.Index += x.units
	}
	return u, on
}
