package slack

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// loose is a string field that takes whatever comes: a string as it is, null as
// empty, anything else as its JSON text. So an odd type never loses an event,
// and never hides one either: a bot_id that is a number is still a bot_id.
type loose string

func (l loose) on() bool { return l != "" && l != "false" }

// reader goes once through a JSON text and hands out the fields that are asked
// for. It fails on what is not JSON, and on nothing else: where an object or a
// list is expected and something else comes, that is skipped.
type reader struct{ d *jsontext.Decoder }

// read reads one object and nothing after it. It reports whether the whole text
// was well-formed, at most 10,000 deep, and an object.
func read(raw []byte, field func(r reader, name string) error) bool {
	r := reader{jsontext.NewDecoder(bytes.NewBuffer(raw),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	if r.d.PeekKind() != '{' || r.object(field) != nil {
		return false
	}
	_, err := r.d.ReadToken()
	return err == io.EOF
}

// object calls field for each field of the next value, with its name. field
// must read or skip exactly one value.
func (r reader) object(field func(r reader, name string) error) error {
	if r.d.PeekKind() != '{' {
		return r.skip()
	}
	if _, err := r.d.ReadToken(); err != nil {
		return err
	}
	for r.d.PeekKind() != '}' {
		name, err := r.d.ReadToken()
		if err != nil {
			return err
		}
		if err := field(r, name.String()); err != nil {
			return err
		}
	}
	_, err := r.d.ReadToken()
	return err
}

// list calls item for each item of the next value. item must read or skip
// exactly one value.
func (r reader) list(item func(r reader) error) error {
	if r.d.PeekKind() != '[' {
		return r.skip()
	}
	if _, err := r.d.ReadToken(); err != nil {
		return err
	}
	for r.d.PeekKind() != ']' {
		if err := item(r); err != nil {
			return err
		}
	}
	_, err := r.d.ReadToken()
	return err
}

// text reads the next value as a loose string.
func (r reader) text(into *loose) error {
	v, err := r.d.ReadValue()
	if err != nil {
		return err
	}
	switch v.Kind() {
	case 'n':
		*into = ""
	case '"':
		// What is no UTF-8 is replaced; that the string is well-formed is known.
		s, _ := jsontext.AppendUnquote(nil, v)
		*into = loose(s)
	default:
		*into = loose(bytes.ToValidUTF8(v, []byte("\uFFFD")))
	}
	return nil
}

// null reports whether the next value is null.
func (r reader) null() bool { return r.d.PeekKind() == 'n' }

func (r reader) skip() error { return r.d.SkipValue() }
