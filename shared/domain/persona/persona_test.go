package persona_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/catalog"
	"github.com/postern-dev/postern/shared/domain/permission"
	"github.com/postern-dev/postern/shared/domain/persona"
)

const whole = `---
id: night-shift
name: "Night shift"
icon: moon
tagline: Keeps watch
description: |
  Looks after things.
  At night.
family: code
tools: [web, todo]
connectors:
  - github
  - slack   # with a remark
mcp: [notion]
skills: [triage]
recommended_models: ["anthropic:some model"]
default_permission_mode: custom
inbox: night
automations:
  - title: Look in
    instructions: |
      Read what failed.
      Report.
    cron: "0 3 * * *"
    zone: Europe/Berlin
---

You keep watch.

---
This line is the body's.
`

func TestPR1_AWholeManifest(t *testing.T) {
	t.Parallel()
	got, err := persona.Parse("night.md", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	want := persona.Persona{
		ID: "night-shift", Version: got.Version, Name: "Night shift", Icon: "moon", Tagline: "Keeps watch",
		Description: "Looks after things.\nAt night.", Family: persona.Code,
		Tools: []string{"web", "todo"}, Connectors: []string{"github", "slack"}, MCP: []string{"notion"},
		Skills: []string{"triage"}, Models: []string{"anthropic:some model"}, Mode: permission.Custom, Inbox: "night",
		Automations: []persona.Automation{{Title: "Look in", Instructions: "Read what failed.\nReport.", Cron: "0 3 * * *", Zone: "Europe/Berlin"}},
		Prompt:      "You keep watch.\n\n---\nThis line is the body's.",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if caps := got.Capabilities(); !reflect.DeepEqual(caps, []string{"web", "todo", "github", "slack"}) {
		t.Errorf("capabilities %v", caps)
	}
}

func TestPR1_Defaults(t *testing.T) {
	t.Parallel()
	got, err := persona.Parse("x.md", []byte("---\r\nid: x\r\nname: X\r\n---\r\nBe X.\r\n"))
	want := persona.Persona{ID: "x", Version: got.Version, Name: "X", Family: persona.Knowledge, Mode: permission.Interactive, Prompt: "Be X."}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v %v", got, err)
	}
}

// Every error names file, line and key. The seed takes lists written as one
// comma text, and an id from the file's name; we take neither.
func TestPR1_Errors(t *testing.T) {
	t.Parallel()
	front := func(lines string) string { return "---\nid: x\nname: X\n" + lines + "\n---\nBe X.\n" }
	for _, r := range []struct {
		name, text string
		line       int
		key, say   string
	}{
		{"nothing", "", 1, "", "first line"},
		{"no front matter", "# X\nBe X.\n", 1, "", "first line"},
		{"space before the dashes", " ---\nid: x\n---\nBe X.\n", 1, "", "first line"},
		{"not closed", "---\nid: x\nname: X\nBe X.\n", 1, "", "no closing line"},
		{"empty front matter", "---\n---\nBe X.\n", 1, "", "empty"},
		{"empty body", "---\nid: x\nname: X\n---\n \n", 4, "", "body is empty"},
		{"no body", "---\nid: x\nname: X\n---", 4, "", "body is empty"},
		{"not a mapping", "---\n- id\n---\nBe X.\n", 2, "", "keys and values"},
		{"plain text", "---\nid\n---\nBe X.\n", 2, "", "keys and values"},
		{"two documents", front("--- \nid: y"), 1, "", "empty"},
		{"no id", "---\nname: X\n---\nBe X.\n", 1, "id", "missing"},
		{"no name", "---\nid: x\n---\nBe X.\n", 1, "name", "missing"},
		{"bad id", "---\nname: X\nid: Not An Id\n---\nBe X.\n", 3, "id", "a-z"},
		{"id of a path", "---\nid: ../x\nname: X\n---\nBe X.\n", 2, "id", "a-z"},
		{"id too long", "---\nid: " + strings.Repeat("a", 65) + "\nname: X\n---\nBe X.\n", 2, "id", "64"},
		{"id is a number", "---\nid: 7\nname: X\n---\nBe X.\n", 2, "id", "want text"},
		{"unknown key", front("icons: x"), 4, "icons", "unknown key"},
		{"code", front("build: python"), 4, "build", "unknown key"},
		{"a key twice", front("icon: a\nicon: b"), 5, "icon", "twice"},
		{"key is a list", front("? [a]\n: b"), 5, "", "key"},
		{"merge", front("<<: {icon: a}"), 4, "", "plain word"},
		{"unknown capability", front("tools:\n  - web\n  - root"), 6, "tools[1]", `no capability "root"`},
		{"tools as one text", front("tools: web, todo"), 4, "tools", "want a list"},
		{"tools as a mapping", front("tools: {web: yes}"), 4, "tools", "want a list"},
		{"a tool twice", front("tools: [web, web]"), 4, "tools[1]", "twice"},
		{"an empty tool", front("tools: [web, '']"), 4, "tools[1]", "empty"},
		{"a missing tool", front("tools:\n  -\n  - web"), 5, "tools[0]", "want text"},
		{"no list", front("tools:"), 4, "tools", "want a list"},
		{"connector with a slash", front("connectors: [a/b]"), 4, "connectors[0]", "plain name"},
		{"connectors yes", front("connectors: true"), 4, "connectors", "want a list"},
		{"bad mode", front("default_permission_mode: yolo"), 4, "default_permission_mode", "not a mode"},
		{"bad family", front("family: pets"), 4, "family", "no family"},
		{"anchor", front("icon: &a x"), 4, "icon", "want text"},
		{"alias", front("icon: &a x\ntagline: *a"), 4, "icon", "want text"},
		{"tag", front("icon: !!binary eA=="), 4, "icon", "want text"},
		{"too long", front("tagline: " + strings.Repeat("x", 161)), 4, "tagline", "160"},
		{"control characters", front(`icon: "a\u0007"`), 4, "icon", "control"},
		{"line break in a line", front(`tagline: "a\nb"`), 4, "tagline", "control"},
		{"automations as a mapping", front("automations: {a: b}"), 4, "automations", "want a list"},
		{"automation without a zone", front("automations:\n- title: a\n  instructions: b\n  cron: '* * * * *'"), 5, "automations[0]", "needs"},
		{"automation with a command", front("automations:\n- title: a\n  run: rm"), 6, "automations[0].run", "unknown key"},
		{"automation with approvals", front("automations:\n- title: a\n  standing_approvals: []"), 6, "automations[0].standing_approvals", "cannot grant itself"},
		{"automation is text", front("automations: [x]"), 4, "automations[0]", "keys and values"},
		{"automation is nothing", front("automations:\n-"), 5, "automations[0]", "keys and values"},
		{"not YAML", front("icon: [a"), 4, "", ""},
		{"bare carriage return", front("icon: a\rtools: [web]"), 4, "", "control"},
		{"tab", front("icon:\n\t- a"), 5, "", ""},
		{"invalid UTF-8", "---\nid: x\nname: \xff\n---\nBe X.\n", 1, "", "UTF-8"},
		{"large", "---\nid: x\nname: X\n---\n" + strings.Repeat("x", persona.MaxManifest), 1, "", "64 KB"},
		{"large front matter", front("icon: x #" + strings.Repeat("x", persona.MaxFront)), 1, "", "8 KB"},
		{"deep", front("icon: " + strings.Repeat("[", 4000)), 4, "", ""},
	} {
		p, err := persona.Parse("p.md", []byte(r.text))
		var e *persona.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: read as %+v, %v", r.name, p, err)
			continue
		}
		if e.File != "p.md" || e.Line != r.line || e.Key != r.key || !strings.Contains(err.Error(), r.say) {
			t.Errorf("%s: line %d, key %q: %v", r.name, e.Line, e.Key, err)
		}
		if !strings.HasPrefix(err.Error(), "p.md:") || len(err.Error()) > 400 {
			t.Errorf("%s: %v", r.name, err)
		}
		if !reflect.DeepEqual(p, persona.Persona{}) {
			t.Errorf("%s: an error, and %+v", r.name, p)
		}
	}
}

