package permission

import (
	"slices"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/catalog"
)

// MayMint says why a standing approval may not be made for a tool, or "" if it
// may (P21, P22). The server asks it whatever a button said: only people mint,
// for a task, for a tool of the catalog that acts outside on a declared target,
// never for exec and never for a floor tool.
func MayMint(by actor.Actor, task, tool string, o *Overrides) Refusal {
	if by.Kind != actor.Human || by.Ref() == "" {
		return NotAPerson
	}
	return mintable(task, tool, o)
}

func mintable(task, tool string, o *Overrides) Refusal {
	j := judge(&Call{Tool: tool}, &State{Overrides: o})
	switch {
	case task == "":
		return NoTask
	case !j.known || !j.tool.Target.Declared():
		return NoTarget
	case j.base == Exec || j.effective == Exec:
		return IsExec
	case j.tool.Irreversible:
		return IsFloor
	case !j.strict.Consequential():
		return IsRead
	}
	return ""
}

// Mint makes the standing approval that "allow every time" on a run's card asks
// for: this tool, exactly this target, this account, this task (P21, P23).
func Mint(by actor.Actor, c Call, s State) (Standing, Refusal) {
	if r := MayMint(by, s.Task, c.Tool, s.Overrides); r != "" {
		return Standing{}, r
	}
	if r := bindable(c); r != "" {
		return Standing{}, r
	}
	return Standing{
		Task: s.Task, Tool: c.Tool, Target: c.Target, Account: c.Account,
		By: by.Ref(), At: s.Now,
	}, ""
}

// bindable says why a call has nothing that an approval could bind to (P23).
func bindable(c Call) Refusal {
	switch {
	case c.Server != "" || c.Target == "":
		return NoTarget
	case !c.Alone:
		return MoreThanTarget
	}
	return ""
}

// Permission is one line of the consent card of a task (P21).
type Permission struct {
	Tool    string
	Target  string
	Account string
	Write   bool // a read is disclosure and never becomes an approval
}

// MintAll makes the standing approvals of a task from its consent card. Reads,
// duplicates and what may not be minted are left out.
func MintAll(by actor.Actor, list []Permission, s State) []Standing {
	var minted []Standing
	for _, p := range list {
		tool, ok := catalog.Lookup(p.Tool)
		if !ok || !p.Write || MayMint(by, s.Task, p.Tool, s.Overrides) != "" {
			continue
		}
		a := Standing{Task: s.Task, Tool: p.Tool, Account: p.Account, By: by.Ref(), At: s.Now}
		if a.Target = tool.Target.Kind.Normal(p.Target); a.Target == "" || slices.Contains(minted, a) {
			continue
		}
		minted = append(minted, a)
	}
	return minted
}
