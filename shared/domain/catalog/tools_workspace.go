package catalog

import "time"

const pathProperty = `"path":{"type":"string","description":"Relative to the primary folder, or absolute inside a granted one."}`

var files = Capability{
	ID: "files", Name: "Files", Description: "Read and write the session's files.",
	Requires: []string{"workspace"},
	Tools: []Tool{
		{
			Name: "list_files", Risk: Read, Timeout: 20 * time.Second,
			Description: "List a folder.", Schema: object(pathProperty),
		},
		{
			Name: "read_file", Risk: Read, Timeout: 20 * time.Second,
			Description: "Read a file.", Schema: object(pathProperty, "path"),
		},
		{
			Name: "write_file", Risk: WriteLocal, Timeout: 20 * time.Second, Idempotent: true,
			Description: "Write a file whole.", Paths: Paths{Args: pathArgs},
			Schema: object(pathProperty+`,"content":{"type":"string"}`, "path", "content"),
		},
		{
			Name: "replace_in_file", Risk: WriteLocal, Timeout: 20 * time.Second,
			Description: "Replace a piece of a file.", Paths: Paths{Args: pathArgs},
			Schema: object(pathProperty+`,"old":{"type":"string"},"new":{"type":"string"}`, "path", "old", "new"),
		},
		{
			Name: "apply_patch", Risk: WriteLocal, Timeout: 30 * time.Second,
			Description: "Apply a patch: a unified diff, or one in the *** Begin Patch form.",
			Paths:       Paths{Args: pathArgs, Patch: []string{"patch", "input", "diff"}},
			Schema:      object(`"patch":{"type":"string"}`, "patch"),
		},
	},
}

var shell = Capability{
	ID: "shell", Name: "Shell", Description: "Run commands on the session's machine.",
	Requires: []string{"runner"},
	Tools: []Tool{
		{
			Name: "run_shell", Risk: Exec, Timeout: 2 * time.Minute,
			Description: "Run a shell command.", Command: Command{Args: []string{"command"}, Neutral: []string{"timeout"}},
			Schema: object(`"command":{"type":"string"},"timeout":{"type":"integer","description":"Seconds."}`, "command"),
		},
		{
			Name: "shell_task_output", Risk: Read, Timeout: 20 * time.Second,
			Description: "Read what a background command wrote.", Schema: object(`"task":{"type":"string"}`, "task"),
		},
		{
			Name: "shell_task_kill", Risk: Exec, Timeout: 20 * time.Second,
			Description: "End a background command.", Schema: object(`"task":{"type":"string"}`, "task"),
		},
	},
}

var git = Capability{
	ID: "git", Name: "Git", Description: "Read the state and history of the session's repository.",
	Requires: []string{"workspace"},
	Tools: []Tool{
		{Name: "git_status", Risk: Read, Timeout: 20 * time.Second, Description: "Show what changed.", Schema: object(``)},
		{
			Name: "git_diff", Risk: Read, Timeout: 20 * time.Second, Description: "Show the changes.",
			Schema: object(`"from":{"type":"string"},"to":{"type":"string"}`),
		},
		{
			Name: "git_log", Risk: Read, Timeout: 20 * time.Second, Description: "Show the newest commits.",
			Schema: object(`"count":{"type":"integer","minimum":1,"maximum":200}`),
		},
	},
}

var search = Capability{
	ID: "search", Name: "Search", Description: "Search the session's files.",
	Requires: []string{"workspace"},
	Tools: []Tool{{
		Name: "grep", Risk: Read, Timeout: 30 * time.Second, Description: "Search files by a regular expression.",
		Schema: object(`"pattern":{"type":"string"},`+pathProperty, "pattern"),
	}},
}

var todo = Capability{
	ID: "todo", Name: "To-do list", Description: "Keep a list of the steps to do.",
	Tools: []Tool{{
		Name: "todo_write", Risk: Read, Timeout: 5 * time.Second,
		Description: "Replace the session's own list of steps.",
		Schema: object(`"items":{"type":"array","items":{"type":"object","properties":{
"text":{"type":"string"},"done":{"type":"boolean"}},"required":["text"],"additionalProperties":false}}`, "items"),
	}},
}

// pathArgs are the names under which our tools and the coding agents' give a
// path.
var pathArgs = []string{"path", "file_path", "notebook_path", "absolute_path"}
