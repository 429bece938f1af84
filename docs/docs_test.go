package docs_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var (
	row = regexp.MustCompile("(?m)^\\| `([A-Za-z0-9./_-]+)` \\|(.*)\\|$")
	mod = regexp.MustCompile(`(?m)^(?:require )?\t?([a-z0-9.-]+\.[a-z]+/[A-Za-z0-9./_-]+|pgregory\.net/rapid) v\S+`)
)

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestQ9DependenciesAreNamed: every module that our code imports has a row that
// says why it is there, and every row names a module that is required.
func TestQ9DependenciesAreNamed(t *testing.T) {
	t.Parallel()
	required := map[string]bool{}
	for _, m := range mod.FindAllStringSubmatch(text(t, "../go.mod"), -1) {
		required[m[1]] = true
	}
	rows := map[string]bool{}
	for _, m := range row.FindAllStringSubmatch(text(t, "dependencies.md"), -1) {
		rows[m[1]] = true
		if !required[m[1]] {
			t.Errorf("dependencies.md names %s, which go.mod does not require", m[1])
		}
		if cells := strings.Split(m[2], "|"); len(cells) != 3 {
			t.Errorf("the row of %s has %d cells, not 3", m[1], len(cells))
		}
	}
	if len(required) < 20 || len(rows) < 20 {
		t.Fatalf("%d required, %d rows: the test does not see them", len(required), len(rows))
	}
	used := map[string]string{}
	for path, by := range imports(t) {
		if m := moduleOf(path, required); m != "" {
			used[m] = by
		}
	}
	for m, by := range used {
		if !rows[m] {
			t.Errorf("%s is imported by %s and has no row in dependencies.md", m, by)
		}
	}
}

// imports lists what our packages and their tests import, with one that does.
func imports(t *testing.T) map[string]string {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		for _, list := range [][]string{p.Imports, p.TestImports, p.XTestImports} {
			for _, i := range list {
				all[i] = p.ImportPath
			}
		}
	}
	return all
}

// moduleOf is the required module that a package lies in, the longest that fits.
func moduleOf(path string, required map[string]bool) string {
	for m := path; m != "" && m != "."; m = m[:max(0, strings.LastIndexByte(m, '/'))] {
		if required[m] {
			return m
		}
	}
	return ""
}

// TestLinks: a file that a document links to is there.
func TestLinks(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#:]+)[^):]*\)`)
	n := 0
	for _, doc := range documents(t) {
		dir := doc[:strings.LastIndexByte(doc, '/')+1]
		for _, m := range link.FindAllStringSubmatch(text(t, doc), -1) {
			n++
			if _, err := os.Stat(dir + m[1]); err != nil {
				t.Errorf("%s links to %s: %v", doc, m[1], err)
			}
		}
	}
	if n < 5 {
		t.Fatalf("%d links", n)
	}
}

// documents are the repository's own Markdown files that people read first.
func documents(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, dir := range []string{"../", "./"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".md") {
				out = append(out, dir+e.Name())
			}
		}
	}
	return out
}
