package catalog

// elsewhere holds the tool names of the common coding agents, so that their
// calls are classed without configuration (P11). They belong to the capability
// that people would look for them under, and no session here is ever given one.
// Their MCP tools (mcp__server__tool) are not listed: those stay external (P2).
var elsewhere = names(
	like(Tool{Capability: "shell", Risk: Exec, Command: Command{
		Args:    []string{"command", "cmd"},
		Neutral: []string{"description", "timeout", "timeout_ms", "run_in_background"},
	}}, "Bash", "bash", "shell", "local_shell", "exec_command", "run_shell_command", "run_terminal_cmd"),
	like(Tool{Capability: "shell", Risk: Exec}, "KillShell", "KillBash"),
	like(Tool{Capability: "shell", Risk: Read}, "BashOutput"),
	like(Tool{Capability: "files", Risk: WriteLocal, Paths: Paths{Args: pathArgs}},
		"Edit", "MultiEdit", "Write", "NotebookEdit", "edit", "write", "replace"),
	like(Tool{Capability: "files", Risk: WriteLocal, Paths: Paths{Args: pathArgs, Patch: []string{"patch", "input", "diff", "patchText"}}},
		"patch"),
	like(Tool{Capability: "files", Risk: Read},
		"Read", "NotebookRead", "LS", "Glob", "read", "list", "glob", "list_directory", "read_many_files"),
	like(Tool{Capability: "search", Risk: Read}, "Grep", "search_file_content"),
	like(Tool{Capability: "web", Risk: Read}, "WebFetch", "WebSearch", "webfetch", "google_web_search"),
	like(Tool{Capability: "todo", Risk: Read}, "TodoWrite", "TodoRead", "todowrite", "todoread", "update_plan"),
)

// like makes one tool per name, all of the same kind.
func like(t Tool, names ...string) []Tool {
	var tools []Tool
	for _, n := range names {
		t.Name, t.Elsewhere = n, true
		tools = append(tools, t)
	}
	return tools
}

func names(lists ...[]Tool) (all []Tool) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}
