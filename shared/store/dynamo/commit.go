package dynamo

import (
	"context"
	"fmt"

	"github.com/postern-dev/postern/shared/store/table"
)

// Commit implements table.Table.
func (t *Table) Commit(ctx context.Context, tx table.Tx) (table.Result, error) {
	tx, err := table.Prepare(tx)
	if err != nil {
		return table.Result{}, err
	}
	var res table.Result
	switch one := tx.Actions[0]; {
	case len(tx.Actions) > 1 || len(one.Add) > 0 || (one.Verb == table.Delete && len(one.If) > 0):
		res, err = t.transact(ctx, tx)
	case one.Verb == table.Check:
		res, err = t.check(ctx, one)
	default:
		res, err = t.single(ctx, tx.Token, one)
	}
	if err != nil {
		return table.Result{}, fmt.Errorf("commit %s: %w", tx.Token, err)
	}
	return res, nil
}

// check reads the row strongly and looks itself: at most a half of what a
// transaction of one check costs, and just as true at that moment.
func (t *Table) check(ctx context.Context, a table.Action) (table.Result, error) {
	item, err := t.Get(ctx, a.Key)
	if err != nil || table.Holds(a.If, item) {
		return table.Result{}, err
	}
	return table.Result{Lost: []table.Loss{{Item: item}}}, nil
}
