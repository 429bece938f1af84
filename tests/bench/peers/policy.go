package peers

import (
	"fmt"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/permission"
)

// overrides is a hundred patterns, of which none hits the calls that are
// measured in full: half of them make a server's tool external, half a plain
// tool a read.
func overrides() []permission.Override {
	var rules []permission.Override
	for i := range 50 {
		rules = append(rules,
			permission.Override{Pattern: fmt.Sprintf("server%d/create_*", i), Risk: permission.External},
			permission.Override{Pattern: fmt.Sprintf("tool%d_*", i), Risk: permission.Read})
	}
	return rules
}

// ours is the state of the session that calls.
func ours(mode permission.Mode) (permission.State, error) {
	s := permission.State{Session: "s1", Mode: mode, Task: "t1", Now: time.Unix(1, 0),
		Roots: []permission.Root{{Path: "/work/primary", Writable: true}, {Path: "/work/other"}}}
	var err error
	if s.Overrides, err = permission.NewOverrides(overrides()); err != nil {
		return s, err
	}
	if s.Custom, err = permission.NewGrammar([]string{"github_comment"}); err != nil {
		return s, err
	}
	for i := range 10 {
		s.Allowed = append(s.Allowed, permission.Allowance{Session: "s1", Tool: fmt.Sprint("tool", i)})
		s.Standing = append(s.Standing, permission.Standing{Task: "t1", Tool: "slack_send_message", Target: fmt.Sprint("C", i)})
	}
	return s, nil
}

// cedarPolicy is the same in Cedar: what is not permitted is asked.
func cedarPolicy() string {
	var b strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	add(`forbid (principal, action, resource) when { ["discuss", "plan"].contains(context.mode) && context.class != "read" };`)
	add(`forbid (principal, action, resource) when { context.class == "write_local" && !(context.path like "/work/primary/*") };`)
	add(`permit (principal, action, resource) when { context.class == "read" };`)
	add(`permit (principal, action, resource) when { context.mode == "auto" };`)
	for _, o := range overrides() {
		server, tool, mcp := strings.Cut(o.Pattern, "/")
		if mcp {
			add(`forbid (principal, action, resource) when { context.server == %q && context.tool like %q && ["discuss", "plan"].contains(context.mode) };`, server, tool)
			continue
		}
		add(`permit (principal, action, resource) when { context.server == "" && context.tool like %q };`, o.Pattern)
	}
	for i := range 10 {
		add(`permit (principal == Session::"s1", action, resource) when { context.tool == "tool%d" };`, i)
		add(`permit (principal, action, resource) when { context.task == "t1" && context.tool == "slack_send_message" && context.target == "C%d" };`, i)
	}
	add(`permit (principal, action, resource) when { context.mode == "custom" && context.tool == "github_comment" };`)
	return b.String()
}

// regoPolicy is the same in Rego, first hit wins.
func regoPolicy() string {
	var globs, reads, standing, allowed []string
	for _, o := range overrides() {
		if server, tool, mcp := strings.Cut(o.Pattern, "/"); mcp {
			globs = append(globs, fmt.Sprintf("{\"server\": %q, \"tool\": %q}", server, tool))
		} else {
			reads = append(reads, fmt.Sprintf("%q", o.Pattern))
		}
	}
	for i := range 10 {
		allowed = append(allowed, fmt.Sprintf("\"tool%d\"", i))
		standing = append(standing, fmt.Sprintf("\"C%d\"", i))
	}
	return fmt.Sprintf(`package postern

externals := [%s]
reads := [%s]
allowed := {%s}
standing := {%s}
readonly := {"discuss", "plan"}

class := "external" if {
	some o in externals
	o.server == input.server
	glob.match(o.tool, [], input.tool)
} else := "read" if {
	input.server == ""
	some p in reads
	glob.match(p, [], input.tool)
} else := input.class

default decision := "ask"

decision := "deny" if {
	readonly[input.mode]
	class != "read"
} else := "deny" if {
	class == "write_local"
	not startswith(input.path, "/work/primary/")
} else := "allow" if {
	class == "read"
} else := "allow" if {
	input.mode == "auto"
} else := "allow" if {
	allowed[input.tool]
} else := "allow" if {
	input.task == "t1"
	input.tool == "slack_send_message"
	standing[input.target]
} else := "allow" if {
	input.mode == "custom"
	input.tool == "github_comment"
}
`, strings.Join(globs, ", "), strings.Join(reads, ", "), strings.Join(allowed, ", "), strings.Join(standing, ", "))
}
