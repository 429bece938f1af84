package template

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/flow/wake"
)

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
