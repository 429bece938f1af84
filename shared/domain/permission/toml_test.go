package permission_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/permission"
	"pgregory.net/rapid"
)

func TestP4_TOML(t *testing.T) {
	t.Parallel()
	const text = `# what people decided
[mcp.notion]
default = "read"

[mcp.notion.tools]
"create_*" = "external"
delete_page = "exec"

[tools]
slack_send_message = "external"
"git*" = "read"

[mcp."my server".tools]
x = "write_local"
`
	o, err := permission.ParseOverrides("overrides.toml", text)
	if err != nil {
		t.Fatal(err)
	}
	want := []permission.Override{
		rule("notion/*", read), rule("notion/create_*", external), rule("notion/delete_page", exec),
		rule("slack_send_message", external), rule("git*", read), rule("my server/x", local),
	}
	if !slices.Equal(o.List(), want) {
		t.Errorf("got %v", o.List())
	}
	if printed := o.TOML(); printed != strings.TrimPrefix(text, "# what people decided\n") {
		t.Errorf("printed:\n%s", printed)
	}
}

// The seed skips rules that it cannot read; we refuse the file and say where.
func TestP4_TOMLErrorsNameLineAndKey(t *testing.T) {
	t.Parallel()
	for _, r := range []struct {
		name, text string
		line       int
		key, say   string
	}{
		{"bad class", "[tools]\na = \"read\"\nb = \"maybe\"\n", 3, "tools.b", "risk class"},
		{"bad class of a default", "\n\n[mcp.notion]\ndefault = \"\"\n", 4, "mcp.notion.default", "risk class"},
		{"exec lowered", "[tools]\nrun_shell = \"read\"\n", 2, "tools.run_shell", "exec is never overridden downwards"},
		{"bad glob", "[mcp.n.tools]\n\"a[\" = \"read\"\n", 2, `mcp.n.tools."a["`, "set"},
		{"no text", "[tools]\na = 3\n", 2, "tools.a", "in quotes"},
		{"unknown top", "[tools]\na=\"read\"\n[tool]\nb=\"read\"\n", 3, "tool", "unknown key"},
		{"unknown in a server", "[mcp.n]\nDefault = \"read\"\n", 2, "mcp.n.Default", "unknown key"},
		{"too deep", "[mcp.n.tools.x]\ny = \"read\"\n", 1, "mcp.n.tools.x", "in quotes"},
		{"tools is no table", "tools = \"read\"\n", 1, "tools", "table"},
		{"array of tables", "[[tools]]\na = \"read\"\n", 1, "tools", "table"},
		{"slash in a plain tool", "[tools]\n\"notion/x\" = \"read\"\n", 2, `tools."notion/x"`, "slash"},
		{"slash in a server", "[mcp.\"a/b\"]\ndefault = \"read\"\n", 1, `mcp."a/b"`, "slash"},
		{"twice", "[tools]\na = \"read\"\na = \"exec\"\n", 3, "tools.a", "defined"},
		{"not TOML", "[tools\n", 2, "", ""},
		{"empty key", "\nmine.\"\" = \"read\"\n", 2, `mine.""`, "unknown key"},
		{"overrides key", "risk_overrides = []\n", 1, "risk_overrides", "unknown key"},
	} {
		_, err := permission.ParseOverrides("o.toml", r.text)
		var e *permission.TOMLError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", r.name, err)
			continue
		}
		if e.File != "o.toml" || e.Line != r.line || r.key != "" && e.Key != r.key || !strings.Contains(err.Error(), r.say) {
			t.Errorf("%s: %v (line %d, key %s)", r.name, err, e.Line, e.Key)
		}
	}
}

// What is printed reads back to the same rules and, for every tool, the same
// answer, whatever stands in another's way.
func TestP4_TOMLRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := drawOverrides(t)
		text := o.TOML()
		back, err := permission.ParseOverrides("x.toml", text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if len(back.List()) != len(o.List()) {
			t.Fatalf("%d rules of %d in\n%s", len(back.List()), len(o.List()), text)
		}
		for range 20 {
			server, tool := drawServer(t), drawTool(t)
			a, okA := o.Find(server, tool)
			b, okB := back.Find(server, tool)
			if a != b || okA != okB {
				t.Fatalf("%s/%s: %v, read back %v in\n%s", server, tool, a, b, text)
			}
		}
	})
}
