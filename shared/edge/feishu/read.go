package feishu

import (
	"bytes"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// reader goes once through a JSON text and hands out the fields asked for. It
// fails on what is no JSON and on nothing else: a value of an unexpected type
// is passed over and costs its own field only (webhook fact 0).
type reader struct{ d *jsontext.Decoder }

// readObject reads one JSON object and nothing after it. It reports whether
// the whole text was one.
func readObject(raw []byte, field func(r reader, name string) error) bool {
	r := reader{jsontext.NewDecoder(bytes.NewBuffer(raw),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	if r.d.PeekKind() != '{' || r.fields(field) != nil {
		return false
	}
	_, err := r.d.ReadToken()
	return err == io.EOF
}

// fields calls field for each field of the next value if that is an object;
// field must consume the value.
func (r reader) fields(field func(r reader, name string) error) error {
	if r.d.PeekKind() != '{' {
		return r.d.SkipValue()
	}
	_, err := r.d.ReadToken()
	for err == nil && r.d.PeekKind() != '}' {
		var name jsontext.Token
		if name, err = r.d.ReadToken(); err == nil {
			err = field(r, name.String())
		}
	}
	if err == nil {
		_, err = r.d.ReadToken()
	}
	return err
}

// items calls item for each item of the next value if that is a list; item must
// consume the value.
func (r reader) items(item func(r reader) error) error {
	if r.d.PeekKind() != '[' {
		return r.d.SkipValue()
	}
	_, err := r.d.ReadToken()
	for err == nil && r.d.PeekKind() != ']' {
		err = item(r)
	}
	if err == nil {
		_, err = r.d.ReadToken()
	}
	return err
}

// text reads the next value into a string if it is a string or a number: time
// stamps come as both. Anything else leaves it empty.
func (r reader) text(into *string) error {
	v, err := r.d.ReadValue()
	if err != nil {
		return err
	}
	*into = ""
	switch v.Kind() {
	case '"':
		if inside := v[1 : len(v)-1]; bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) {
			*into = string(inside) // as it stands
			return nil
		}
		*into = string(unquoted(v))
	case '0':
		*into = string(v)
	}
	return nil
}

// inner reads the next value if it is a string, which is JSON itself.
func (r reader) inner(into *[]byte) error {
	v, err := r.d.ReadValue()
	*into = nil
	if err == nil && v.Kind() == '"' {
		*into = unquoted(v)
	}
	return err
}

// unquoted is what a string says; bad UTF-8 becomes U+FFFD.
func unquoted(v jsontext.Value) []byte {
	s, _ := jsontext.AppendUnquote(make([]byte, 0, len(v)), v) // well-formed
	return s
}

// raw keeps the next value as it is.
func (r reader) raw(into *[]byte) error {
	v, err := r.d.ReadValue()
	*into = bytes.Clone(v)
	return err
}

// into reads an object's string fields by name; all others are passed over.
func (r reader) into(fields map[string]*string) error {
	return r.fields(func(r reader, name string) error {
		if p := fields[name]; p != nil {
			return r.text(p)
		}
		return r.d.SkipValue()
	})
}
