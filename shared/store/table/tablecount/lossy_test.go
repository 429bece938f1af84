package tablecount_test

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/postern-dev/postern/shared/store/table"
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
