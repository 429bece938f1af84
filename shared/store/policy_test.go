package store

import (
	"testing"

	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/store/table"
)

func (h *house) save(was int64, p policy.Policy) []table.Action {
	h.t.Helper()
	actions, err := SavePolicy(was, p, "# yaml", "panel:ada", now)
	if err != nil {
		h.t.Fatal(err)
	}
	return actions
}

// G32: saving is conditional on the version that the writer read; every
// version is kept. Q8: none saved means nobody.
func TestPolicy(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	if p, err := h.Policy(t.Context()); err != nil || p.Version != 0 || len(p.Owners) != 0 {
		t.Fatalf("%+v %v", p, err)
	}
	h.wins(h.save(0, policy.Policy{Owners: []string{"panel:ada"}, Paused: []string{"all"}})...)
	if lost := h.commit(h.save(0, policy.Policy{Owners: []string{"panel:eve"}})...); lost == nil {
		t.Fatal("a second first version was saved")
	}
	p, err := h.Policy(t.Context())
	if err != nil || p.Version != 1 || p.Owners[0] != "panel:ada" || !p.IsPaused("slack") {
		t.Fatalf("%+v %v", p, err)
	}
	h.wins(h.save(1, policy.Policy{Owners: []string{"panel:bob"}})...)
	if lost := h.commit(h.save(1, policy.Policy{})...); lost == nil {
		t.Fatal("two edits of one version were both saved")
	}
	list, err := h.PolicyHistory(t.Context(), 10)
	if err != nil || len(list) != 2 || list[0].Version != 2 || list[1].Source != "# yaml" || list[1].By != "panel:ada" {
		t.Errorf("%+v %v", list, err)
	}
	if list, err := h.PolicyHistory(t.Context(), 1); err != nil || len(list) != 1 {
		t.Errorf("%d %v", len(list), err)
	}
}
