package permission

// verdict is what one step says: it hit, with an outcome, or it did not; and
// why, either way (P19).
type verdict struct {
	hit     bool
	outcome Outcome
	why     string
	by      By
}

func miss(why string) verdict { return verdict{why: why} }

// step runs one step of P13.
func (j *judged) step(n int, c *Call, s *State) verdict {
	switch n {
	case 1:
		return j.readOnly(s)
	case 2:
		return j.scope(c, s)
	case 3:
		return j.floor(c, s)
	case 4:
		return j.harmless(c)
	case 5:
		return j.auto(s)
	case 6:
		return j.command(c, s)
	case 7:
		return j.session(c, s)
	case 8:
		return j.standing(c, s)
	case 9:
		return j.custom(c, s)
	}
	return person(s, "a person has to allow it", By{Kind: ByMode, Name: string(s.mode())})
}

// stepNames are the steps in words, for Explain.
var stepNames = [Steps + 1]string{
	1: "read-only mode", 2: "paths inside the writable folders", 3: "irreversible tool",
	4: "not consequential", 5: "mode auto", 6: "command allow list", 7: "allowed for this session",
	8: "standing approval", 9: "custom grammar", 10: "ask a person",
}

// mode is the session's mode; none means the default. A word that is no mode
// is kept, and no step takes it for one that allows.
func (s *State) mode() Mode {
	if s.Mode == "" {
		return Interactive
	}
	return s.Mode
}

// person asks inline, or routes to the Inbox when nobody is at the session.
func person(s *State, why string, by By) verdict {
	o := Ask
	if s.Unattended {
		o = Route
	}
	return verdict{hit: true, outcome: o, why: why, by: by}
}

func (j *judged) readOnly(s *State) verdict {
	switch m := s.mode(); {
	case !m.ReadOnly():
		return miss("the mode is not read-only")
	case !j.strict.Consequential():
		return miss("the call only reads")
	case m == Plan:
		return verdict{true, Deny, "plan mode is read-only; propose a plan instead", By{ByMode, string(m)}}
	default:
		return verdict{true, Deny, "discuss mode is read-only", By{ByMode, string(m)}}
	}
}

// scope denies a path outside every writable folder. A call that writes where
// nobody can tell asks, in every mode (P14).
func (j *judged) scope(c *Call, s *State) verdict {
	if !j.writes {
		return miss("the call writes no files")
	}
	if path, outside := outsideRoots(c.Paths, s.Roots); outside {
		return verdict{true, Deny, "the path is outside every writable folder: " + path, By{ByScope, path}}
	}
	if !c.Placed {
		return person(s, "it writes, and its arguments do not tell where", By{Kind: ByScope})
	}
	return miss("every path is inside a writable folder")
}

func (j *judged) floor(c *Call, s *State) verdict {
	if !j.tool.Irreversible {
		return miss("what the tool does can be undone")
	}
	return person(s, "what it does cannot be undone, so a person decides every time", By{ByFloor, c.Tool})
}

func (j *judged) harmless(c *Call) verdict {
	switch {
	case j.effective.Consequential():
		return miss("the call is consequential")
	case j.overridden:
		return verdict{true, Allow, "a person classed the tool as read", By{ByOverride, j.override.Pattern}}
	default:
		return verdict{true, Allow, "the call only reads", By{ByCatalog, c.Tool}}
	}
}

func (j *judged) auto(s *State) verdict {
	if s.mode() != Auto {
		return miss("the mode is not auto")
	}
	return verdict{true, Allow, "the session is in auto mode", By{ByMode, string(Auto)}}
}

func (j *judged) command(c *Call, s *State) verdict {
	if j.effective != Exec {
		return miss("the call runs no command")
	}
	entry, why := s.Commands.Match(c)
	if why != "" {
		return miss(why)
	}
	return verdict{true, Allow, "the command is on the allow list", By{ByCommand, entry}}
}

func (j *judged) session(c *Call, s *State) verdict {
	why := "nothing is allowed for this session"
	for i := range s.Allowed {
		if why = j.allowed(&s.Allowed[i], c, s); why == "" {
			return verdict{true, Allow, "a person allowed it for this session", By{BySession, c.Name()}}
		}
	}
	return miss(why)
}

func (j *judged) standing(c *Call, s *State) verdict {
	if s.Task == "" {
		return miss("this is no task's run")
	}
	why := "the task has no standing approval"
	for i := range s.Standing {
		if why = j.stands(&s.Standing[i], c, s); why == "" {
			return verdict{true, Allow, "a standing approval of the task covers it", By{ByStanding, s.Standing[i].String()}}
		}
	}
	return miss(why)
}

func (j *judged) custom(c *Call, s *State) verdict {
	if s.mode() != Custom {
		return miss("the mode is not custom")
	}
	term, ok := s.Custom.match(j, c)
	if !ok {
		return miss("the custom grammar does not name it")
	}
	return verdict{true, Allow, "the session's custom mode lets it pass", By{ByCustom, term}}
}
