package table

import (
	"bytes"
	"strconv"
)

// Item is one row's attributes by name. "pk" and "sk" are the key.
type Item map[string]Value

// Value is one attribute: a string, a number, a bool or bytes. The zero Value
// is no attribute at all.
type Value struct {
	Type  Type
	Str   string // String, and Number in decimal
	Bool  bool
	Bytes []byte
}

// Type is the type of a Value.
type Type int

const (
	String Type = iota + 1
	Number      // up to 38 digits, kept exactly
	Boolean
	Binary
)

// Str makes a string; the empty string is kept as such.
func Str(s string) Value { return Value{Type: String, Str: s} }

// Int makes a number.
func Int(n int64) Value { return Value{Type: Number, Str: strconv.FormatInt(n, 10)} }

// Num makes a number from decimal text, up to 38 digits.
func Num(s string) Value { return Value{Type: Number, Str: s} }

// Bool makes a bool.
func Bool(b bool) Value { return Value{Type: Boolean, Bool: b} }

// Bytes makes a binary value.
func Bytes(b []byte) Value { return Value{Type: Binary, Bytes: b} }

// Equal reports whether two values are the same type and text. Numbers
// compare by their text, which both engines keep in canonical form.
func (v Value) Equal(w Value) bool {
	return v.Type == w.Type && v.Str == w.Str && v.Bool == w.Bool && bytes.Equal(v.Bytes, w.Bytes)
}

// Int64 returns a number as int64, or 0 if it is none.
func (v Value) Int64() int64 {
	n, _ := strconv.ParseInt(v.Str, 10, 64)
	return n
}

// Key returns the row's key, read from its attributes.
func (it Item) Key() Key { return Key{PK: it["pk"].Str, SK: it["sk"].Str} }
