package catalog

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// names lists the arguments in order.
func (a Args) names() []string { return slices.Sorted(maps.Keys(a)) }

// cut shortens s to at most n characters, the last of them an ellipsis.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// connectorOf returns the connector that a capability requires, or "".
func connectorOf(c Capability) string {
	for _, r := range c.Requires {
		if name, ok := strings.CutPrefix(r, "connector:"); ok {
			return name
		}
	}
	return ""
}
