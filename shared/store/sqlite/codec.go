package sqlite

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/postern-dev/postern/shared/store/table"
)

// A body is one byte of format, then for each attribute in order of name: the
// name, one byte of type, the value. Texts and bytes go with their length
// before them, as a varint. The key is not in it: the row's columns have it.
const bodyFormat = 1

var errBody = errors.New("stored row is damaged")

// appendItem encodes an item; the same item always gives the same bytes.
func appendItem(b []byte, it table.Item) []byte {
	var space [32]string
	names := space[:0]
	for name := range it {
		if name != table.AttrPK && name != table.AttrSK {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	b = append(b, bodyFormat)
	for _, name := range names {
		b = appendText(b, name)
		b = appendValue(b, it[name])
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendValue(b []byte, v table.Value) []byte {
	b = append(b, byte(v.Type))
	switch v.Type {
	case table.String, table.Number:
		return appendText(b, v.Str)
	case table.Boolean:
		if v.Bool {
			return append(b, 1)
		}
		return append(b, 0)
	case table.Binary:
		return append(binary.AppendUvarint(b, uint64(len(v.Bytes))), v.Bytes...)
	}
	return b
}

// decodeItem reads a body. The item's texts are parts of the body, so that they
// cost nothing of their own.
func decodeItem(key table.Key, body string) (table.Item, error) {
	n, err := attributes(body)
	if err != nil {
		return nil, err
	}
	it := make(table.Item, n+2)
	it[table.AttrPK], it[table.AttrSK] = table.Str(key.PK), table.Str(key.SK)
	for r := (reader{b: body[1:]}); len(r.b) > 0; {
		name := r.text()
		v := table.Value{Type: table.Type(r.byte())}
		switch v.Type {
		case table.String, table.Number:
			v.Str = r.text()
		case table.Boolean:
			v.Bool = r.byte() == 1
		case table.Binary:
			v.Bytes = []byte(r.text())
		}
		it[name] = v
	}
	return it, nil
}

// attributes checks a body and counts what is in it.
func attributes(body string) (n int, err error) {
	r := reader{b: body}
	if r.byte() != bodyFormat {
		return 0, errBody
	}
	for ; len(r.b) > 0; n++ {
		r.text()
		switch table.Type(r.byte()) {
		case table.String, table.Number, table.Binary:
			r.text()
		case table.Boolean:
			r.byte()
		default:
			r.bad = true
		}
		if r.bad {
			return 0, errBody
		}
	}
	return n, nil
}

type reader struct {
	b   string
	bad bool
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.bad = true
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) text() string {
	n := r.uvarint()
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, ""
		return ""
	}
	text := r.b[:n]
	r.b = r.b[n:]
	return text
}

// uvarint is binary.Uvarint of a string; bad is more than the body can hold.
func (r *reader) uvarint() (n uint64) {
	for shift := 0; shift < 32 && len(r.b) > 0; shift += 7 {
		c := r.byte()
		if n |= uint64(c&0x7f) << shift; c < 0x80 {
			return n
		}
	}
	r.bad = true
	return math.MaxUint64
}
