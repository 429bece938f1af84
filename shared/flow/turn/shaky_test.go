package turn

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/postern-dev/postern/shared/store/table"
)

// shaky is a table that can let something happen before a commit, or fail with
// it, before or after it is written.
type shaky struct {
	table.Table
	n       int            // commits so far
	before  func(table.Tx) // once, at the next commit
	at      int            // which commit fails, counted from 1
	written bool           // it is written all the same
	refuse  func(tx table.Tx) bool
}

var errBroken = errors.New("broken off")

func (s *shaky) Commit(ctx context.Context, tx table.Tx) (table.Result, error) {
	s.n++
	if f := s.before; f != nil {
		s.before = nil
		f(tx)
	}
	if s.refuse != nil && s.refuse(tx) {
		return table.Result{}, errBroken
	}
	if s.at == s.n {
		if s.written {
			if _, err := s.Table.Commit(ctx, tx); err != nil {
				return table.Result{}, err
			}
		}
		return table.Result{}, errBroken
	}
	return s.Table.Commit(ctx, tx)
}

// writes reports whether a commit writes a row whose sort key begins so.
func writes(tx table.Tx, sk string) bool {
	return slices.ContainsFunc(tx.Actions, func(a table.Action) bool { return a.Verb != table.Check && strings.HasPrefix(a.Key.SK, sk) })
}
