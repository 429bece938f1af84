package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Args are the arguments of one call by name, each still JSON.
type Args map[string]json.RawMessage

// ParseArgs reads a JSON object.
func ParseArgs(raw []byte) (Args, error) {
	var a Args
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("read arguments: %w", err)
	}
	return a, nil
}

// Given reports whether the argument says anything: absent, null, empty text,
// empty list, empty object and false say nothing.
func (a Args) Given(name string) bool {
	switch string(a[name]) {
	case "", "null", `""`, "[]", "{}", "false":
		return false
	}
	return true
}

// text returns an argument that is a string.
func (a Args) text(name string) (string, bool) {
	raw := a[name]
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// texts returns an argument that is a string or a list of strings.
func (a Args) texts(name string) ([]string, bool) {
	if s, ok := a.text(name); ok {
		return []string{s}, true
	}
	var list []string
	if raw := a[name]; len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		return nil, false
	}
	return list, true
}

// only reports whether every argument given is among names.
func (a Args) only(names ...[]string) bool {
next:
	for name := range a {
		if !a.Given(name) {
			continue
		}
		for _, list := range names {
			for _, n := range list {
				if n == name {
					continue next
				}
			}
		}
		return false
	}
	return true
}

// Preview is one line of the arguments for people: "key: value" pairs in key
// order, each value at most 80 characters, the whole at most 240.
func (a Args) Preview() string {
	var parts []string
	for _, name := range a.names() {
		value, ok := a.text(name)
		if !ok {
			value = string(a[name])
		}
		parts = append(parts, name+": "+cut(strings.Join(strings.Fields(value), " "), 80))
	}
	return cut(strings.Join(parts, " · "), 240)
}
