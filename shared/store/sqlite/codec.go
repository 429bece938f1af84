package sqlite

import (
	"encoding/binary"
	"errors"
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

// decodeItem reads a body; nil bytes are a row that was not there.
func decodeItem(key table.Key, b []byte) (table.Item, error) {
	if b == nil {
		return nil, nil
	}
	r := reader{b: b}
	if r.byte() != bodyFormat {
		return nil, errBody
	}
	it := make(table.Item, 16)
	it[table.AttrPK], it[table.AttrSK] = table.Str(key.PK), table.Str(key.SK)
	for len(r.b) > 0 && !r.bad {
		name := string(r.text())
		v := table.Value{Type: table.Type(r.byte())}
		switch v.Type {
		case table.String, table.Number:
			v.Str = string(r.text())
		case table.Boolean:
			v.Bool = r.byte() == 1
		case table.Binary:
			v.Bytes = append([]byte{}, r.text()...)
		default:
			r.bad = true
		}
		it[name] = v
	}
	if r.bad {
		return nil, errBody
	}
	return it, nil
}

type reader struct {
	b   []byte
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

func (r *reader) text() []byte {
	n, used := binary.Uvarint(r.b)
	if used <= 0 || n > uint64(len(r.b)-used) {
		r.bad, r.b = true, nil
		return nil
	}
	text := r.b[used : used+int(n)]
	r.b = r.b[used+int(n):]
	return text
}
