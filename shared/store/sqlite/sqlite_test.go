package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/postern-dev/postern/shared/store/sqlite"
	"github.com/postern-dev/postern/shared/store/table"
	"github.com/postern-dev/postern/shared/store/table/tabletest"
)

// lossy drops the reply of the next commit when told to.
type lossy struct {
	table.Table
	lose atomic.Bool
}

var errTimeout = errors.New("time-out waiting for the reply")

func (l *lossy) Commit(ctx context.Context, tx table.Tx) (table.Result, error) {
	res, err := l.Table.Commit(ctx, tx)
	if err == nil && l.lose.CompareAndSwap(true, false) {
		return table.Result{}, errTimeout
	}
	return res, err
}

func open(t *testing.T, path string, opts ...sqlite.Option) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(path, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func env(db *sqlite.DB) tabletest.Env {
	l := &lossy{Table: db}
	return tabletest.Env{Table: l, Feed: db, LoseReply: func() { l.lose.Store(true) }}
}

// O6: the contract, in memory.
func TestConformanceMemory(t *testing.T) {
	t.Parallel()
	tabletest.Run(t, func(t *testing.T) tabletest.Env { return env(open(t, sqlite.Memory)) })
}

// O6: the contract, in a file.
func TestConformanceFile(t *testing.T) {
	t.Parallel()
	tabletest.Run(t, func(t *testing.T) tabletest.Env {
		path := filepath.Join(t.TempDir(), "a table?#%20.db")
		e := env(open(t, path))
		e.Reopen = func(t *testing.T) (table.Table, table.Feed) {
			db := open(t, path)
			return db, db
		}
		return e
	})
}
