package catalog

// Summary is what a consent screen shows of one capability (P12).
type Summary struct {
	Capability   string
	Name         string
	Risks        []Risk   // the classes of its tools, the least first
	Irreversible []string // tools that always need a person (P6)
}

// RiskSummary sums up the named capabilities, in order. An unknown id is shown
// as external: nobody vouches for it.
func RiskSummary(ids []string) []Summary {
	var out []Summary
	for _, id := range ids {
		c, ok := Find(id)
		if !ok {
			out = append(out, Summary{Capability: id, Name: id, Risks: []Risk{External}})
			continue
		}
		s := Summary{Capability: c.ID, Name: c.Name, Risks: classes(c.Tools)}
		for _, t := range c.Tools {
			if t.Irreversible {
				s.Irreversible = append(s.Irreversible, t.Name)
			}
		}
		out = append(out, s)
	}
	return out
}

func classes(tools []Tool) (found []Risk) {
	for _, r := range Risks() {
		for _, t := range tools {
			if t.Risk == r {
				found = append(found, r)
				break
			}
		}
	}
	return found
}
