package template

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/flow/wake"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/sqlite"
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
	db, err := sqlite.Open(sqlite.Memory)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	st, now := store.New(db), time.Now().UTC()
	old := now.Add(-time.Hour)
	mail := session.Mail{Session: "s1", ID: store.MailID(old, "m"), Kind: session.Note, At: old}
	if lost, err := st.Do(t.Context(), "mail", append(store.NewSession(session.Session{ID: "s1"}, 1), store.MailEntry(mail))...); err != nil || lost != nil {
		t.Fatal(lost, err)
	}
	var line bytes.Buffer
	n := 0
	w := &wake.Waker{Store: st, Log: slog.New(slog.NewJSONHandler(&line, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.MessageKey {
			a.Key = "message" // as the functions write it
		}
		return a
	}})), Now: func() time.Time { return now }, NewID: func() string { n++; return fmt.Sprint("id", n) }, Count: func(string, string) {}}
	if _, err := w.Reconcile(t.Context()); err != nil {
		t.Fatal(err)
	}
	var read struct {
		Message  string `json:"message"`
		NotWoken *int   `json:"not_woken"`
	}
	if err := json.Unmarshal(line.Bytes(), &read); err != nil || read.Message != "reconciled" || read.NotWoken == nil || *read.NotWoken != 1 {
		t.Errorf("%v: the filters read $.message and $.not_woken of %s", err, line.String())
	}
	yaml, err := os.ReadFile(root + "/template.yaml")
	if err != nil || !strings.Contains(string(yaml), `$.not_woken`) {
		t.Errorf("AnsweredNotWokenFilter does not read $.not_woken: %v", err)
	}
}
