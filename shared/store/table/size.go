package table

import "strings"

// SizeOf is a row's size in bytes as DynamoDB counts it against MaxItemBytes:
// names and values, strings and bytes by length, a bool 1, a number half a
// byte for each significant digit and at most 2 more. Where DynamoDB's own
// count of numbers is only said to be approximate, this is its upper end.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
func SizeOf(it Item) int {
	size := 0
	for name, v := range it {
		size += len(name) + v.size()
	}
	return size
}

func (v Value) size() int {
	switch v.Type {
	case String:
		return len(v.Str)
	case Number:
		digits := strings.Trim(strings.Replace(strings.TrimPrefix(v.Str, "-"), ".", "", 1), "0")
		size := 1 + (len(digits)+1)/2
		if strings.HasPrefix(v.Str, "-") {
			size++
		}
		return size
	case Boolean:
		return 1
	case Binary:
		return len(v.Bytes)
	}
	return 0
}
