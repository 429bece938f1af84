package permission

import "strings"

// Choice is a word that an approval takes as its answer (I9).
type Choice string

const (
	ChooseAllow   Choice = "allow"
	ChooseDeny    Choice = "deny"
	ChooseSession Choice = "allow_session"    // P17
	ChooseEvery   Choice = "allow_every_time" // P21, in a task's run only
)

// Offers lists what the card of a call may offer. The server checks again when
// the answer comes (P22).
func Offers(c Call, s State) []Choice {
	offers := []Choice{ChooseAllow, ChooseDeny}
	if _, ok := AllowanceFor(c, s); ok {
		offers = append(offers, ChooseSession)
	}
	if mintable(s.Task, c.Tool, s.Overrides) == "" && bindable(c) == "" {
		offers = append(offers, ChooseEvery)
	}
	return offers
}

// AlwaysAllow is the override that "always allow this tool" on a card writes
// (P7): exactly this tool, from now on read. ok is false where no override
// would relax asking: exec and floor tools.
func AlwaysAllow(c Call) (o Override, ok bool) {
	entry, _ := c.entry()
	if entry.Risk == Exec || entry.Irreversible {
		return Override{}, false
	}
	// A server may call its tool "*", or have a slash in its name: the pattern
	// would then mean more than this tool.
	if strings.ContainsAny(c.Tool+c.Server, wild) || strings.Contains(c.Server, "/") ||
		c.Server == "" && strings.Contains(c.Tool, "/") {
		return Override{}, false
	}
	o = Override{Pattern: c.Name(), Risk: Read}
	_, err := NewOverrides([]Override{o})
	return o, err == nil
}
