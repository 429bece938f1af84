package permission_test

import (
	"reflect"
	"testing"

	"github.com/postern-dev/postern/shared/domain/catalog"
	"github.com/postern-dev/postern/shared/domain/permission"
	"pgregory.net/rapid"
)

// each draws a call and a state in which whatever can be granted often is.
func each(t *testing.T, f func(t *rapid.T, c permission.Call, s permission.State, d permission.Decision)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCall(t)
		s := drawState(t, c)
		f(t, c, s, permission.Evaluate(c, s))
	})
}

func TestP13_ReadOnlyModesRunNothingConsequential(t *testing.T) {
	t.Parallel()
	each(t, func(t *rapid.T, c permission.Call, s permission.State, d permission.Decision) {
		vetted := c.Server != "" || !d.Base.Consequential() // a server's class is the override
		if s.Mode.ReadOnly() && d.Outcome != permission.Deny && (d.Effective.Consequential() || !vetted) {
			t.Fatalf("%s in %s: %+v", c.Name(), s.Mode, d)
		}
	})
}

func TestP2_UnknownIsNeverRead(t *testing.T) {
	t.Parallel()
	each(t, func(t *rapid.T, c permission.Call, s permission.State, d permission.Decision) {
		_, known := catalog.Lookup(c.Tool)
		if (c.Server != "" || !known) && d.Base != external {
			t.Fatalf("%s is %s", c.Name(), d.Base)
		}
	})
}

// No mode, override or rule lets a catalog tool write outside the folders.
func TestP5_NothingOpensAPathOutside(t *testing.T) {
	t.Parallel()
	each(t, func(t *rapid.T, c permission.Call, s permission.State, d permission.Decision) {
		tool, known := catalog.Lookup(c.Tool)
		if c.Server != "" || !known || tool.Risk != local {
			return
		}
		for _, p := range c.Paths {
			inA := p == "x" || p == "a" || p == "/work/a/x"
			if !inA && d.Outcome != permission.Deny {
				t.Fatalf("%s %s: %+v", c.Tool, p, d)
			}
		}
		if len(c.Paths) == 0 && d.Outcome == permission.Allow {
			t.Fatalf("%s, no path known: %+v", c.Tool, d)
		}
	})
}

func TestP6_FloorIsNeverAllowed(t *testing.T) {
	t.Parallel()
	each(t, func(t *rapid.T, c permission.Call, s permission.State, d permission.Decision) {
		if tool, ok := catalog.Lookup(c.Tool); ok && c.Server == "" && tool.Irreversible && d.Outcome == permission.Allow {
			t.Fatalf("%+v", d)
		}
	})
}

func TestP5_ExecIsNeverLowered(t *testing.T) {
	t.Parallel()
	each(t, func(t *rapid.T, c permission.Call, s permission.State, d permission.Decision) {
		if d.Base == exec && d.Effective.Below(exec) {
			t.Fatalf("%+v", d)
		}
	})
}

// Q2, G-24: whatever consequential call runs without a person says by what.
func TestP18_AllowedNamesWhatAllowedIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *rapid.T, c permission.Call, s permission.State, d permission.Decision) {
		if d.Outcome == permission.Allow && (d.By.Kind == "" || d.By.Name == "") || d.Reason == "" || d.Step == 0 {
			t.Fatalf("%+v", d)
		}
		if d.Digest != c.Digest || d.Target != c.Target {
			t.Fatalf("%+v is not of %+v", d, c)
		}
	})
}

func TestP19_ExplainIsEvaluate(t *testing.T) {
	t.Parallel()
	each(t, func(t *rapid.T, c permission.Call, s permission.State, d permission.Decision) {
		got, steps := permission.Explain(c, s)
		if got != d || len(steps) != permission.Steps {
			t.Fatalf("%+v, Explain %+v", d, got)
		}
		for _, st := range steps {
			if st.Hit != (st.N == d.Step) || st.Reached != (st.N <= d.Step) || st.Why == "" || st.Hit && st.Outcome != d.Outcome {
				t.Fatalf("%+v of %+v", st, d)
			}
		}
	})
}

// Unattended moves the asking and changes nothing else.
func TestP13_UnattendedIsNoPower(t *testing.T) {
	t.Parallel()
	each(t, func(t *rapid.T, c permission.Call, s permission.State, d permission.Decision) {
		s.Unattended = !s.Unattended
		e := permission.Evaluate(c, s)
		if d.Outcome.Asks() {
			d.Outcome = map[bool]permission.Outcome{false: permission.Ask, true: permission.Route}[s.Unattended]
		}
		if e != d {
			t.Fatalf("%+v, else %+v", d, e)
		}
	})
}

// power orders outcomes by what they let happen.
var power = map[permission.Outcome]int{permission.Deny: 0, permission.Ask: 1, permission.Route: 1, permission.Allow: 2}

func TestP13_MoreModeMorePower(t *testing.T) {
	t.Parallel()
	each(t, func(t *rapid.T, c permission.Call, s permission.State, d permission.Decision) {
		last := -1
		for _, m := range modes {
			s.Mode = m
			p := power[permission.Evaluate(c, s).Outcome]
			if p < last {
				t.Fatalf("%s in %s may less than in the mode before", c.Name(), m)
			}
			last = p
		}
	})
}

func TestP13_TakingAGrantAwayGivesNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *rapid.T, c permission.Call, s permission.State, d permission.Decision) {
		for _, take := range []func(*permission.State){
			func(s *permission.State) { s.Allowed = nil },
			func(s *permission.State) { s.Standing = nil },
			func(s *permission.State) { s.Custom = nil },
			func(s *permission.State) { s.Commands = nil },
			func(s *permission.State) { s.Roots = nil },
			func(s *permission.State) { s.Task = "" },
			func(s *permission.State) { s.Session = "" },
		} {
			less := s
			take(&less)
			if e := permission.Evaluate(c, less); power[e.Outcome] > power[d.Outcome] {
				t.Fatalf("%+v, with less %+v", d, e)
			}
		}
	})
}

// A grant from "allow for this session" or "allow every time" lets that very
// call pass, and a person minted it, so the card never lies about what it does.
func TestP17_WhatIsOfferedWorks(t *testing.T) {
	t.Parallel()
	each(t, func(t *rapid.T, c permission.Call, s permission.State, d permission.Decision) {
		if !d.Outcome.Asks() {
			return
		}
		if a, ok := permission.AllowanceFor(c, s); ok {
			with := s
			with.Allowed = []permission.Allowance{a}
			if e := permission.Evaluate(c, with); e.Outcome != permission.Allow {
				t.Fatalf("offered %+v, and then %+v", a, e)
			}
		}
		if a, refused := permission.Mint(ada, c, s); refused == "" {
			with := s
			with.Standing = []permission.Standing{a}
			if e := permission.Evaluate(c, with); e.Outcome != permission.Allow {
				t.Fatalf("minted %+v, and then %+v", a, e)
			}
		}
	})
}

// The same call and the same state give the same decision, and neither is
// changed by it.
func TestP13_Pure(t *testing.T) {
	t.Parallel()
	each(t, func(t *rapid.T, c permission.Call, s permission.State, d permission.Decision) {
		before, state := c, s
		if e := permission.Evaluate(c, s); e != d || !reflect.DeepEqual(c, before) || !reflect.DeepEqual(s, state) {
			t.Fatalf("%+v, then %+v", d, e)
		}
	})
}
