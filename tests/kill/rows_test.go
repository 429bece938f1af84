package kill

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/wake"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/sqlite"
)

// checkRows looks into the table that the last kill left: nothing waits, every
// session came to rest, every item was resolved once and every call ran once,
// in the rows and in the audit (I4, I7, I28, S8, W2).
func checkRows(t *testing.T, dir string, threads int) {
	t.Helper()
	db, err := sqlite.Open(filepath.Join(dir, "table.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	st := store.New(db)
	if a, err := st.Attention(t.Context()); err != nil || a.Total != 0 {
		t.Errorf("%d items wait: %v", a.Total, err)
	}
	list, _, err := st.Sessions(t.Context(), "", 1000)
	if err != nil || len(list) != threads {
		t.Errorf("%d sessions of %d threads: %v", len(list), threads, err)
	}
	for _, s := range list {
		checkSession(t, st, s)
	}
}

func checkSession(t *testing.T, st *store.Store, s session.Session) {
	t.Helper()
	o, err := st.Open(t.Context(), s.ID)
	if err != nil {
		t.Fatal(err)
	}
	mail, err := st.Mail(t.Context(), s.ID)
	if err != nil || len(mail) != 0 || o.Lease.State != session.Idle {
		t.Errorf("session %s is %s with %d mails: %v", s.ID, o.Lease.State, len(mail), err)
	}
	wakes, err := st.Wakes(t.Context(), s.ID)
	if err != nil || len(wakes) != 1 || wakes[0].State != wake.Fired {
		t.Errorf("session %s: wakes %+v %v", s.ID, wakes, err)
	}
	rows, err := st.AuditOf(t.Context(), "session#"+s.ID, s.Created, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	n, items := map[string]int{}, map[string]bool{}
	for _, r := range rows {
		n[r.What]++
		if r.Item != "" {
			items[r.Item] = true
		}
	}
	// One approval, and one question more where the reply to the call was lost
	// often enough.
	if n["asked"] != len(items) || n["resolved"] != len(items) || n["ran"] != 1 || n["woke"] != 1 || n["sleeps"] != 1 {
		t.Errorf("session %s: audit %v of %d items", s.ID, n, len(items))
	}
	for id := range items {
		x, err := st.Item(t.Context(), id)
		if err != nil || x == nil || !x.State.Terminal() || x.Kind == inbox.Approval && x.State != inbox.Approved {
			t.Errorf("item %s: %+v %v", id, x, err)
		}
	}
}
