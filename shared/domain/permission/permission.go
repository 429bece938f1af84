// Package permission decides what a tool call may do: allow, deny, ask or route
// (permissions.md, P1 to P27).
//
// Evaluate is pure: the call and the state are all it knows, the time included.
// It prompts nobody, stores nothing and runs nothing. A denial is a value. A
// model, a persona, a repository file or an MCP server can add nothing to what
// it reads as state (P3); whoever loads the state keeps to that.
package permission

import (
	"fmt"

	"github.com/postern-dev/postern/shared/domain/catalog"
)

// Risk is the class of a tool (P1).
type Risk = catalog.Risk

const (
	Read       = catalog.Read
	WriteLocal = catalog.WriteLocal
	Exec       = catalog.Exec
	External   = catalog.External
)

// Mode says whether a consequential call of a session needs a person.
type Mode string

const (
	Discuss     Mode = "discuss"     // reads only
	Plan        Mode = "plan"        // reads only, and may propose a plan
	Interactive Mode = "interactive" // the default: every consequential call asks
	Custom      Mode = "custom"      // as configured, else asks
	Auto        Mode = "auto"        // asks for floor tools only
)

// ReadOnly reports whether the mode denies every consequential call.
func (m Mode) ReadOnly() bool { return m == Discuss || m == Plan }

// ParseMode reads a mode by its exact text form; the empty word is the default.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case Discuss, Plan, Interactive, Custom, Auto:
		return m, nil
	case "":
		return Interactive, nil
	}
	return "", fmt.Errorf("%q is not a mode (discuss, plan, interactive, custom, auto)", s)
}

// Within reports whether m gives no more power than limit: what a persona
// starts a session with never exceeds what a person allowed (PR4).
func (m Mode) Within(limit Mode) bool {
	power := map[Mode]int{Discuss: 0, Plan: 1, Interactive: 2, "": 2, Custom: 3, Auto: 4}
	mine, ok := power[m]
	most, known := power[limit]
	return ok && known && mine <= most
}
