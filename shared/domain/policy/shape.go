package policy

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

var policyType = reflect.TypeFor[Policy]()

// shape holds a node against a type of policy.go: each key known, each value of
// the right sort. It remembers the line of each key on the way.
func (r *reader) shape(n ast.Node, key string, line int, t reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	r.lines[key] = line
	switch n.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		r.add(key, "anchors, aliases and tags are not allowed; write the value out")
		return
	case *ast.NullNode:
		r.add(key, "has no value; write "+inWords(t)+", or leave the key out")
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		r.mapping(n, key, t)
	case reflect.Slice:
		list, ok := n.(*ast.SequenceNode)
		if !ok {
			r.add(key, "must be "+inWords(t))
			return
		}
		for i, v := range list.Values {
			r.shape(v, fmt.Sprintf("%s[%d]", key, i), lineOf(v, line), t.Elem())
		}
	case reflect.Bool:
		if _, ok := n.(*ast.BoolNode); !ok {
			r.add(key, "must be "+inWords(t))
		}
	default:
		switch text := n.(type) {
		case *ast.StringNode:
			if text.Value == "" {
				r.add(key, "is empty; write a value, or leave the key out")
			}
		case *ast.LiteralNode:
		default:
			r.add(key, "must be "+inWords(t))
		}
	}
}

// mapping checks the keys of a mapping, which the parser already knows to be
// different ones.
func (r *reader) mapping(n ast.Node, key string, t reflect.Type) {
	var values []*ast.MappingValueNode
	switch m := n.(type) {
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	default:
		r.add(key, "must be "+inWords(t))
		return
	}
	for _, v := range values {
		name, plain := v.Key.(*ast.StringNode)
		at := lineOf(v.Key, r.lines[key])
		if !plain {
			r.addLine(at, key, "a key must be plain text, one of "+orList(keysOf(t)))
			continue
		}
		inner := strings.TrimPrefix(key+"."+name.Value, ".")
		field, ok := fieldOf(t, name.Value)
		if !ok {
			r.addLine(at, inner, "unknown key; allowed here: "+orList(keysOf(t)))
			continue
		}
		r.shape(v.Value, inner, at, field.Type)
	}
}

func lineOf(n ast.Node, otherwise int) int {
	if n == nil {
		return otherwise
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return otherwise
}

// keysOf are the keys of a type, in its order.
func keysOf(t reflect.Type) []string {
	var keys []string
	for i := range t.NumField() {
		if key := yamlKey(t.Field(i)); key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}

func fieldOf(t reflect.Type, key string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if f := t.Field(i); key != "-" && yamlKey(f) == key {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

func yamlKey(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return key
}

// inWords is a type in words.
func inWords(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct:
		return "a mapping with the keys " + orList(keysOf(t))
	case reflect.Slice:
		return "a list ([] for an empty one)"
	case reflect.Bool:
		return "true or false"
	}
	return "text (in quotes if it looks like a number)"
}
