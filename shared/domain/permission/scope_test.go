package permission_test

import (
	"errors"
	"path"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/permission"
)

func TestP14_PathsByComponent(t *testing.T) {
	t.Parallel()
	roots := []permission.Root{
		{Path: "/work/a", Writable: true},
		{Path: "/work/a/vendor"}, // read-only inside a writable one
		{Path: "/work/ro"},
		{Path: "/work/ro/out/", Writable: true},
		{Path: "/work/twice", Writable: true},
		{Path: "/work/twice"},
		{Path: "/work/again"},
		{Path: "/work/again", Writable: true},
		{Path: "C:/work", Writable: true},
		{Path: "relative", Writable: true}, // no place, holds nothing
		{Path: "", Writable: true},
	}
	for _, r := range []struct {
		path string
		ok   bool
	}{
		{"/work/a", true},
		{"/work/a/x", true},
		{"/work/a/./b/../x", true},
		{"x.go", true}, // relative: from the primary root
		{"b/../../a/x", true},
		{"/work/ab", false},
		{"/work/ab/x", false},
		{"/work/a/../b", false},
		{"../a2/x", false},
		{"..", false},
		{"/work/a/vendor/x", false},
		{"/work/a/vendored/x", true},
		{"/work/ro/x", false},
		{"/work/ro/out/x", true},
		{"/work/twice/x", false},
		{"/work/again/x", false},
		{"/etc/passwd", false},
		{"/", false},
		{"~/x", false},
		{"~root/.ssh/x", false},
		{`a\..\..\x`, false},
		{"/work/a/\x00/../../etc", false},
		{"file:///etc/passwd", false},
		{"C:/work/x", true},
		{"C:/worker/x", false},
		{"C:x", false},
		{"relative/x", true}, // the folder named relative inside the primary root
		{"/relative/x", false},
	} {
		args := `{"path":` + quoted(r.path) + `,"content":""}`
		d := permission.Evaluate(call(t, "", "write_file", args), permission.State{Mode: permission.Auto, Roots: roots})
		if (d.Outcome == permission.Allow) != r.ok {
			t.Errorf("%q: %s (%s)", r.path, d.Outcome, d.Reason)
		}
		if !r.ok && (d.Outcome != permission.Deny || d.Step != 2 || !strings.Contains(d.Reason, r.path)) {
			t.Errorf("%q: %+v does not deny at step 2 and name the path", r.path, d)
		}
	}
	if d := permission.Evaluate(call(t, "", "write_file", `{"path":"x"}`), permission.State{Mode: permission.Auto}); d.Outcome != permission.Deny {
		t.Errorf("without a folder: %+v", d)
	}
}

// The seed looks at an argument called path and nothing else.
func TestP14_EveryPathOfEveryTool(t *testing.T) {
	t.Parallel()
	s := permission.State{Mode: permission.Auto, Roots: []permission.Root{{Path: "/work/a", Writable: true}}}
	for _, r := range []struct {
		tool, args string
		want       permission.Outcome
	}{
		{"Edit", `{"file_path":"/work/a/x"}`, permission.Allow},
		{"MultiEdit", `{"file_path":"/etc/x","edits":[]}`, permission.Deny},
		{"NotebookEdit", `{"notebook_path":"/etc/x.ipynb"}`, permission.Deny},
		{"write_file", `{"path":"a","file_path":"/etc/x"}`, permission.Deny},
		{"write_file", `{"path":["a","/etc/x"]}`, permission.Deny},
		{"apply_patch", `{"patch":"*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: /etc/cron.d/x\n"}`, permission.Deny},
		{"apply_patch", `{"patch":"*** Begin Patch\n*** Delete File: ../../x\n"}`, permission.Deny},
		{"apply_patch", `{"patch":"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}`, permission.Allow},
		{"apply_patch", `{"patch":"--- a/x\n+++ /dev/null\n"}`, permission.Allow},
		{"apply_patch", `{"patch":"--- a/x\t2026-01-01\n+++ b/../../etc/passwd\t2026-01-01\n"}`, permission.Deny},
		{"apply_patch", `{"patch":"--- a/x\n+++ \"b/\\056\\056/x\"\n"}`, permission.Deny},
		{"apply_patch", `{"patch":"diff --git a/x b/x\n--- a/x\n+++ b/x\ndiff --git a/../../y b/../../y\nnew mode 100755\n"}`, permission.Deny},
		{"apply_patch", `{"patch":"rename from a/x\nrename to /etc/x\n"}`, permission.Deny},
		{"apply_patch", `{"input":"*** Update File: /etc/x\n"}`, permission.Deny},

		// Where it writes cannot be told: it asks, in auto as well.
		{"apply_patch", `{"patch":"nothing that looks like one"}`, permission.Ask},
		{"apply_patch", `{"patch":7}`, permission.Ask},
		{"write_file", `{}`, permission.Ask},
		{"write_file", `{"path":""}`, permission.Ask},
		{"write_file", `{"path":" "}`, permission.Ask},
		{"write_file", `{"path":{"a":1}}`, permission.Ask},
		{"write_file", `{"path":["a",7]}`, permission.Ask},
		{"write_file", `{"where":"/etc/x"}`, permission.Ask},
	} {
		if d := permission.Evaluate(call(t, "", r.tool, r.args), s); d.Outcome != r.want {
			t.Errorf("%s %s: %s (%s), want %s", r.tool, r.args, d.Outcome, d.Reason, r.want)
		}
	}
}

