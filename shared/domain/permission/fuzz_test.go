package permission_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/postern-dev/postern/shared/domain/permission"
)

// Q3: the parsers that meet the outside. More seeds lie in testdata/fuzz.

func FuzzCanonical(f *testing.F) {
	for _, s := range []string{`{}`, `{"b":1,"a":[true,null,"\u00e4"]}`, `{"a":1,"\u0061":2}`, `{"a":1e999}`, `{"a":9007199254740993}`, "{\"a\":\"\xff\"}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, digest, err := permission.Canonical(raw)
		if err != nil {
			return
		}
		again, same, err := permission.Canonical(got)
		if err != nil || !bytes.Equal(got, again) || digest != same {
			t.Fatalf("%q is not its own canonical form: %q, %v", got, again, err)
		}
		var before, after map[string]any
		if json.Unmarshal(raw, &before) != nil || json.Unmarshal(got, &after) != nil || !reflect.DeepEqual(before, after) {
			t.Fatalf("%q and %q differ in value", raw, got)
		}
		if !utf8.Valid(got) || len(got) > permission.MaxArguments {
			t.Fatalf("%q", got)
		}
	})
}

func FuzzCommand(f *testing.F) {
	for _, s := range []string{"ls", "ls -la 'a b'", "ls ; rm -rf /", "ls $(x)", "ls\nrm", "ls > x", "A=b ls", "l\\s", "ls \"$x\"", "ls # x", "ls\x00;rm"} {
		f.Add(s)
	}
	list, err := permission.NewCommands([]string{"ls", "go test"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, command string) {
		args, _ := json.Marshal(map[string]string{"command": command})
		c, err := permission.NewCall("", "run_shell", args)
		if err != nil {
			return
		}
		entry, why := list.Match(&c)
		if (entry == "") == (why == "") {
			t.Fatalf("%q: entry %q and reason %q", command, entry, why)
		}
		if entry != "" && !tame(c.Command) {
			t.Fatalf("%q passes by %q", c.Command, entry)
		}
	})
}

// tame reads a command by characters alone: nothing special outside quotes,
// nothing that expands inside double ones.
func tame(s string) bool {
	var quote rune
	for _, r := range strings.Trim(s, "\n \t") {
		switch {
		case r < 0x20 && r != '\n' && r != '\t':
			return false
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case quote == r:
			quote = 0
		case quote == 0 && strings.ContainsRune("\n;&|<>()$`\\*?[]{}~!#^", r):
			return false
		case quote == '"' && strings.ContainsRune("$`\\!", r):
			return false
		}
	}
	return quote == 0
}

func FuzzGlob(f *testing.F) {
	for _, s := range [][2]string{
		{"notion/create_*", "notion/create_page"}, {"*", "run_shell"}, {"a[b-d]?", "acx"}, {"a[^/]b", "a/b"},
		{"*/*", "a/b/c"}, {"a[", "a["}, {"**?", "abc"}, {"[]a]", "]"}, {"ä*", "äö"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		o, err := permission.NewOverrides([]permission.Override{{Pattern: pattern, Risk: external}})
		if err != nil || !utf8.ValidString(name) || strings.ContainsRune(name, '\x01') {
			return
		}
		server, tool, mcp := strings.Cut(name, "/")
		if !mcp {
			server, tool = "", name
		}
		if mcp && server == "" {
			return
		}
		_, got := o.Find(server, tool)
		want := strings.Contains(pattern, "/") == mcp && globLike(pattern).MatchString(name)
		if strings.ContainsAny(pattern, "[]") { // sets: the two need not agree on odd ones
			return
		}
		if got != want {
			t.Fatalf("%q on %q: %v", pattern, name, got)
		}
	})
}

// globLike is the same glob as a regular expression.
func globLike(pattern string) *regexp.Regexp {
	server, tool, mcp := strings.Cut(pattern, "/")
	conv := func(s, any string) string {
		s = regexp.QuoteMeta(s)
		s = strings.ReplaceAll(s, `\*`, any+"*")
		return strings.ReplaceAll(s, `\?`, any)
	}
	if !mcp {
		return regexp.MustCompile(`(?s)^` + conv(pattern, ".") + `$`)
	}
	return regexp.MustCompile(`(?s)^` + conv(server, "[^/]") + "/" + conv(tool, ".") + `$`)
}

func FuzzOverridesTOML(f *testing.F) {
	for _, s := range []string{
		"[mcp.notion]\ndefault = \"read\"\n[mcp.notion.tools]\n\"create_*\" = \"external\"\n",
		"[tools]\nrun_shell = \"read\"\n", "tools.\"*\" = \"read\"\n", "mcp = { a = { default = \"exec\" } }",
		"[[tools]]\n", "[mcp.\"\"]\ndefault=\"read\"", "[tools]\n\"\\u202e\" = \"read\"", "x = 1",
	} {
		f.Add(s)
	}
	shell, err := permission.NewCall("", "run_shell", []byte(`{"command":"x"}`))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := permission.ParseOverrides("f", text)
		if err != nil {
			var e *permission.TOMLError
			if !errors.As(err, &e) || e.Line < 1 {
				t.Fatalf("%q: the error has no line: %v", text, err)
			}
			return
		}
		if d := permission.Evaluate(shell, permission.State{Overrides: o}); d.Outcome != permission.Ask {
			t.Fatalf("%q lets commands run", text)
		}
		back, err := permission.ParseOverrides("f", o.TOML())
		if err != nil || len(back.List()) != len(o.List()) {
			t.Fatalf("%q printed as %q: %v", text, o.TOML(), err)
		}
		if again := back.TOML(); again != o.TOML() {
			t.Fatalf("%q printed as %q, then as %q", text, o.TOML(), again)
		}
	})
}
