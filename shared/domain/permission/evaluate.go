package permission

import "github.com/postern-dev/postern/shared/domain/catalog"

// Evaluate decides one call by the order of P13; the first step that hits wins.
// It allocates nothing for a call that is allowed to read.
func Evaluate(c Call, s State) Decision {
	j := judge(&c, &s)
	for n := 1; n <= Steps; n++ {
		if v := j.step(n, &c, &s); v.hit {
			return j.decision(n, v, &c)
		}
	}
	return Decision{Outcome: Deny, Reason: "no step of the order decided"} // step 10 always hits
}

// Steps is how many steps the order of P13 has.
const Steps = 10

// judged is what is known of a call before the first step.
type judged struct {
	tool       *catalog.Tool // never nil
	known      bool          // in the catalog
	mcp        bool
	base       Risk
	effective  Risk
	strict     Risk // what scoping and the read-only modes go by (P5)
	override   Override
	overridden bool
	writes     bool // paths are scoped (P13 step 2)
}

func judge(c *Call, s *State) judged {
	j := judged{mcp: c.Server != "", base: External}
	if j.tool, j.known = c.entry(); j.known {
		j.base = j.tool.Risk
	}
	j.effective = j.base
	if o, ok := s.Overrides.Find(c.Server, c.Tool); ok {
		j.override, j.overridden = o, true
		j.effective = o.Risk
		if j.base == Exec && o.Risk.Below(Exec) { // P5: exec is never lowered
			j.effective, j.overridden = Exec, false
		}
	}
	if j.mcp { // P5: nobody vetted it, so the override is the class
		j.strict = j.effective
		j.writes = j.effective == WriteLocal
		return j
	}
	j.strict = catalog.Stricter(j.base, j.effective)
	j.writes = j.base == WriteLocal || j.effective == WriteLocal
	return j
}

func (j *judged) decision(n int, v verdict, c *Call) Decision {
	return Decision{
		Outcome: v.outcome, Reason: v.why, By: v.by, Step: n,
		Base: j.base, Effective: j.effective,
		Target: c.Target, Digest: c.Digest,
	}
}
