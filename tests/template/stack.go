package template

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
)

// Stack is a template with its parameters worked out.
type Stack struct {
	Resources map[string]Resource
	Outputs   map[string]string
}

// Resource is one resource with plain values for properties.
type Resource struct {
	Type       string
	Properties map[string]any
	Rest       map[string]any // DeletionPolicy, Metadata and the like
}

// read gives a template's tree, from YAML or from expanded JSON.
func read(path string) (map[string]any, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read template: %w", err)
	}
	if strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
		return parseJSON(text)
	}
	return parseYAML(text)
}

func parseJSON(text []byte) (map[string]any, error) {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		return nil, fmt.Errorf("parse expanded template: %w", err)
	}
	return whole(m).(map[string]any), nil
}

// whole turns JSON numbers into int, as parseYAML gives them.
func whole(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = whole(e)
		}
	case []any:
		for i, e := range v {
			v[i] = whole(e)
		}
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return int(i)
		}
		return v.String()
	}
	return v
}

// resolve works a tree out for the given parameters; the others take their
// defaults.
func resolve(tree map[string]any, given map[string]string) (*Stack, error) {
	params := map[string]any{}
	for name, p := range under(tree, "Parameters") {
		params[name] = under(tree, "Parameters", name)["Default"]
		if p == nil || params[name] == nil {
			return nil, fmt.Errorf("parameter %s has no default: a plain deployment would fail", name)
		}
	}
	for name, v := range given {
		if _, ok := params[name]; !ok {
			return nil, fmt.Errorf("no parameter %s", name)
		}
		params[name] = v
	}
	r := &resolver{params: params, mappings: under(tree, "Mappings"), conditions: under(tree, "Conditions")}
	s := &Stack{Resources: map[string]Resource{}, Outputs: map[string]string{}}
	globals := under(tree, "Globals", "Function")
	for id := range under(tree, "Resources") {
		raw := under(tree, "Resources", id)
		v, err := r.value(raw)
		if err != nil {
			return nil, fmt.Errorf("resource %s: %w", id, err)
		}
		rest := v.(map[string]any)
		res := Resource{Type: text(rest["Type"]), Properties: under(rest, "Properties"), Rest: rest}
		if res.Type == "AWS::Serverless::Function" {
			g, err := r.value(globals)
			if err != nil {
				return nil, fmt.Errorf("globals: %w", err)
			}
			res.Properties = merge(g.(map[string]any), res.Properties)
		}
		s.Resources[id] = res
	}
	for name := range under(tree, "Outputs") {
		v, err := r.value(under(tree, "Outputs", name)["Value"])
		if err != nil {
			return nil, fmt.Errorf("output %s: %w", name, err)
		}
		s.Outputs[name] = text(v)
	}
	return s, nil
}

// merge lays local over global as SAM does: mappings merge, the rest replaces.
func merge(global, local map[string]any) map[string]any {
	m := map[string]any{}
	for k, v := range global {
		m[k] = v
	}
	for k, v := range local {
		g, isMap := m[k].(map[string]any)
		l, too := v.(map[string]any)
		if isMap && too {
			m[k] = merge(g, l)
		} else {
			m[k] = v
		}
	}
	return m
}

// under walks down mappings and gives an empty one where the path ends early.
func under(m map[string]any, path ...string) map[string]any {
	for _, p := range path {
		next, _ := m[p].(map[string]any)
		m = next
	}
	if m == nil {
		m = map[string]any{}
	}
	return m
}

// text gives a string, a whole number as digits, and nothing for the rest.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int:
		return fmt.Sprint(v)
	}
	return ""
}

// texts gives a list of strings; one string alone is a list of one.
func texts(v any) []string {
	if list, ok := v.([]any); ok {
		out := make([]string, 0, len(list))
		for _, e := range list {
			out = append(out, text(e))
		}
		return out
	}
	if s := text(v); s != "" {
		return []string{s}
	}
	return nil
}

// number gives a whole number, also one written as text; -1 for the rest.
func number(v any) int {
	n := -1
	if _, err := fmt.Sscan(text(v), &n); err != nil {
		return -1
	}
	return n
}

// ofType lists the ids of a type's resources in order.
func (s *Stack) ofType(t string) []string {
	var ids []string
	for id, r := range s.Resources {
		if r.Type == t {
			ids = append(ids, id)
		}
	}
	sort.Strings(ids)
	return ids
}

// logical gives the resource that a reference names: "${X}", "${X.Arn}" and a
// secret's "${X.Id}" are X, "${X.Other}" is X.Other. Anything else comes back
// as it is.
func logical(ref string) string {
	inner, ok := strings.CutPrefix(ref, "${")
	if inner, end := strings.CutSuffix(inner, "}"); ok && end && !strings.Contains(inner, "$") {
		return strings.TrimSuffix(strings.TrimSuffix(inner, ".Arn"), ".Id")
	}
	return ref
}
