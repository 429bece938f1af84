package permission

import (
	"fmt"
	"strings"
)

// Commands is the command allow list (P15): beginnings of argument lists.
type Commands struct {
	entries []commandEntry
}

type commandEntry struct {
	text string
	argv []string
}

// NewCommands reads the entries, each one simple command such as "go test". An
// entry that is anything else is an error that names it.
func NewCommands(entries []string) (*Commands, error) {
	var list Commands
	for i, e := range entries {
		argv, why := simpleCommand(e)
		if why != "" {
			return nil, fmt.Errorf("command allow list, entry %d (%q): %s", i+1, e, why)
		}
		list.entries = append(list.entries, commandEntry{strings.TrimSpace(e), argv})
	}
	return &list, nil
}

// Match returns the entry that the call's command starts with; else why it does
// not pass. A nil list holds nothing.
func (l *Commands) Match(c *Call) (entry, why string) {
	if l == nil || len(l.entries) == 0 {
		return "", "the command allow list is empty"
	}
	argv, why := c.commandList()
	if why != "" {
		return "", why
	}
	for _, e := range l.entries {
		if startsWith(argv, e.argv) {
			return e.text, ""
		}
	}
	return "", "no entry of the command allow list begins it"
}

// commandList is the argument list that the call would run, if it is certain.
func (c *Call) commandList() (argv []string, why string) {
	switch {
	case c.Command == "":
		return nil, "the call is more than one plain command"
	case c.argv == nil:
		return simpleCommand(c.shell)
	}
	// An agent that passes an argument list runs no shell, unless the list is
	// one: sh -c and its text.
	if len(c.argv) == 3 && shells[c.argv[0]] && (c.argv[1] == "-c" || c.argv[1] == "-lc") {
		return simpleCommand(c.argv[2])
	}
	return c.argv, ""
}

var shells = map[string]bool{
	"sh": true, "bash": true, "zsh": true,
	"/bin/sh": true, "/bin/bash": true, "/bin/zsh": true, "/usr/bin/bash": true,
}

func startsWith(argv, entry []string) bool {
	if len(argv) < len(entry) {
		return false
	}
	for i := range entry {
		if argv[i] != entry[i] {
			return false
		}
	}
	return true
}
