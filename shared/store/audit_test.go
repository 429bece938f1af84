package store

import (
	"fmt"
	"testing"
)

// I28: rows are only added, read by chain in order, and all together newest
// first.
func TestAudit(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for i := range 6 {
		h.wins(NewAudit(Audit{ID: fmt.Sprint(i), Chain: []string{"session#s1", "policy"}[i%2], What: fmt.Sprint("w", i), Actor: ada, At: now.Add(int64ms(i))}))
	}
	h.loses(0, NewAudit(Audit{ID: "0", Chain: "session#s1", What: "another story", At: now}))
	rows, err := h.AuditOf(t.Context(), "session#s1")
	if err != nil || len(rows) != 3 || rows[0].What != "w0" || rows[2].What != "w4" || rows[0].Actor != ada {
		t.Errorf("%+v %v", rows, err)
	}
	tail, next, err := h.AuditTail(t.Context(), "", 4)
	if err != nil || len(tail) != 4 || tail[0].What != "w5" {
		t.Fatalf("%+v %v", tail, err)
	}
	rest, _, err := h.AuditTail(t.Context(), next, 4)
	if err != nil || len(rest) != 2 || rest[1].What != "w0" {
		t.Errorf("%+v %v", rest, err)
	}
}
