package table

// Cond is one condition on one row.
type Cond struct {
	Op    Op
	Attr  string // empty for Absent and Present of the row itself
	Value Value
}

// Op is the kind of a condition.
type Op int

const (
	OpAbsent  Op = iota + 1 // the row (or Attr, if given) does not exist
	OpPresent               // the row (or Attr, if given) exists
	OpEquals                // Attr exists and equals Value, of the same type
	OpBefore                // Attr exists and is less than Value, of the same type
	OpAfter                 // Attr exists and is greater than Value, of the same type
)

// Absent holds when the row does not exist.
func Absent() Cond { return Cond{Op: OpAbsent} }

// Present holds when the row exists.
func Present() Cond { return Cond{Op: OpPresent} }

// Lacks holds when the row, if any, has no such attribute.
func Lacks(attr string) Cond { return Cond{Op: OpAbsent, Attr: attr} }

// Has holds when the row has the attribute.
func Has(attr string) Cond { return Cond{Op: OpPresent, Attr: attr} }

// Equals holds when the attribute exists and equals v.
func Equals(attr string, v Value) Cond { return Cond{Op: OpEquals, Attr: attr, Value: v} }

// Before holds when the attribute exists and is less than v.
func Before(attr string, v Value) Cond { return Cond{Op: OpBefore, Attr: attr, Value: v} }

// After holds when the attribute exists and is greater than v.
func After(attr string, v Value) Cond { return Cond{Op: OpAfter, Attr: attr, Value: v} }

// Version holds when the row's "version" attribute equals n.
func Version(n int64) Cond { return Equals("version", Int(n)) }
