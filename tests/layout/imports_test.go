// Package layout holds the house to its plan: who may import whom (O5).
package layout

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/postern-dev/postern/"

// wings says what each part of the house may import of ours (O5). A part is
// the longest prefix that fits.
var wings = map[string][]string{
	"shared/domain":       {"shared/domain"},
	"shared/store/table":  {"shared/store/table"},
	"shared/store/dynamo": {"shared/store/table"},
	"shared/store/sqlite": {"shared/store/table"},
	"shared/store":        {"shared/domain", "shared/store/table"},
	"shared/flow":         {"shared/domain", "shared/store", "shared/flow"},
	"shared/edge":         {"shared/domain", "shared/edge"},
	"shared/local":        {"shared", "infra/policy"},
	"functions":           {"shared/domain", "shared/store", "shared/flow", "shared/edge", "functions/wire"},
	"cmd":                 {"shared", "infra", "docs", "cmd"},
	"infra":               {"shared", "infra"},
	"docs":                {},
	"tests":               {"shared", "infra", "docs", "tests", "cmd"},
}

type pkg struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	d := json.NewDecoder(strings.NewReader(string(out)))
	for d.More() {
		var p pkg
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

func TestO5_ImportsRunDownwards(t *testing.T) {
	t.Parallel()
	all := packages(t)
	if len(all) < 20 {
		t.Fatalf("only %d packages found: the test does not see the house", len(all))
	}
	for _, p := range all {
		from := strings.TrimPrefix(p.ImportPath, module)
		may, ok := allowed(from)
		if !ok {
			t.Errorf("%s lies in no part of the house", from)
			continue
		}
		for _, imp := range p.Imports {
			to, ours := strings.CutPrefix(imp, module)
			if ours && !within(to, may) {
				t.Errorf("%s imports %s, which runs upwards or across (O5)", from, to)
			}
		}
	}
}

// TestO5_FlowKnowsNoEngine: flow sees engines and edges only as interfaces of
// its own.
func TestO5_FlowKnowsNoEngine(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		from := strings.TrimPrefix(p.ImportPath, module)
		if !strings.HasPrefix(from, "shared/flow") {
			continue
		}
		for _, imp := range p.Imports {
			for _, engine := range []string{module + "shared/store/dynamo", module + "shared/store/sqlite", "github.com/aws/", "github.com/slack-go", "github.com/larksuite"} {
				if strings.HasPrefix(imp, engine) {
					t.Errorf("%s imports %s (O5)", from, imp)
				}
			}
		}
	}
}

func allowed(from string) ([]string, bool) {
	best, found := "", false
	for w := range wings {
		if (from == w || strings.HasPrefix(from, w+"/")) && len(w) >= len(best) {
			best, found = w, true
		}
	}
	return wings[best], found
}

func within(to string, may []string) bool {
	for _, m := range may {
		if to == m || strings.HasPrefix(to, m+"/") {
			return true
		}
	}
	return false
}
