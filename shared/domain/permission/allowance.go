package permission

import "time"

// Allowance is "allow for this session" (P17). It binds to a session and a
// tool: for exec to one exact command; for anything external to one target and
// account, for at most AllowanceTime. It is stored with the session and ends
// with it.
type Allowance struct {
	Session string
	Server  string
	Tool    string
	Command string // exec
	Target  string // external
	Account string // external
	Granted time.Time
}

// AllowanceTime is how long an external tool stays allowed for a session.
const AllowanceTime = 24 * time.Hour

// allowed says why an allowance does not cover the call, or "" if it does. It
// is asked after the floor and after scoping.
func (j *judged) allowed(a *Allowance, c *Call, s *State) string {
	switch {
	case a.Session == "" || a.Session != s.Session:
		return "an allowance is of another session"
	case a.Server != c.Server || a.Tool != c.Tool:
		return "what is allowed for this session is another tool"
	}
	switch j.binds() {
	case bindTool:
		return ""
	case bindCommand:
		if c.Command == "" || a.Command != c.Command {
			return "what is allowed for this session is another command"
		}
	default:
		switch {
		case c.Target == "" || !c.Alone:
			return "the call has no target of its own"
		case a.Target != c.Target || a.Account != c.Account:
			return "what is allowed for this session is another target or account"
		case s.Now.Sub(a.Granted) >= AllowanceTime:
			return "what was allowed for this session is over 24 hours old"
		}
	}
	return ""
}

type bind int

const (
	bindTarget bind = iota
	bindTool
	bindCommand
)

// binds says what an allowance of this tool has to name. Whatever is external
// by base or override binds to its target.
func (j *judged) binds() bind {
	switch {
	case j.base == External || j.effective == External:
		return bindTarget
	case j.base == Exec || j.effective == Exec:
		return bindCommand
	}
	return bindTool
}

// AllowanceFor is what "allow for this session" would store for a call; ok is
// false where it is not offered: a floor tool, one without a target of its own,
// a command that is not certain, a call that writes where nobody can tell.
func AllowanceFor(c Call, s State) (a Allowance, ok bool) {
	j := judge(&c, &s)
	if s.Session == "" || j.tool.Irreversible || j.writes && !c.Placed {
		return Allowance{}, false
	}
	a = Allowance{Session: s.Session, Server: c.Server, Tool: c.Tool, Granted: s.Now}
	switch j.binds() {
	case bindCommand:
		a.Command = c.Command
		ok = c.Command != ""
	case bindTarget:
		a.Target, a.Account = c.Target, c.Account
		ok = c.Target != "" && c.Alone
	default:
		ok = true
	}
	if !ok {
		return Allowance{}, false
	}
	return a, true
}
