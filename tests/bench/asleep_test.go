package bench

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/wake"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
	"github.com/postern-dev/postern/shared/store/table/tablecount"
)

// dormitory is a deployment with so many agents asleep for a month.
func dormitory(tb testing.TB, dir string, n int) (*local.Runtime, *tablecount.Counter) {
	tb.Helper()
	var count *tablecount.Counter
	now := clock.NewFake(noon)
	r := open(tb, dir, now, func(cfg *local.Config) {
		cfg.Wrap = func(t table.Table) table.Table { count = tablecount.New(t, nil); return count }
	})
	lay(tb, r, n, 20, func(i int) []table.Action {
		s := aSession("asleep-"+strconv.Itoa(i), noon)
		rows := store.NewSession(s, 0)
		for k := range rows {
			if rows[k].Key.SK == "lease" {
				rows[k].Item["state"] = table.Str(string(session.Sleeping))
			}
		}
		return append(rows, store.NewWake(wake.Wake{ID: "w-1-0", Session: s.ID, Kind: wake.Timer,
			At: noon.Add(30*24*time.Hour + time.Duration(i)*time.Second), Note: "go on", Generation: 1, Created: noon}))
	})
	now.Advance(24 * time.Hour)
	count.Reset()
	return r, count
}

// passed is the requests and read units of one pass of the reconciler.
func passed(tb testing.TB, r *local.Runtime, count *tablecount.Counter) (int, float64) {
	tb.Helper()
	count.Reset()
	finds, err := r.Waker.Reconcile(tb.Context())
	if err != nil || finds.Missed()+finds.Expired != 0 {
		tb.Fatalf("finds %+v: %v", finds, err)
	}
	c := count.Count()
	return c.Requests(""), c.Sum(nil).Read
}

// Q6, D9: what sleeps costs nothing: the reconciler makes the same requests,
// at the same price, beside 10 sleeping agents and beside 10,000.
func TestQ6_SleepingAgentsCostNoCalls(t *testing.T) {
	t.Parallel()
	few, countFew := dormitory(t, "", 10)
	lots, countLots := dormitory(t, "", 10_000)
	n, units := passed(t, few, countFew)
	m, more := passed(t, lots, countLots)
	if n != m || units != more {
		t.Errorf("beside 10 agents %d requests and %v read units, beside 10,000 %d and %v", n, units, m, more)
	}
	if n == 0 {
		t.Error("the reconciler asked nothing")
	}
}

// Goal: 100,000 agents asleep for a month make no call; the reconciler's do
// not depend on them.
func BenchmarkAsleep(b *testing.B) {
	for _, n := range []int{0, 100_000} {
		b.Run(fmt.Sprintf("agents=%d", n), func(b *testing.B) {
			r, count := dormitory(b, b.TempDir(), n)
			var requests int
			var units float64
			for b.Loop() {
				requests, units = passed(b, r, count)
			}
			b.ReportMetric(float64(requests), "requests/pass")
			b.ReportMetric(units, "read-units/pass")
			b.ReportMetric(float64(requests)*12*24*30, "requests/month")
		})
	}
}
