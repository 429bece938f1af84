package handbook

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// section is what stands below a heading of the second level.
func section(t *testing.T, doc, name string) string {
	t.Helper()
	_, rest, found := strings.Cut(doc, "\n## "+name+"\n")
	if !found {
		t.Fatalf("no section %q", name)
	}
	body, _, _ := strings.Cut(rest, "\n## ")
	return body
}

var heading = regexp.MustCompile(`(?m)^#{2,4} (.+)$`)

// anchor is how a heading is linked to.
func anchor(title string) string {
	return strings.ReplaceAll(regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(title), ""), " ", "-")
}

func anchors(doc string) map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(doc, -1) {
		all[anchor(m[1])] = true
	}
	return all
}

var (
	alarm = regexp.MustCompile(`(?m)^  ([A-Za-z]+Alarm):\n    Type: AWS::CloudWatch::Alarm\n    Properties:\n      AlarmDescription: '[^']* See docs/operations\.md#([a-z-]+)'`)
	typed = regexp.MustCompile(`(?m)^    Type: AWS::CloudWatch::Alarm$`)
)

// D12: every alarm names an entry, every entry under "What pages" is an alarm's,
// and each says what is seen, why, and what to do.
func TestD12_AlarmsAndEntriesAreTheSame(t *testing.T) {
	t.Parallel()
	template, doc := read(t, "template.yaml"), read(t, "docs/operations.md")
	named := map[string]string{}
	for _, m := range alarm.FindAllStringSubmatch(template, -1) {
		named[m[2]] = m[1]
	}
	if n := len(typed.FindAllString(template, -1)); n != len(named) || n < 5 {
		t.Fatalf("%d alarms, %d with an entry of their own", n, len(named))
	}
	pages := section(t, doc, "What pages")
	entries := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^### ([a-z-]+)$`).FindAllStringSubmatch(pages, -1) {
		entries[m[1]] = true
		_, body, _ := strings.Cut(pages, "### "+m[1]+"\n")
		body, _, _ = strings.Cut(body, "\n### ")
		for _, part := range []string{"**Symptom.**", "**Cause", "**What to do.**"} {
			if !strings.Contains(body, part) {
				t.Errorf("entry %s has no %s", m[1], part)
			}
		}
	}
	for entry, a := range named {
		if !entries[entry] {
			t.Errorf("%s names the entry %s, which is not there", a, entry)
		}
	}
	for entry := range entries {
		if named[entry] == "" {
			t.Errorf("the entry %s pages, and no alarm names it", entry)
		}
	}
	table := section(t, doc, "The failure table")
	for entry := range anchors(pages + section(t, doc, "What you may see")) {
		if !strings.Contains(table, "(#"+entry+")") {
			t.Errorf("the failure table has no row for %s", entry)
		}
	}
}

// pointer is a place in a document that a message points to.
var pointer = regexp.MustCompile(`docs/([a-z-]+\.md)#([a-z0-9-]+)`)

// U4, U15: what a command, an alarm or a log line points to is there.
func TestU15_PointersLeadSomewhere(t *testing.T) {
	t.Parallel()
	docs, seen := map[string]map[string]bool{}, map[string]bool{}
	for _, dir := range []string{"cmd", "functions", "shared", "infra", "."} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && dir == "." && path != filepath.Clean(root) {
				return filepath.SkipDir
			}
			if d.IsDir() || strings.HasSuffix(path, "_test.go") || !slices.Contains([]string{".go", ".yaml", ".py", ".sh", ".md", ".templ"}, filepath.Ext(path)) {
				return nil
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range pointer.FindAllStringSubmatch(string(raw), -1) {
				if docs[m[1]] == nil {
					docs[m[1]] = anchors(read(t, "docs/"+m[1]))
				}
				seen[m[1]+"#"+m[2]] = true
				if at := strings.TrimSuffix(m[2], "-"); at != m[2] { // the rest is put in when it is said
					if !slices.ContainsFunc(slices.Collect(maps.Keys(docs[m[1]])), func(a string) bool { return strings.HasPrefix(a, m[2]) }) {
						t.Errorf("%s points to docs/%s#%s..., which is nowhere", path, m[1], m[2])
					}
				} else if !docs[m[1]][m[2]] {
					t.Errorf("%s points to docs/%s#%s, which is not there", path, m[1], m[2])
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) < 8 {
		t.Fatalf("only %d pointers found: the test does not see them", len(seen))
	}
}
