package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/store/table"
)

// writes appends rows, ninety to a commit.
func (h *house) writes(rows ...Audit) {
	h.t.Helper()
	for part := range slices.Chunk(rows, 90) {
		var actions []table.Action
		for _, a := range part {
			actions = append(actions, NewAudit(a))
		}
		h.wins(actions...)
	}
}

// whats gives the words of the rows that a read gave, in their order.
func whats(t *testing.T) func(rows []Audit, err error) string {
	return func(rows []Audit, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, a := range rows {
			out = append(out, a.What)
		}
		return strings.Join(out, " ")
	}
}

// beside is another chain of the same shard.
func beside(chain string) string {
	for i := 0; ; i++ {
		if c := fmt.Sprint("session#other", i); auditShard(c) == auditShard(chain) {
			return c
		}
	}
}

// I28: rows are only added, each chain read in order and all together newest
// first, over the days and from time to time.
func TestI28_Audit(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	other := beside("session#s1")
	midnight := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	ms := time.Millisecond
	rows := []Audit{
		{ID: "5", Chain: "session#s1", What: "later", At: midnight.Add(50 * time.Hour)},
		{ID: "1", Chain: "session#s1", What: "first", Actor: ada, At: midnight.Add(-time.Hour)},
		{ID: "4", Chain: other, What: "other", At: midnight},
		{ID: "2", Chain: "session#s1", What: "last", At: midnight.Add(-ms)},
		{ID: "3", Chain: "session#s1", What: "midnight", At: midnight},
		{ID: "6", Chain: "policy", What: "policy", At: midnight.Add(-2 * ms)},
	}
	h.writes(rows...)
	h.loses(0, NewAudit(Audit{ID: "1", Chain: "session#s1", What: "another story", At: midnight.Add(-time.Hour)}))
	far := midnight.Add(100 * time.Hour)
	for _, c := range []struct {
		from, to    time.Time
		chain, tail string
	}{
		{midnight.Add(-time.Hour), midnight.Add(50 * time.Hour), "first last midnight later", "later other midnight last policy first"},
		{midnight.Add(-time.Hour), midnight.Add(-ms), "first last", "last policy first"},
		{midnight.Add(-ms), midnight, "last midnight", "other midnight last"},
		{midnight, midnight, "midnight", "other midnight"},
		{midnight.Add(-time.Hour + ms), midnight.Add(50*time.Hour - ms), "last midnight", "other midnight last policy"},
		// The hour in a place that is ahead, where it is the next day already.
		{midnight.Add(-ms).In(time.FixedZone("", 9*3600)), midnight.Add(-ms).In(time.FixedZone("", -9*3600)), "last", "last"},
		{midnight.Add(time.Hour), midnight.Add(49 * time.Hour), "", ""},
		{far, midnight, "", ""},
	} {
		if got := whats(t)(h.AuditOf(t.Context(), "session#s1", c.from, c.to)); got != c.chain {
			t.Errorf("the chain from %s to %s: %q, not %q", c.from, c.to, got, c.chain)
		}
		if got := whats(t)(h.AuditBetween(t.Context(), c.from, c.to, 0)); got != c.tail {
			t.Errorf("all from %s to %s: %q, not %q", c.from, c.to, got, c.tail)
		}
		words := strings.Fields(c.tail)
		for n := 1; n <= len(words); n++ {
			if got := whats(t)(h.AuditBetween(t.Context(), c.from, c.to, n)); got != strings.Join(words[:n], " ") {
				t.Errorf("the newest %d from %s to %s: %q", n, c.from, c.to, got)
			}
		}
	}
	if got, err := h.AuditOf(t.Context(), "session#s1", midnight.Add(-time.Hour), midnight.Add(-time.Hour)); err != nil || len(got) != 1 || got[0] != rows[1] {
		t.Errorf("%+v %v", got, err)
	}
}

// A shard's day longer than a page of the table comes whole and in order.
func TestI28_AuditPages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	const n = 2500
	chains := []string{"session#s1", beside("session#s1")}
	rows := make([]Audit, n)
	for i := range rows {
		rows[i] = Audit{ID: fmt.Sprint(i), Chain: chains[i%5/4], What: fmt.Sprint(i), At: now.Add(int64ms(i))}
	}
	h.writes(rows...)
	var chain, tail []string
	for i := range rows {
		tail = append(tail, fmt.Sprint(n-1-i))
		if i%5 < 4 {
			chain = append(chain, fmt.Sprint(i))
		}
	}
	if got := whats(t)(h.AuditOf(t.Context(), chains[0], now, now.Add(time.Minute))); got != strings.Join(chain, " ") {
		t.Errorf("the chain: %d characters", len(got))
	}
	for _, limit := range []int{0, 1, 1500, n} {
		want := tail[:limit]
		if limit == 0 {
			want = tail
		}
		if got := whats(t)(h.AuditBetween(t.Context(), now, now.Add(time.Minute), limit)); got != strings.Join(want, " ") {
			t.Errorf("the newest %d: %d characters", limit, len(got))
		}
	}
}

// D11: the rows of a day lie over all shards, none with three times its part,
// in no index, and one chain's rows of a day in one partition.
func TestD11_AuditShards(t *testing.T) {
	t.Parallel()
	const n = 32_000
	parts := map[string]int{}
	for i := range n {
		a := NewAudit(Audit{ID: "1", Chain: fmt.Sprintf("session#%026x", i*7919), At: now})
		parts[a.Key.PK]++
		for attr := range a.Item {
			if strings.HasSuffix(attr, "_pk") {
				t.Fatalf("in an index: %v", a.Item)
			}
		}
	}
	for shard := range uint32(auditShards) {
		if got := parts[auditKey(now, shard)]; got < n/auditShards/3 || got > n/auditShards*3 {
			t.Errorf("shard %d has %d of %d", shard, got, n)
		}
	}
	if len(parts) != auditShards || parts["audit#2026-03-01#07"] == 0 {
		t.Errorf("%d partitions: %v", len(parts), parts)
	}
	a, b := NewAudit(Audit{ID: "1", Chain: "c", At: now}), NewAudit(Audit{ID: "2", Chain: "c", At: now.Add(time.Hour)})
	if a.Key.PK != b.Key.PK || a.Key.SK >= b.Key.SK || a.Key.SK != Stamp(now)+"#1" {
		t.Errorf("%v %v", a.Key, b.Key)
	}
}
