package sqlite

import (
	"context"
	"fmt"

	"github.com/postern-dev/postern/shared/store/table"
)

// Get implements table.Table.
func (db *DB) Get(ctx context.Context, key table.Key) (item table.Item, err error) {
	if err := table.ValidateKey(key); err != nil {
		return nil, fmt.Errorf("get: %w", err)
	}
	err = db.read(ctx, func(s *session) error {
		_, _, item, err = s.row(key)
		return err
	})
	return item, err
}

// GetMany implements table.Table.
func (db *DB) GetMany(ctx context.Context, keys []table.Key) ([]table.Item, error) {
	if len(keys) > table.MaxKeys {
		return nil, fmt.Errorf("get many: %d keys, more than %d: %w", len(keys), table.MaxKeys, table.ErrInvalid)
	}
	for _, key := range keys {
		if err := table.ValidateKey(key); err != nil {
			return nil, fmt.Errorf("get many: %w", err)
		}
	}
	items := make([]table.Item, len(keys))
	err := db.read(ctx, func(s *session) (err error) {
		for i, key := range keys {
			if _, _, items[i], err = s.row(key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return items, nil
}

// top sorts after every string that is UTF-8.
const top = "\xff"

// pageQuery selects rows between two sort keys, the first within and the second
// without, and for an index beyond a row's place in it. It has no limit: whoever
// reads stops where the page ends, and with a limit as a parameter SQLite would
// plan the query again each time.
func pageQuery(index table.Index, newest bool) string {
	order, beyond := "ASC", ">"
	if newest {
		order, beyond = "DESC", "<"
	}
	if index == table.Primary {
		return "SELECT sk, body FROM rows WHERE pk = ? AND sk >= ? AND sk < ? ORDER BY sk " + order
	}
	pk, sk := index.Attrs()
	return fmt.Sprintf("SELECT pk, sk, %[2]s FROM rows WHERE %[1]s = ? AND %[2]s >= ? AND %[2]s < ?"+
		" AND (%[2]s, pk, sk) %[4]s (?, ?, ?) ORDER BY %[2]s %[3]s, pk %[3]s, sk %[3]s", pk, sk, order, beyond)
}

// Query implements table.Table. Pages of the indexes are as strong as those of
// the table here.
func (db *DB) Query(ctx context.Context, q table.Query) (page table.Page, err error) {
	q, start, err := table.PrepareQuery(q)
	if err != nil || q.Empty() {
		return table.Page{}, err
	}
	err = db.read(ctx, func(s *session) error {
		page.Items, err = s.page(q, start)
		return err
	})
	if err != nil {
		return table.Page{}, fmt.Errorf("query: %w", err)
	}
	if len(page.Items) > q.Limit {
		page.Items = page.Items[:q.Limit]
		page.Next = table.NextCursor(q, page.Items[q.Limit-1])
	}
	return page, nil
}

// bounds turns prefix, bounds and cursor into a half-open range of sort keys.
func bounds(q table.Query, start *table.Start) (from, to string) {
	from, to = q.From, top
	if q.To != "" {
		to = q.To + "\x00"
	}
	if q.Prefix != "" {
		from, to = q.Prefix, q.Prefix+top
	}
	switch {
	case start == nil:
	case q.Newest && q.Index == table.Primary:
		to = start.Sort
	case q.Newest:
		to = start.Sort + "\x00"
	case q.Index == table.Primary:
		from = start.Sort + "\x00"
	default:
		from = start.Sort
	}
	return from, to
}

// page reads one row more than the limit, to know whether there are more.
func (s *session) page(q table.Query, start *table.Start) ([]table.Item, error) {
	from, to := bounds(q, start)
	args := []any{q.PK, from, to}
	if q.Index != table.Primary {
		place := []any{"", "", ""}
		if q.Newest {
			place[0] = top
		}
		if start != nil {
			place = []any{start.Sort, start.Key.PK, start.Key.SK}
		}
		args = append(args, place...)
	}
	rows, err := s.pages[pageKind{q.Index, q.Newest}].QueryContext(background, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var items []table.Item
	for len(items) <= q.Limit && rows.Next() {
		item, err := scanRow(q, rows.Scan)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, rows.Err()
}

func scanRow(q table.Query, scan func(...any) error) (table.Item, error) {
	if q.Index == table.Primary {
		var sk, body string
		if err := scan(&sk, &body); err != nil {
			return nil, err
		}
		return decodeItem(table.Key{PK: q.PK, SK: sk}, body)
	}
	var pk, sk, sort string
	if err := scan(&pk, &sk, &sort); err != nil {
		return nil, err
	}
	pkAttr, skAttr := q.Index.Attrs()
	return table.Item{
		table.AttrPK: table.Str(pk), table.AttrSK: table.Str(sk),
		pkAttr: table.Str(q.PK), skAttr: table.Str(sort),
	}, nil
}
