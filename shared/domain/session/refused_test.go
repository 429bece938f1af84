package session

import "testing"

// P27: a call that a person denied is refused for the rest of its run; a
// rule's refusal, another run, other arguments, another tool and the same
// message are not that.
func TestP27_Refused(t *testing.T) {
	t.Parallel()
	asked := func(n int64, run string, calls ...Call) Step {
		return Step{N: n, Role: Assistant, Run: run, Calls: calls}
	}
	said := func(n, of int64, pos int, who string) Step {
		return Step{N: n, Role: Result, Of: of, Pos: pos, Denied: who}
	}
	a, b := Call{Tool: "t", Digest: "d"}, Call{Tool: "t", Digest: "e"}
	for name, c := range map[string]struct {
		steps []Step
		want  bool
	}{
		"nothing":             {nil, false},
		"denied":              {[]Step{asked(1, "r", a), said(2, 1, 0, ByPerson), asked(3, "r", a)}, true},
		"long ago":            {[]Step{asked(1, "r", a), said(2, 1, 0, ByPerson), asked(3, "r", b), said(4, 3, 0, ""), asked(5, "r", a)}, true},
		"one of two":          {[]Step{asked(1, "r", a, a), said(2, 1, 0, ""), said(3, 1, 1, ByPerson), asked(4, "r", a)}, true},
		"allowed":             {[]Step{asked(1, "r", a), said(2, 1, 0, ""), asked(3, "r", a)}, false},
		"by a rule":           {[]Step{asked(1, "r", a), said(2, 1, 0, ByRule), asked(3, "r", a)}, false},
		"another run":         {[]Step{asked(1, "q", a), said(2, 1, 0, ByPerson), asked(3, "r", a)}, false},
		"other arguments":     {[]Step{asked(1, "r", b), said(2, 1, 0, ByPerson), asked(3, "r", a)}, false},
		"another tool":        {[]Step{asked(1, "r", Call{Tool: "u", Digest: "d"}), said(2, 1, 0, ByPerson), asked(3, "r", a)}, false},
		"the same message":    {[]Step{asked(9, "r", a, a), said(10, 9, 0, ByPerson)}, false},
		"a result of nothing": {[]Step{said(2, 1, 3, ByPerson)}, false},
	} {
		if got := Refused(c.steps, "r", 9, "t", "d"); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
