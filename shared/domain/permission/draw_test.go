package permission_test

import (
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/permission"
	"pgregory.net/rapid"
)

// Generators for the properties: few words, so that they meet often.

var modes = []permission.Mode{permission.Discuss, permission.Plan, permission.Interactive, permission.Custom, permission.Auto}

func drawRisk(t *rapid.T) permission.Risk {
	return rapid.SampledFrom([]permission.Risk{read, local, exec, external}).Draw(t, "risk")
}

func drawServer(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "n", "no", "my server", "ü.x"}).Draw(t, "server")
}

func drawTool(t *rapid.T) string {
	return rapid.SampledFrom([]string{
		"a", "ab", "b", "a/b", "write_file", "run_shell", "web_fetch", "github_comment",
		"github_delete_repo", "apply_patch", "Edit", "Bash", "ask_user", "mine",
	}).Draw(t, "tool")
}

func drawPattern(t *rapid.T) string {
	piece := rapid.SampledFrom([]string{"*", "?", "a", "b", "n", "o", "_", "[ab]", "[^a]", "w", "run_shell", "write_*", "github_*", "**"})
	some := func(label string) string {
		out := ""
		for _, p := range rapid.SliceOfN(piece, 1, 3).Draw(t, label) {
			out += p
		}
		return out
	}
	if rapid.Bool().Draw(t, "mcp") {
		return some("server pattern") + "/" + some("tool pattern")
	}
	return some("pattern")
}

func drawOverrides(t *rapid.T) *permission.Overrides {
	var list []permission.Override
	for range rapid.IntRange(0, 8).Draw(t, "rules") {
		r := rule(drawPattern(t), drawRisk(t))
		if _, err := permission.NewOverrides([]permission.Override{r}); err == nil { // exec lowered by name is refused
			list = append(list, r)
		}
	}
	o, err := permission.NewOverrides(list)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

var callArguments = []string{
	`{}`, `{"path":"x"}`, `{"path":"/etc/passwd"}`, `{"path":"../up"}`, `{"path":["a","/b"]}`, `{"file_path":"/work/a/x"}`,
	`{"command":"ls"}`, `{"command":"ls ; rm -rf /"}`, `{"command":"ls","env":{"A":"b"}}`,
	`{"issue":"acme/app#1","body":"x"}`, `{"issue":"acme/app#1","cc":"x"}`, `{"repo":"acme/app"}`,
	`{"patch":"*** Begin Patch\n*** Update File: /etc/hosts\n"}`, `{"patch":"*** Begin Patch\n*** Update File: a\n"}`,
	`{"url":"https://a.example"}`, `{"account":"work"}`,
}

func drawCall(t *rapid.T) permission.Call {
	server, tool := drawServer(t), drawTool(t)
	if server == "" {
		tool = strings.ReplaceAll(tool, "/", "_")
	}
	c, err := permission.NewCall(server, tool, []byte(rapid.SampledFrom(callArguments).Draw(t, "args")))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var drawNow = time.Unix(1_800_000_000, 0)

// drawState is a generous state: whatever can be granted often is.
func drawState(t *rapid.T, c permission.Call) permission.State {
	s := permission.State{
		Session: "s1", Task: "t1", Now: drawNow,
		Mode:       rapid.SampledFrom(modes).Draw(t, "mode"),
		Unattended: rapid.Bool().Draw(t, "unattended"),
		Overrides:  drawOverrides(t),
		Roots:      rapid.SampledFrom([][]permission.Root{nil, {{Path: "/work/a", Writable: true}}, {{Path: "/work/a"}, {Path: "/work/b", Writable: true}}}).Draw(t, "roots"),
	}
	s.Commands, _ = permission.NewCommands([]string{"ls"})
	s.Custom, _ = permission.NewGrammar(rapid.SampledFrom([][]string{
		nil, {"risk:write_local", "risk:external"}, {"capability:files", "capability:github"}, {c.Tool}, {"mcp:n/*"},
	}).Draw(t, "custom"))
	if rapid.Bool().Draw(t, "allowed") {
		s.Allowed = []permission.Allowance{{
			Session: "s1", Server: c.Server, Tool: c.Tool, Command: c.Command,
			Target: c.Target, Account: c.Account, Granted: drawNow,
		}}
	}
	if rapid.Bool().Draw(t, "standing") {
		s.Standing = []permission.Standing{{Task: "t1", Tool: c.Tool, Target: c.Target, Account: c.Account}}
	}
	return s
}
