package table

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits of one page and of one GetMany.
const (
	MaxPage     = 1000
	DefaultPage = 100
	MaxKeys     = 100
)

// Start is where a page begins: after the row with this key and this sort key
// in the query's index (for Primary, Sort equals Key.SK).
type Start struct {
	Sort string
	Key  Key
}

// PrepareQuery checks a query, fills its default limit and reads its cursor;
// start is nil at the first page. Errors are ErrInvalid, also for a cursor
// that belongs to another query.
func PrepareQuery(q Query) (out Query, start *Start, err error) {
	bad := func(why string) (Query, *Start, error) {
		return Query{}, nil, fmt.Errorf("query of %s %.40q: %s: %w", q.Index.name(), q.PK, why, ErrInvalid)
	}
	if q.Index != Primary && q.Index != Open && q.Index != List {
		return bad("no such index")
	}
	if err := keyPart("partition key", q.PK, maxPartitionKeyBytes); err != nil {
		return bad(err.Error())
	}
	if q.Prefix != "" && (q.From != "" || q.To != "") {
		return bad("a prefix goes with no bounds")
	}
	for _, s := range []string{q.Prefix, q.From, q.To} {
		if len(s) > MaxKeyBytes || !utf8.ValidString(s) {
			return bad("a bound is too long or not UTF-8")
		}
	}
	if q.Limit < 0 || q.Limit > MaxPage {
		return bad(fmt.Sprintf("limit %d is not 1 to %d", q.Limit, MaxPage))
	}
	if q.Limit == 0 {
		q.Limit = DefaultPage
	}
	if q.Cursor == "" {
		return q, nil, nil
	}
	start, ok := readCursor(q)
	if !ok {
		return bad("the cursor is not one of this query")
	}
	return q, start, nil
}

// Empty reports whether no row can be in the query's bounds.
func (q Query) Empty() bool { return q.To != "" && q.From > q.To }

func (i Index) name() string {
	if i == Primary {
		return "table"
	}
	return fmt.Sprintf("index %q", string(i))
}

// cursor is what Page.Next carries: readable for no caller, and bound to the
// index and partition it came from.
type cursor struct {
	Index Index  `json:"i,omitempty"`
	PK    string `json:"p"`
	Sort  string `json:"s"`
	Row   *Key   `json:"r,omitempty"` // of an index row
}

// NextCursor names the last row of a page as the start of the next one.
func NextCursor(q Query, last Item) string {
	_, sortAttr := q.Index.Attrs()
	c := cursor{Index: q.Index, PK: q.PK, Sort: last[sortAttr].Str}
	if q.Index != Primary {
		key := last.Key()
		c.Row = &key
	}
	text, _ := json.Marshal(c) // strings only: cannot fail
	return base64.RawURLEncoding.EncodeToString(text)
}

func readCursor(q Query) (*Start, bool) {
	text, err := base64.RawURLEncoding.DecodeString(q.Cursor)
	if err != nil {
		return nil, false
	}
	var c cursor
	if json.Unmarshal(text, &c) != nil || c.Index != q.Index || c.PK != q.PK || c.Sort == "" {
		return nil, false
	}
	if !strings.HasPrefix(c.Sort, q.Prefix) || c.Sort < q.From || (q.To != "" && c.Sort > q.To) {
		return nil, false
	}
	if q.Index == Primary {
		return &Start{Sort: c.Sort, Key: Key{PK: c.PK, SK: c.Sort}}, c.Row == nil
	}
	if c.Row == nil || ValidateKey(*c.Row) != nil {
		return nil, false
	}
	return &Start{Sort: c.Sort, Key: *c.Row}, true
}
