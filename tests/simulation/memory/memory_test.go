package memory_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/store/table"
	"github.com/postern-dev/postern/shared/store/table/tabletest"
	"github.com/postern-dev/postern/tests/simulation/memory"
)

// lossy drops the reply of the next commit when told to.
type lossy struct {
	table.Table
	lose atomic.Bool
}

func (l *lossy) Commit(ctx context.Context, tx table.Tx) (table.Result, error) {
	r, err := l.Table.Commit(ctx, tx)
	if err == nil && l.lose.CompareAndSwap(true, false) {
		return table.Result{}, errors.New("time-out waiting for the reply")
	}
	return r, err
}

// O6: the simulation's table keeps the contract that the engines keep, so what
// is seen on it holds for them.
func TestConformance(t *testing.T) {
	t.Parallel()
	tabletest.Run(t, func(*testing.T) tabletest.Env {
		db := memory.New(time.Now, nil)
		l := &lossy{Table: db}
		return tabletest.Env{Table: l, Feed: db, LoseReply: func() { l.lose.Store(true) }}
	})
}

// An index that lags shows what was, in order, and the table what is.
func TestLag(t *testing.T) {
	t.Parallel()
	hold := 0
	db := memory.New(time.Now, func(int) int { return hold })
	k := table.Key{PK: "a", SK: "b"}
	put := func(token, sk string) {
		_, err := db.Commit(t.Context(), table.Tx{Token: token, Actions: []table.Action{{Verb: table.Put, Key: k,
			Item: table.Item{"open_pk": table.Str("x"), "open_sk": table.Str(sk)}}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	seen := func() string {
		p, err := db.Query(t.Context(), table.Query{Index: table.Open, PK: "x"})
		if err != nil {
			t.Fatal(err)
		}
		s := ""
		for _, it := range p.Items {
			s += it["open_sk"].Str
		}
		return s
	}
	put("t1", "1")
	hold = 1
	put("t2", "2")
	if got := seen(); got != "1" {
		t.Errorf("one change behind, the index shows %q", got)
	}
	if it, _ := db.Get(t.Context(), k); it["open_sk"].Str != "2" {
		t.Errorf("the table lags too")
	}
	hold = 0
	if got := seen(); got != "2" {
		t.Errorf("caught up, the index shows %q", got)
	}
}
