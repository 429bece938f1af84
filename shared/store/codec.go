package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/store/table"
)

// timeForm is how a time stands in a row: UTC, milliseconds, fixed width, so
// that text order is time order.
const timeForm = "2006-01-02T15:04:05.000Z"

// Stamp writes a time as rows hold it.
func Stamp(t time.Time) string { return t.UTC().Format(timeForm) }

func stampValue(t time.Time) table.Value { return table.Str(Stamp(t)) }

// encode turns a domain value into a row: each exported field an attribute
// named after it with a small first letter; scalars as such, times as Stamp,
// everything else as JSON text. Zero values are left out.
func encode(v any) table.Item {
	it := table.Item{}
	rv := reflect.ValueOf(v)
	rt := rv.Type()
	for i := range rt.NumField() {
		f := rv.Field(i)
		if f.IsZero() {
			continue
		}
		it[attr(rt.Field(i).Name)] = encodeField(f)
	}
	return it
}

func encodeField(f reflect.Value) table.Value {
	if t, ok := f.Interface().(time.Time); ok {
		return stampValue(t)
	}
	switch f.Kind() {
	case reflect.String:
		return table.Str(f.String())
	case reflect.Bool:
		return table.Bool(f.Bool())
	case reflect.Int, reflect.Int64:
		return table.Int(f.Int())
	}
	// Characters stay as they are: escaped for HTML, canonical arguments would
	// not be canonical any more, and up to six times as long.
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(f.Interface()); err != nil { // our own types: a programming mistake, found by the first test
		panic(fmt.Sprintf("store: encode %s: %v", f.Type(), err))
	}
	return table.Str(strings.TrimSuffix(b.String(), "\n"))
}

// decode fills a domain value from a row. Attributes it does not know are
// left alone, so that a newer release's rows can be read (D13).
func decode(it table.Item, into any) error {
	rv := reflect.ValueOf(into).Elem()
	rt := rv.Type()
	for i := range rt.NumField() {
		v, ok := it[attr(rt.Field(i).Name)]
		if !ok {
			continue
		}
		if err := decodeField(v, rv.Field(i)); err != nil {
			return fmt.Errorf("row %s/%s attribute %s: %w", it["pk"].Str, it["sk"].Str, attr(rt.Field(i).Name), err)
		}
	}
	return nil
}

func decodeField(v table.Value, f reflect.Value) error {
	if _, ok := f.Interface().(time.Time); ok {
		t, err := time.Parse(timeForm, v.Str)
		if err != nil {
			return err
		}
		f.Set(reflect.ValueOf(t))
		return nil
	}
	switch f.Kind() {
	case reflect.String:
		f.SetString(v.Str)
		return nil
	case reflect.Bool:
		f.SetBool(v.Bool)
		return nil
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(v.Str, 10, 64)
		f.SetInt(n)
		return err
	}
	return json.Unmarshal([]byte(v.Str), f.Addr().Interface())
}

// attr is a field's attribute: its name with a small first letter or first
// abbreviation (ID is id). "kind" is the row's own, for the stream's filter, so
// a field of that name is kind_.
func attr(field string) string {
	switch {
	case field == "Kind":
		return "kind_"
	case strings.ToUpper(field) == field:
		return strings.ToLower(field)
	}
	return strings.ToLower(field[:1]) + field[1:]
}

// read decodes a row that may be absent: nil for none.
func read[T any](it table.Item) (*T, error) {
	if it == nil {
		return nil, nil
	}
	v := new(T)
	if err := decode(it, v); err != nil {
		return nil, err
	}
	return v, nil
}

// readAll decodes a page's rows.
func readAll[T any](items []table.Item) ([]T, error) {
	out := make([]T, 0, len(items))
	for _, it := range items {
		v, err := read[T](it)
		if err != nil {
			return nil, err
		}
		if v != nil {
			out = append(out, *v)
		}
	}
	return out, nil
}
