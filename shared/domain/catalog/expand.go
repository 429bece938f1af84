package catalog

import "slices"

// Missing is a capability that a session asked for and does not get, and why:
// the session says so, and where to set it up (P10).
type Missing struct {
	Capability string
	Requires   string // the requirement that is not met; empty for an unknown id
	Where      string // what a person can do about it
}

// Expand returns the tools of a session: those every session has, then those
// of the named capabilities, in order, each once. have holds the requirements
// that are met (workspace, runner, connector:slack). A capability that lacks
// one is left out and reported.
func Expand(ids []string, have map[string]bool) (tools []Tool, missing []Missing) {
	tools = slices.Clone(session.Tools)
	done := map[string]bool{session.ID: true}
	for _, id := range ids {
		if done[id] {
			continue
		}
		done[id] = true
		c, ok := Find(id)
		if !ok {
			missing = append(missing, Missing{Capability: id, Where: "no capability has this id; see the list in the panel under Personas"})
			continue
		}
		lacks := lacking(c, have)
		if len(lacks) == 0 {
			tools = append(tools, c.Tools...)
		}
		missing = append(missing, lacks...)
	}
	return tools, missing
}

// WithConnectors adds the capabilities that the named connectors bring along,
// after those already there (P10).
func WithConnectors(ids, connectors []string) []string {
	out := slices.Clone(ids)
	for _, name := range connectors {
		for _, c := range all {
			if connectorOf(c) == name && !slices.Contains(out, c.ID) {
				out = append(out, c.ID)
			}
		}
	}
	return out
}

func lacking(c Capability, have map[string]bool) (missing []Missing) {
	for _, r := range c.Requires {
		if !have[r] {
			missing = append(missing, Missing{Capability: c.ID, Requires: r, Where: where(r)})
		}
	}
	return missing
}
