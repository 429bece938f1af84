package template

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/flow/wake"
)

// Each alarm names its entry in the failure table (D12): the entry is there.
func TestAlarmsEntriesAreInTheFailureTable(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(root + "/docs/operations.md")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("docs/operations.md is not written yet")
	}
	if err != nil {
		t.Fatal(err)
	}
	for id, a := range alarms {
		if !strings.Contains(string(doc), a.entry) {
			t.Errorf("docs/operations.md has no entry %q, which %s names", a.entry, id)
		}
	}
}

// Two alarms read the reconciler's line from the log: it must stay as their
// filters know it (D12).
func TestReconcilersLineIsWhatTheFiltersRead(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile(root + "/shared/flow/wake/reconcile.go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(src), `Log.Info("reconciled", "finds", f)`) {
		t.Error(`the reconciler does not log "reconciled" with its finds any more: ReconciledFilter and AnsweredNotWokenFilter read nothing`)
	}
	line, err := json.Marshal(wake.Finds{Mail: 3})
	if err != nil {
		t.Fatal(err)
	}
	var finds map[string]any
	if err := json.Unmarshal(line, &finds); err != nil || finds["mail"] != float64(3) {
		t.Errorf("finds are written as %s: AnsweredNotWokenFilter reads $.finds.mail", line)
	}
}