// The seed ignores such keys; a manifest that tries is refused here (P3).
func TestP3_AManifestGrantsItselfNothing(t *testing.T) {
	t.Parallel()
	for _, key := range []string{
		"risk_overrides", "overrides", "allowed_commands", "command_allow_list", "auto_allow", "custom",
		"standing_approvals", "permissions", "roots", "approvers", "unattended",
	} {
		_, err := persona.Parse("p.md", []byte("---\nid: x\nname: X\n"+key+": []\n---\nBe X.\n"))
		var e *persona.Error
		if !errors.As(err, &e) || e.Line != 4 || e.Key != key || !strings.Contains(err.Error(), "cannot grant itself") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func TestPR2_VersionsAndReservedIDs(t *testing.T) {
	t.Parallel()
	of := func(text string) string {
		p, err := persona.Parse("x.md", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return p.Version
	}
	v := of(whole)
	if len(v) != 32 || of(whole) != v || of(strings.ReplaceAll(whole, "\n", "\r\n")) != v {
		t.Errorf("the same text is another version: %s", v)
	}
	for _, other := range []string{whole + "more", strings.Replace(whole, "moon", "sun", 1)} {
		if of(other) == v {
			t.Error("another text is the same version")
		}
	}
	for _, id := range []string{"cowork", "code", "ops", "main"} {
		if !persona.Reserved(id) {
			t.Errorf("%s is not reserved", id)
		}
	}
	if persona.Reserved("night-shift") {
		t.Error("an id of nobody's is reserved")
	}
}

func TestPR3_BuiltIn(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, p := range persona.Builtins() {
		ids = append(ids, p.ID)
		got, ok := persona.Builtin(p.ID)
		if !ok || !reflect.DeepEqual(got, p) || p.Prompt == "" || p.Version == "" || p.Name == "" {
			t.Errorf("%+v", p)
		}
		if p.Mode == permission.Auto || p.Mode == permission.Custom {
			t.Errorf("%s starts in %s", p.ID, p.Mode)
		}
		for _, c := range p.Capabilities() {
			if _, ok := catalog.Find(c); !ok {
				t.Errorf("%s names %s", p.ID, c)
			}
		}
	}
	if !reflect.DeepEqual(ids, []string{"cowork", "code", "ops", "main"}) {
		t.Errorf("built in: %v", ids)
	}
	for _, id := range []string{"", "Cowork", "night-shift"} {
		if p, ok := persona.Builtin(id); ok {
			t.Errorf("%q: %+v", id, p)
		}
	}
	p, _ := persona.Builtin("cowork")
	p.Tools[0] = "shell"
	if again, _ := persona.Builtin("cowork"); again.Tools[0] == "shell" {
		t.Error("a built-in persona was changed from outside")
	}
	router, _ := persona.Builtin(persona.Main)
	if len(router.Capabilities()) > 0 || !router.Mode.ReadOnly() {
		t.Errorf("the router may do work: %+v", router)
	}
}

func TestPR4_StartMode(t *testing.T) {
	t.Parallel()
	order := []permission.Mode{permission.Discuss, permission.Plan, permission.Interactive, permission.Custom, permission.Auto}
	for i, wants := range order {
		for k, allowed := range order {
			if got := (persona.Persona{Mode: wants}).StartMode(allowed); got != order[min(i, k)] {
				t.Errorf("wants %s, allowed %s: %s", wants, allowed, got)
			}
		}
	}
	if got := (persona.Persona{Mode: "yolo"}).StartMode(permission.Plan); got != permission.Plan {
		t.Errorf("a word that is no mode starts in %s", got)
	}
}

// Q3: manifests come from anywhere.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	for _, s := range []string{"", "---\n---\n", "---\nid: x\nname: X\n---\nB\n", "---\nid: &a x\nname: *a\n---\nB\n", "---\n{id: x, name: [}\n---\nB", "---\nid: x\nname: X\nrisk_overrides: []\n---\nB\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		p, err := persona.Parse("f.md", src)
		if err != nil {
			var e *persona.Error
			if !errors.As(err, &e) || e.Line < 1 || e.Line > 2+strings.Count(string(src), "\n") {
				t.Fatalf("%q: %v", src, err)
			}
			return
		}
		if p.ID == "" || p.Name == "" || p.Prompt == "" || len(p.Version) != 32 {
			t.Fatalf("%q: %+v", src, p)
		}
		for _, id := range p.Tools {
			if _, ok := catalog.Find(id); !ok {
				t.Fatalf("%q: tool %q", src, id)
			}
		}
	})
}
