package table

import (
	"bytes"
	"strings"
)

// Holds reports whether all conditions hold on a row; a nil item is a row that
// does not exist. No conditions always hold. A missing attribute or another
// type holds for nothing but Absent and Lacks.
func Holds(conds []Cond, item Item) bool {
	for _, c := range conds {
		if !c.holds(item) {
			return false
		}
	}
	return true
}

func (c Cond) holds(item Item) bool {
	value, exists := item[c.Attr]
	if c.Attr == "" {
		exists = len(item) > 0
	}
	switch c.Op {
	case OpAbsent:
		return !exists
	case OpPresent:
		return exists
	}
	if !exists || c.Attr == "" || value.Type != c.Value.Type {
		return false
	}
	if c.Op == OpEquals && value.Type == Boolean {
		return value.Bool == c.Value.Bool
	}
	order, ok := compare(value, c.Value)
	switch c.Op {
	case OpEquals:
		return ok && order == 0
	case OpBefore:
		return ok && order < 0
	case OpAfter:
		return ok && order > 0
	}
	return false
}

// compare orders two values of one type; bools have no order.
func compare(a, b Value) (order int, ok bool) {
	switch a.Type {
	case String:
		return strings.Compare(a.Str, b.Str), true
	case Number:
		if a.Str == b.Str {
			return 0, true
		}
		return compareNumbers(a.Str, b.Str)
	case Binary:
		return bytes.Compare(a.Bytes, b.Bytes), true
	}
	return 0, false
}
