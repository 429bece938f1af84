package permission

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/postern-dev/postern/shared/domain/catalog"
)

// Call is one tool call as it is judged, shown, granted and run. NewCall makes
// it; a Call put together by hand has no target, paths or command, and so asks
// wherever those would have let it pass.
type Call struct {
	Server    string          // the MCP server, empty for any other tool
	Tool      string          // the tool's name, on that server if there is one
	Arguments json.RawMessage // RFC 8785 canonical: what runs is what was shown
	Digest    string          // SHA-256 of Arguments, hex (P25)
	Account   string          // the connector account it would act with (C3)

	Target string // what it acts on, in normal form; empty if not certain (P20)
	Alone  bool   // it reaches Target and nothing beside it (P23)

	Paths  []string // what it would write, symlinks resolved by Resolve (P14)
	Placed bool     // Paths are all there is to know of where it writes

	Command string // exec: the one exact command (P17), empty if not certain
	shell   string // exec: the command as shell text
	argv    []string
}

// NewCall reads a call as a model or an agent elsewhere proposed it. Empty
// arguments are an empty object; what Canonical refuses is an error, and such a
// call is never run. A coding agent's name mcp__server__tool is taken apart
// (P11); one that can be taken apart in two ways stays one unknown tool.
func NewCall(server, tool string, arguments []byte) (Call, error) {
	if err := checkNames(server, tool); err != nil {
		return Call{}, err
	}
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	canonical, digest, err := Canonical(arguments)
	if err != nil {
		return Call{}, err
	}
	if server == "" {
		server, tool = splitMCP(tool)
	}
	c := Call{Server: server, Tool: tool, Arguments: canonical, Digest: digest}
	args, err := catalog.ParseArgs(canonical)
	if err != nil {
		return Call{}, err
	}
	c.Account = catalog.Account(args)
	if entry, ok := c.entry(); ok {
		c.read(entry, args)
	}
	return c, nil
}

// WithArguments is the same tool and account with arguments that a person
// edited; it has to be evaluated again (P26).
func (c Call) WithArguments(arguments []byte) (Call, error) {
	edited, err := NewCall(c.Server, c.Tool, arguments)
	if err == nil && edited.Account == "" {
		edited.Account = c.Account
	}
	return edited, err
}

// WithAccount says which account the call would act with, once the connector
// has resolved it (C3).
func (c Call) WithAccount(account string) Call {
	c.Account = account
	return c
}

// WithTarget gives the target that whoever runs the tool resolved, such as the
// id of a channel called by name (P23). Only a tool with a declared target
// takes one, and only in its normal form.
func (c Call) WithTarget(target string) Call {
	if entry, ok := c.entry(); ok && entry.Target.Declared() {
		c.Target = entry.Target.Kind.Normal(target)
	}
	return c
}

// Resolve replaces each path by what f makes of it: whoever runs the tool makes
// it absolute and resolves its symlinks (P14). If f fails for one, where the
// call writes is no longer certain, and it asks.
func (c Call) Resolve(f func(path string) (string, error)) Call {
	resolved := make([]string, 0, len(c.Paths))
	for _, p := range c.Paths {
		r, err := f(p)
		if err != nil {
			c.Placed = false
			return c
		}
		resolved = append(resolved, r)
	}
	c.Paths = resolved
	return c
}

// Name is the call's tool for people and rows: server/tool, or the plain name.
// SplitName takes it apart again: neither a server nor a plain tool has a slash.
func (c Call) Name() string {
	if c.Server == "" {
		return c.Tool
	}
	return c.Server + "/" + c.Tool
}

// SplitName is the inverse of Name.
func SplitName(name string) (server, tool string) {
	if server, tool, ok := strings.Cut(name, "/"); ok {
		return server, tool
	}
	return "", name
}

// checkNames refuses names that Name would make ambiguous, or that a card could
// not show as they are.
func checkNames(server, tool string) error {
	switch {
	case tool == "":
		return errors.New("the call names no tool")
	case len(server) > MaxPattern || len(tool) > MaxPattern:
		return fmt.Errorf("a tool's name is at most %d bytes", MaxPattern)
	case !utf8.ValidString(server+tool) || strings.ContainsFunc(server+tool, unprintable):
		return errors.New("the tool's name has characters that cannot be shown")
	case strings.Contains(server, "/"), server == "" && strings.Contains(tool, "/"):
		return errors.New("the tool's name has a slash; name a server's tool by server and tool")
	}
	return nil
}

// Key names the call itself, tool and arguments: what a repeated ask is known
// by (P27). The digest alone is of the arguments, which two tools may share.
func (c Call) Key() string {
	sum := sha256.Sum256([]byte(c.Server + "\x00" + c.Tool + "\x00" + c.Digest))
	return hex.EncodeToString(sum[:])
}

// entry finds the call's tool in the catalog. MCP tools are never in it (P2).
func (c *Call) entry() (tool *catalog.Tool, known bool) {
	if c.Server != "" {
		return &unvetted, false
	}
	if tool = catalog.Entry(c.Tool); tool != nil {
		return tool, true
	}
	return &unvetted, false
}

// unvetted stands for any tool that is not in the catalog. It is never changed.
var unvetted catalog.Tool

// read takes out of the arguments what the catalog says they hold.
func (c *Call) read(entry *catalog.Tool, args catalog.Args) {
	c.Target, c.Alone = entry.Target.Of(args), entry.Target.Alone(args)
	c.Paths, c.Placed = entry.Paths.Of(args)
	shell, argv, plain := entry.Command.Of(args)
	if !plain {
		return
	}
	c.shell, c.argv = shell, argv
	if c.Command = shell; argv != nil {
		list, _ := json.Marshal(argv)
		c.Command = "argv " + string(list)
	}
}

func splitMCP(name string) (server, tool string) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok || strings.Contains(rest, "___") || strings.Count(rest, "__") != 1 {
		return "", name
	}
	server, tool, _ = strings.Cut(rest, "__")
	if server == "" || tool == "" {
		return "", name
	}
	return server, tool
}
