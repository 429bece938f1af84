package model

// Offered gives the tools to name to a provider that refuses a conversation
// with calls where no tool is offered: those of the request or, if it has none,
// those the conversation called, as no longer there.
func Offered(r Request) []Tool {
	if len(r.Tools) > 0 {
		return r.Tools
	}
	var out []Tool
	seen := map[string]bool{}
	for _, m := range r.Messages {
		for _, call := range m.Calls {
			if !seen[call.Tool] {
				seen[call.Tool] = true
				out = append(out, Tool{Name: call.Tool, Description: "No longer available."})
			}
		}
	}
	return out
}
