package session

import "slices"

// Standing is where a transcript stands: what the next step of its turn has to
// deal with (S7). It is derived from the steps alone, so a turn that died
// anywhere is resumed from what was written.
type Standing struct {
	// Asked is the last assistant step if some of its calls have no result yet.
	Asked *Step
	// Open are the positions of those calls, in order.
	Open []int
	// Thinks says that a user message or a result waits for the model.
	Thinks bool
	// Said is the last assistant step if it ends the run: words, no calls.
	Said *Step
	// Slept says that the agent's last message ended in a sleep.
	Slept bool
	// Next is the number of the next step.
	Next int64
}

// Refused reports whether a person denied a call of this tool with these
// arguments in a run, when a message before step asked: it is not asked again
// (P27). Identical calls of one message ask each (I3).
func Refused(steps []Step, run string, step int64, tool, digest string) bool {
	asked := map[int64]Step{}
	for _, s := range steps {
		if s.Role == Assistant && s.Run == run && s.N < step {
			asked[s.N] = s
		}
		if s.Role != Result || s.Denied != ByPerson {
			continue
		}
		a := asked[s.Of]
		if s.Pos < len(a.Calls) && a.Calls[s.Pos].Tool == tool && a.Calls[s.Pos].Digest == digest {
			return true
		}
	}
	return false
}

// SleepTools end the turn once they have run (W1).
var SleepTools = []string{"sleep_for", "sleep_until", "wake_on", "wake_on_event"}

// Where reads where a transcript stands.
func Where(steps []Step) Standing {
	w := Standing{Next: 1}
	if len(steps) == 0 {
		return w
	}
	w.Next = steps[len(steps)-1].N + 1
	last := lastAssistant(steps)
	if last < 0 {
		w.Thinks = true
		return w
	}
	done, slept, spoken := map[int]bool{}, false, false
	for _, s := range steps[last+1:] {
		switch s.Role {
		case Result:
			done[s.Pos] = true
			slept = slept || (s.OK && slices.Contains(SleepTools, s.From))
		case User:
			spoken = true
		}
	}
	step := &steps[last]
	for pos := range step.Calls {
		if !done[pos] {
			w.Open = append(w.Open, pos)
		}
	}
	switch {
	case len(w.Open) > 0:
		w.Asked = step
	case spoken:
		w.Thinks = true
	case len(step.Calls) == 0:
		w.Said = step
	case slept:
		w.Slept = true
	default:
		w.Thinks = true
	}
	return w
}

func lastAssistant(steps []Step) int {
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].Role == Assistant {
			return i
		}
	}
	return -1
}

// Spent adds up what the run under way has used: the assistant steps since the
// last one that ended a run (S6: counted over the whole run, parks included).
func Spent(steps []Step) Usage {
	var u Usage
	for _, s := range steps {
		if s.Role != Assistant {
			continue
		}
		u.Iterations++
		u.Input += s.Used.Input
		u.Output += s.Used.Output
		if len(s.Calls) == 0 {
			u = Usage{}
		}
	}
	return u
}
