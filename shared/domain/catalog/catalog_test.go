package catalog_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/catalog"
)

func TestP1_Classes(t *testing.T) {
	t.Parallel()
	want := []catalog.Risk{"read", "write_local", "exec", "external"}
	if !slices.Equal(catalog.Risks(), want) {
		t.Errorf("classes %v", catalog.Risks())
	}
	for i, r := range want {
		if got, err := catalog.ParseRisk(string(r)); err != nil || got != r {
			t.Errorf("%s: %s %v", r, got, err)
		}
		if r.Consequential() != (i > 0) {
			t.Errorf("%s consequential: %v", r, r.Consequential())
		}
		for k, other := range want {
			if r.Below(other) != (i < k) {
				t.Errorf("%s below %s: %v", r, other, r.Below(other))
			}
			if got := catalog.Stricter(r, other); got != want[max(i, k)] {
				t.Errorf("stricter of %s and %s: %s", r, other, got)
			}
		}
	}
	for _, word := range []string{"", "READ", "read ", "none", "high"} {
		if _, err := catalog.ParseRisk(word); err == nil {
			t.Errorf("%q is taken for a class", word)
		}
		if r := catalog.Risk(word); !r.Consequential() || r.Below(catalog.Exec) {
			t.Errorf("%q counts as harmless", word)
		}
	}
}

// The whole closed set, tool by tool: a change of a class has to be made here
// as well (P8, P9).
func TestP8_TheSet(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"session": "ask_user:read propose_plan:read request_directory:read notify:read sleep_for:read sleep_until:read wake_on:read wake_on_event:read list_wakes:read cancel_wake:read",
		"github":  "github_read_issue:read github_comment:external github_create_issue:external github_merge_pr:external github_force_push:external! github_delete_repo:external!",
		"slack":   "slack_send_message:external",
		"feishu":  "feishu_send_message:external",
		"email":   "email_send:external",
		"web":     "web_fetch:read",
		"files":   "list_files:read read_file:read write_file:write_local replace_in_file:write_local apply_patch:write_local",
		"shell":   "run_shell:exec shell_task_output:read shell_task_kill:exec",
		"git":     "git_status:read git_diff:read git_log:read",
		"search":  "grep:read",
		"todo":    "todo_write:read",
	}
	for _, c := range catalog.All() {
		var have []string
		for _, tool := range c.Tools {
			mark := tool.Name + ":" + string(tool.Risk)
			if tool.Irreversible {
				mark += "!"
			}
			have = append(have, mark)
		}
		if got := strings.Join(have, " "); got != want[c.ID] {
			t.Errorf("%s: %s", c.ID, got)
		}
		delete(want, c.ID)
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
	catalog.All()[0] = catalog.Capability{} // a copy: nobody adds or takes away (P9)
	if catalog.All()[0].ID != "session" {
		t.Error("the set was changed from outside")
	}
}

func TestP8_EveryToolIsWhole(t *testing.T) {
	t.Parallel()
	hosted := map[string]bool{"github_comment": true, "slack_send_message": true, "web_fetch": true, "ask_user": true, "sleep_for": true}
	for _, c := range catalog.All() {
		if c.Name == "" || c.Description == "" {
			t.Errorf("%s has no words for people", c.ID)
		}
		for _, r := range c.Requires {
			kind, rest, _ := strings.Cut(r, ":")
			if !(slices.Contains([]string{"workspace", "runner"}, r) || slices.Contains([]string{"connector", "secret"}, kind) && rest != "") {
				t.Errorf("%s requires %q", c.ID, r)
			}
		}
		for _, tool := range c.Tools {
			found, ok := catalog.Lookup(tool.Name)
			if !ok || !reflect.DeepEqual(found, tool) {
				t.Errorf("%s: looked up as %+v", tool.Name, found)
			}
			if tool.Capability != c.ID || tool.Elsewhere || tool.Hosted != hosted[tool.Name] || tool.Description == "" {
				t.Errorf("%+v", tool)
			}
			if tool.Risk == catalog.WriteLocal && !tool.Paths.Declared() {
				t.Errorf("%s writes and has no extractor", tool.Name)
			}
			if tool.Risk == catalog.External && !tool.Target.Declared() {
				t.Errorf("%s acts outside and names no target", tool.Name)
			}
			if tool.Risk.Consequential() && tool.Timeout <= 0 || tool.Timeout > 5*time.Minute {
				t.Errorf("%s: time-out %s", tool.Name, tool.Timeout)
			}
			if strings.HasPrefix(tool.Name, c.ID+"_") && len(c.Requires) > 0 && strings.HasPrefix(c.Requires[0], "connector:") && tool.Connector != c.ID {
				t.Errorf("%s acts with no account", tool.Name)
			}
			schema(t, tool)
		}
	}
}

