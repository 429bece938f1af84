package store

import (
	"errors"
	"strconv"
	"testing"

	"github.com/postern-dev/postern/shared/store/table"
)

// O2, O6: all or nothing; a loser sees every row that beat it; a repeated
// token is the same commit; a failure is an error and no loss.
func TestDo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	row := func(sk, v string, cond ...table.Cond) table.Action {
		return put(key("p", sk), "test", table.Item{"v": table.Str(v)}, cond...)
	}
	h.wins(row("a", "1"), row("b", "1"))
	lost := h.commit(row("c", "1"), row("a", "2", table.Absent()), row("b", "2", table.Absent()))
	if lost == nil || lost.By(0) || !lost.By(1) || !lost.By(2) || lost.Row(1)["v"].Str != "1" || lost.Row(0) != nil || h.raw(key("p", "c")) != nil {
		t.Errorf("%+v", lost)
	}
	var none *Lost
	if none.By(0) || none.Row(0) != nil {
		t.Error("a win lost something")
	}
	for range 2 {
		if lost, err := h.Do(t.Context(), "same", row("d", "1", table.Absent())); lost != nil || err != nil {
			t.Errorf("%+v %v", lost, err)
		}
	}
	if _, err := h.Do(t.Context(), "same", row("e", "1")); !errors.Is(err, table.ErrInvalid) {
		t.Errorf("one token for two commits: %v", err)
	}
}

// D11: what waits is spread over the shards, each session or item by its own.
func TestShard(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for i := range 800 {
		seen[shard("mail", strconv.Itoa(i))]++
	}
	if len(seen) != Shards {
		t.Errorf("%d shards", len(seen))
	}
	for s, n := range seen {
		if n < 50 {
			t.Errorf("%s has %d of 800", s, n)
		}
	}
}
