package github

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// reader goes once through a JSON text. It fails on what is not JSON, or is
// nested over 10,000 deep, and on nothing else: a value of another type than
// the one asked for is passed over and costs its own field only.
type reader struct{ d *jsontext.Decoder }

// read reads one object and nothing behind it. It reports whether the text is
// well-formed.
func read(raw []byte, field func(r reader, name string) error) bool {
	r := reader{jsontext.NewDecoder(bytes.NewBuffer(raw),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	if r.object(field) != nil {
		return false
	}
	_, err := r.d.ReadToken()
	return err == io.EOF
}

// object calls field for each field of the next value, if that is an object.
// field must read or skip one value, and not keep the name.
func (r reader) object(field func(r reader, name string) error) error {
	if r.d.PeekKind() != '{' {
		return r.d.SkipValue()
	}
	if _, err := r.d.ReadToken(); err != nil {
		return err
	}
	for r.d.PeekKind() != '}' {
		name, err := r.d.ReadValue()
		if err != nil {
			return err
		}
		known := names[string(name)] // "" for a field that nobody reads
		if known == "" {
			err = r.d.SkipValue()
		} else {
			err = field(r, known)
		}
		if err != nil {
			return err
		}
	}
	_, err := r.d.ReadToken()
	return err
}

func (r reader) text(into *string) error {
	v, err := r.d.ReadValue()
	if err == nil && v.Kind() == '"' {
		// What is no UTF-8 is replaced; that the string is well-formed is known.
		s, _ := jsontext.AppendUnquote(nil, v)
		*into = string(s)
	}
	return err
}

func (r reader) number(into *number) error {
	v, err := r.d.ReadValue()
	if err == nil {
		*into = 0
		err = into.UnmarshalJSON(v)
	}
	return err
}
