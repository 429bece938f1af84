package turn

import (
	"fmt"
	"strings"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/session"
)

// MaxResult is the most bytes of a result that a step holds; what is longer is
// cut with a marker, so that a step fits its row (S7).
const MaxResult = 300 << 10

func cut(s string) string { return cutTo(s, MaxResult) }

func cutTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + fmt.Sprintf("\n[cut: %d of %d bytes]", most, len(s))
}

// title is an approval's one line: what, on what.
func title(j *judged) string {
	if j.call.Target == "" {
		return j.raw.Tool
	}
	return j.raw.Tool + " → " + j.call.Target
}

// does says what approving does (I22), for a tired person on a phone.
func does(j *judged) string {
	return fmt.Sprintf("Allow once: the agent runs %s with exactly these arguments. Deny: it does not run, and the agent is told.", title(j))
}

// auditor is the agent as the audit names it.
func auditor(s session.Session) actor.Actor {
	return actor.Actor{Provider: "postern", ID: s.ID, Name: "agent " + s.Persona, Kind: actor.Postern}
}
