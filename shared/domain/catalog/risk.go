package catalog

import "fmt"

// Risk is the class of a tool (P1). Its text form is what files and rows hold.
type Risk string

const (
	Read       Risk = "read"
	WriteLocal Risk = "write_local"
	Exec       Risk = "exec"
	External   Risk = "external"
)

// Risks lists the classes, the least first.
func Risks() []Risk { return []Risk{Read, WriteLocal, Exec, External} }

// Consequential reports whether a call of this class may need a person. All but
// read is, an unknown word included: nothing is harmless by mistake (P1, P2).
func (r Risk) Consequential() bool { return r != Read }

// rank orders the classes from the least to the strictest. A word that is no
// class counts as external.
func (r Risk) rank() int {
	switch r {
	case Read:
		return 0
	case WriteLocal:
		return 1
	case Exec:
		return 2
	}
	return 3
}

// Below reports whether r is a lower class than other.
func (r Risk) Below(other Risk) bool { return r.rank() < other.rank() }

// Stricter returns the higher of two classes (P5).
func Stricter(a, b Risk) Risk {
	if a.Below(b) {
		return b
	}
	return a
}

// ParseRisk reads a class by its exact text form.
func ParseRisk(s string) (Risk, error) {
	switch r := Risk(s); r {
	case Read, WriteLocal, Exec, External:
		return r, nil
	}
	return "", fmt.Errorf("%q is not a risk class (read, write_local, exec, external)", s)
}