// A tool that writes and has no extractor asks, whatever else would let it pass.
func TestP14_NoExtractorAsks(t *testing.T) {
	t.Parallel()
	c := call(t, "notion", "sync", `{}`)
	s := permission.State{
		Session: "s1", Mode: permission.Custom, Overrides: overrides(t, rule("notion/*", local)),
		Allowed: []permission.Allowance{{Session: "s1", Server: "notion", Tool: "sync"}},
		Custom:  grammar(t, "mcp:notion/*", "risk:write_local"),
	}
	for _, m := range []permission.Mode{permission.Interactive, permission.Custom, permission.Auto} {
		s.Mode = m
		if d := permission.Evaluate(c, s); d.Outcome != permission.Ask || d.Step != 2 {
			t.Errorf("%s: %+v", m, d)
		}
	}
	s.Unattended = true
	if d := permission.Evaluate(c, s); d.Outcome != permission.Route {
		t.Errorf("unattended: %+v", d)
	}
}

func TestP14_SymlinksAreResolvedByTheRunner(t *testing.T) {
	t.Parallel()
	s := permission.State{Mode: permission.Auto, Roots: []permission.Root{{Path: "/work/a", Writable: true}}}
	c := call(t, "", "write_file", `{"path":"link/passwd"}`)
	if d := permission.Evaluate(c, s); d.Outcome != permission.Allow {
		t.Fatalf("as written: %+v", d)
	}
	followed := c.Resolve(func(p string) (string, error) { return path.Join("/etc", path.Base(p)), nil })
	if d := permission.Evaluate(followed, s); d.Outcome != permission.Deny {
		t.Errorf("resolved: %+v", d)
	}
	if c.Paths[0] != "link/passwd" {
		t.Error("Resolve changed the call it was given")
	}
	broken := c.Resolve(func(string) (string, error) { return "", errors.New("no such folder") })
	if d := permission.Evaluate(broken, s); d.Outcome != permission.Ask {
		t.Errorf("not resolvable: %+v", d)
	}
}

func TestP14_RootsAreReadAtEachCall(t *testing.T) {
	t.Parallel()
	c := call(t, "", "write_file", `{"path":"/work/b/x"}`)
	s := permission.State{Mode: permission.Auto, Roots: []permission.Root{{Path: "/work/a", Writable: true}}}
	want := func(o permission.Outcome) {
		t.Helper()
		if d := permission.Evaluate(c, s); d.Outcome != o {
			t.Errorf("%s, want %s", d.Outcome, o)
		}
	}
	want(permission.Deny)
	s.Roots = append(s.Roots, permission.Root{Path: "/work/b", Writable: true})
	want(permission.Allow)
	s.Roots[1].Writable = false
	want(permission.Deny)
}