// The arguments that the catalog reads are those that the schema names.
func schema(t *testing.T, tool catalog.Tool) {
	t.Helper()
	var s struct {
		Type       string
		Properties map[string]json.RawMessage
		Required   []string
		Additional *bool `json:"additionalProperties"`
	}
	if err := json.Unmarshal(tool.Schema, &s); err != nil || s.Type != "object" || s.Additional == nil || *s.Additional || s.Required == nil {
		t.Errorf("%s: schema %s: %v", tool.Name, tool.Schema, err)
		return
	}
	named := append([]string{}, s.Required...)
	if tool.Target.Declared() {
		named = append(append(named, tool.Target.Arg), tool.Target.Covers...)
		if !slices.Contains(s.Required, tool.Target.Arg) {
			t.Errorf("%s: its target is not required", tool.Name)
		}
	}
	for _, name := range named {
		if s.Properties[name] == nil {
			t.Errorf("%s: no argument %q in the schema", tool.Name, name)
		}
	}
	if tool.Connector != "" && s.Properties[catalog.AccountArg] == nil {
		t.Errorf("%s: takes no account", tool.Name)
	}
}

func TestP10_Expand(t *testing.T) {
	t.Parallel()
	have := map[string]bool{"connector:github": true, "workspace": true}
	tools, missing := catalog.Expand([]string{"git", "shell", "slack", "github", "git", "nope", "session"}, have)
	var got []string
	for _, tool := range tools {
		got = append(got, tool.Name)
	}
	want := []string{
		"ask_user", "propose_plan", "request_directory", "notify", "sleep_for", "sleep_until", "wake_on", "wake_on_event", "list_wakes", "cancel_wake",
		"git_status", "git_diff", "git_log",
		"github_read_issue", "github_comment", "github_create_issue", "github_merge_pr", "github_force_push", "github_delete_repo",
	}
	if !slices.Equal(got, want) {
		t.Errorf("tools %v", got)
	}
	// The seed skips silently what is missing; we say what, and where to set it up.
	lacks := map[string]string{"shell": "runner", "slack": "connector:slack", "nope": ""}
	if len(missing) != len(lacks) {
		t.Errorf("missing %+v", missing)
	}
	for _, m := range missing {
		if r, ok := lacks[m.Capability]; !ok || r != m.Requires || m.Where == "" {
			t.Errorf("missing %+v", m)
		}
	}
	if tools, missing := catalog.Expand(nil, nil); len(tools) != 10 || missing != nil {
		t.Errorf("without anything: %d tools, missing %v", len(tools), missing)
	}
	tools[0].Risk = catalog.External
	if again, _ := catalog.Expand(nil, nil); again[0].Risk != catalog.Read {
		t.Error("what Expand returned is the set itself")
	}
}

func TestP10_AConnectorBringsItsTools(t *testing.T) {
	t.Parallel()
	got := catalog.WithConnectors([]string{"files", "slack"}, []string{"github", "slack", "unknown"})
	if !slices.Equal(got, []string{"files", "slack", "github"}) {
		t.Errorf("got %v", got)
	}
}

func TestP11_NamesOfCodingAgents(t *testing.T) {
	t.Parallel()
	for risk, names := range map[catalog.Risk]string{
		catalog.Exec:       "Bash bash shell local_shell exec_command run_shell_command KillShell",
		catalog.WriteLocal: "Edit Write MultiEdit NotebookEdit edit write replace patch",
		catalog.Read:       "Read Glob Grep LS WebFetch WebSearch NotebookRead BashOutput TodoWrite read glob list webfetch",
	} {
		for name := range strings.FieldsSeq(names) {
			tool, ok := catalog.Lookup(name)
			if !ok || tool.Risk != risk || !tool.Elsewhere || tool.Hosted || tool.Name != name {
				t.Errorf("%s: %+v", name, tool)
			}
			if _, known := catalog.Find(tool.Capability); !known {
				t.Errorf("%s belongs to no capability", name)
			}
			if risk == catalog.WriteLocal && !tool.Paths.Declared() {
				t.Errorf("%s writes and has no extractor", name)
			}
			if risk == catalog.Exec && name != "KillShell" && len(tool.Command.Args) == 0 {
				t.Errorf("%s names no command", name)
			}
		}
	}
	for _, name := range []string{"", "mcp__github__github_comment", "mcp__a__Read", "READ", "Task"} {
		if tool, ok := catalog.Lookup(name); ok {
			t.Errorf("%q: %+v", name, tool)
		}
	}
	for _, c := range catalog.All() { // no session here is given one
		for _, tool := range c.Tools {
			if tool.Elsewhere {
				t.Errorf("%s brings %s", c.ID, tool.Name)
			}
		}
	}
}

func TestP12_RiskSummary(t *testing.T) {
	t.Parallel()
	got := catalog.RiskSummary([]string{"shell", "files", "git", "github", "nope"})
	want := []catalog.Summary{
		{Capability: "shell", Name: "Shell", Risks: []catalog.Risk{"read", "exec"}},
		{Capability: "files", Name: "Files", Risks: []catalog.Risk{"read", "write_local"}},
		{Capability: "git", Name: "Git", Risks: []catalog.Risk{"read"}},
		{Capability: "github", Name: "GitHub", Risks: []catalog.Risk{"read", "external"}, Irreversible: []string{"github_force_push", "github_delete_repo"}},
		{Capability: "nope", Name: "nope", Risks: []catalog.Risk{"external"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}
