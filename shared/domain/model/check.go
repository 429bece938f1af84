package model

import "fmt"

// Check says what in messages a provider would refuse: a conversation begins
// with a user, every call has an id of its own and is answered, in order,
// before anything else is said, and nothing is empty (S7).
func Check(messages []Message) error {
	if len(messages) == 0 {
		return fmt.Errorf("no messages")
	}
	if messages[0].Role != User {
		return fmt.Errorf("message 0 is of %q, not of a user", messages[0].Role)
	}
	seen := map[string]bool{}
	var open []Call
	for i, m := range messages {
		if len(open) > 0 && m.Role != Result {
			return fmt.Errorf("message %d: call %s is not answered yet", i, open[0].ID)
		}
		switch m.Role {
		case User:
			if blank(m.Text) {
				return fmt.Errorf("message %d: empty", i)
			}
		case Assistant:
			if blank(m.Text) && len(m.Calls) == 0 {
				return fmt.Errorf("message %d: neither text nor calls", i)
			}
			for _, call := range m.Calls {
				if call.ID == "" || seen[call.ID] {
					return fmt.Errorf("message %d: call id %q is empty or was used before", i, call.ID)
				}
				if call.Tool == "" {
					return fmt.Errorf("message %d: call %s names no tool", i, call.ID)
				}
				if _, bad := object(call.Arguments); bad != "" {
					return fmt.Errorf("message %d: call %s: %s", i, call.ID, bad)
				}
				seen[call.ID] = true
			}
			open = m.Calls
		case Result:
			if len(open) == 0 || open[0].ID != m.CallID {
				return fmt.Errorf("message %d: a result for %q, which is not the call that waits", i, m.CallID)
			}
			if blank(m.Text) {
				return fmt.Errorf("message %d: empty", i)
			}
			open = open[1:]
		default:
			return fmt.Errorf("message %d: unknown role %q", i, m.Role)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("call %s is not answered", open[0].ID)
	}
	return nil
}
