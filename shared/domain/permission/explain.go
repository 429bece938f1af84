package permission

import "strconv"

// Step is one step of P13 as it went for a call (P19).
type Step struct {
	N       int
	Rule    string // P13.1 to P13.10
	Name    string
	Reached bool // false after the step that decided
	Hit     bool
	Outcome Outcome // of the step that hit
	Why     string
}

// Explain evaluates a call without effect and tells of every step why it did or
// did not hit. It takes the same steps as Evaluate, and its decision is the
// same.
func Explain(c Call, s State) (Decision, []Step) {
	j := judge(&c, &s)
	var d Decision
	steps := make([]Step, 0, Steps)
	for n := 1; n <= Steps; n++ {
		st := Step{N: n, Rule: "P13." + strconv.Itoa(n), Name: stepNames[n]}
		if d.Step != 0 {
			st.Why = "step " + strconv.Itoa(d.Step) + " decided"
			steps = append(steps, st)
			continue
		}
		v := j.step(n, &c, &s)
		st.Reached, st.Hit, st.Outcome, st.Why = true, v.hit, v.outcome, v.why
		if v.hit {
			d = j.decision(n, v, &c)
		}
		steps = append(steps, st)
	}
	return d, steps
}
