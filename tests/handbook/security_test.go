package handbook

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var named = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9_]+)`")

// tests reads which tests there are.
func tests(t *testing.T) map[string]bool {
	t.Helper()
	all, decl := map[string]bool{}, regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9_]+)\(`)
	for _, dir := range []string{"cmd", "functions", "shared", "tests", "infra", "docs"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			raw, err := os.ReadFile(path)
			for _, m := range decl.FindAllStringSubmatch(string(raw), -1) {
				all[m[1]] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// Q7: each row of the threat model names tests that exist; nothing is said to
// fail that nobody tried.
func TestQ7_EachAttackHasItsTest(t *testing.T) {
	t.Parallel()
	there, doc := tests(t), read(t, "docs/security.md")
	rows := 0
	for _, name := range []string{"The three entrances", "Who starts work", "Who answers", "What runs", "Panel and API", "Keys, logs, the account"} {
		for _, line := range strings.Split(section(t, doc, name), "\n") {
			if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| attack") {
				continue
			}
			rows++
			found := named.FindAllStringSubmatch(line, -1)
			if len(found) == 0 {
				t.Errorf("no test: %s", line)
			}
			for _, m := range found {
				if !there[m[1]] {
					t.Errorf("there is no test %s: %s", m[1], line)
				}
			}
		}
	}
	if rows < 30 {
		t.Fatalf("only %d rows found: the test does not see them", rows)
	}
}

// Q7: every attack that the rule lists has a row.
func TestQ7_EveryKnownAttackHasARow(t *testing.T) {
	t.Parallel()
	doc := strings.ToLower(read(t, "docs/security.md"))
	for _, attack := range []string{"forged webhook", "replayed delivery", "click by the wrong person", "connected workspace", "a card as it was before",
		"two answers", "link preview", "forged by escapes", "in a quote", "edited", "bot", "asks the gate for power", "arguments that change",
		"id used again", "path that leads outside", "shell operators", "override smuggled", "<!channel>", "<at id=all>", "csrf", "session id chosen",
		"key in a log", "what is not prevented"} {
		if !strings.Contains(doc, attack) {
			t.Errorf("no row for %q", attack)
		}
	}
}
