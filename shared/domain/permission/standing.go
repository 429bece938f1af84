package permission

import "time"

// Standing is a standing scoped approval: one tool, one exact target, one task
// (P20). It lives on the task's record and dies with it.
type Standing struct {
	Task    string
	Tool    string
	Target  string // in normal form; no wildcards
	Account string // the account it was minted with
	By      string // the person who minted it
	At      time.Time
}

// String names the approval for people and rows.
func (a Standing) String() string { return a.Tool + " → " + a.Target }

// stands says why a standing approval does not cover the call, or "" if it does
// (P22, P23).
func (j *judged) stands(a *Standing, c *Call, s *State) string {
	switch {
	case a.Task != s.Task:
		return "the standing approval is of another task"
	case !j.known || !j.tool.Target.Declared():
		return "the tool has no declared target"
	case j.base == Exec || j.effective == Exec:
		return "commands have no standing approvals"
	case a.Tool != c.Tool:
		return "the standing approval is for another tool"
	case c.Target == "" || a.Target != c.Target:
		return "the standing approval is for another target"
	case a.Account != c.Account:
		return "the standing approval is for another account"
	case !c.Alone:
		return "the call reaches more than the standing approval's target"
	}
	return ""
}
