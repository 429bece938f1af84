package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/postern-dev/postern/shared/store/table"
)

// found is one action with the row it met and the row it leaves.
type found struct {
	id       int64
	old      table.Item
	oldBody  string
	new      table.Item
	newBytes []byte
}

// write does one commit inside the batch's transaction.
func (db *DB) write(j *job) (result table.Result, changed bool, err error) {
	rows := make([]found, len(j.tx.Actions))
	for i, a := range j.tx.Actions {
		r := &rows[i]
		if r.id, r.oldBody, r.old, err = db.writer.row(a.Key); err != nil {
			return table.Result{}, false, err
		}
		if !table.Holds(a.If, r.old) {
			result.Lost = append(result.Lost, table.Loss{Action: i, Item: r.old})
		}
	}
	if !result.Won() {
		own, err := db.recognise(j, result.Lost)
		if own || err != nil {
			return table.Result{}, false, err
		}
		return result, false, nil
	}
	if onlyChecks(j.tx) {
		return table.Result{}, false, nil
	}
	now := db.clock()
	added, err := db.writer.write.addToken.ExecContext(background, j.tx.Token, j.hash, now.UnixMicro())
	if err != nil {
		return table.Result{}, false, err
	}
	if n, err := added.RowsAffected(); err != nil || n == 0 {
		_, err = db.recognise(j, nil)
		return table.Result{}, false, err
	}
	for i, a := range j.tx.Actions {
		if rows[i].new, err = table.Apply(a, rows[i].old); err != nil {
			return table.Result{}, false, errors.Join(err, db.dropToken(j))
		}
	}
	for i, a := range j.tx.Actions {
		did, err := db.writer.store(a, &rows[i], now)
		if err != nil {
			return table.Result{}, false, err
		}
		changed = changed || did
	}
	return table.Result{}, changed, nil
}

func onlyChecks(tx table.Tx) bool {
	for _, a := range tx.Actions {
		if a.Verb != table.Check {
			return false
		}
	}
	return true
}

// recognise reports whether this commit was made before: by its token, kept
// for tokenWindow, and after that by a row that still carries it. A token that
// was used for another commit is ErrInvalid.
func (db *DB) recognise(j *job, lost []table.Loss) (bool, error) {
	var hash []byte
	err := db.writer.write.token.QueryRowContext(background, j.tx.Token).Scan(&hash)
	switch {
	case err == nil && string(hash) == string(j.hash):
		return true, nil
	case err == nil:
		return false, fmt.Errorf("token %s was used for another commit before: %w", j.tx.Token, table.ErrInvalid)
	case !errors.Is(err, sql.ErrNoRows):
		return false, err
	}
	for _, l := range lost {
		if own, err := table.WroteBy(j.tx.Token, j.tx.Actions[l.Action], l.Item); own || err != nil {
			return own, err
		}
	}
	return false, nil
}

// store writes what an action leaves, and its change record.
func (s *session) store(a table.Action, r *found, now time.Time) (changed bool, err error) {
	w := s.write
	switch {
	case a.Verb == table.Check || (r.old == nil && r.new == nil):
		return false, nil
	case r.new == nil:
		_, err = w.delete.ExecContext(background, r.id)
	default:
		r.newBytes = appendItem(nil, r.new)
		columns := indexColumns(r.new)
		switch {
		case r.old == nil:
			_, err = w.insert.ExecContext(background, a.Key.PK, a.Key.SK,
				columns[0], columns[1], columns[2], columns[3], r.newBytes)
		case columns == indexColumns(r.old):
			_, err = w.updateBody.ExecContext(background, r.newBytes, r.id)
		default:
			_, err = w.update.ExecContext(background,
				columns[0], columns[1], columns[2], columns[3], r.newBytes, r.id)
		}
	}
	if err != nil {
		return false, fmt.Errorf("write row %v: %w", a.Key, err)
	}
	var old []byte // NULL if there was none
	if r.old != nil {
		old = []byte(r.oldBody)
	}
	_, err = w.change.ExecContext(background, a.Key.PK, a.Key.SK, now.UnixMicro(), old, r.newBytes)
	if err != nil {
		return false, fmt.Errorf("record change of row %v: %w", a.Key, err)
	}
	return true, nil
}

// indexColumns are a row's places in the two indexes: nil, nil where it lacks
// one of an index's attributes.
func indexColumns(it table.Item) (columns [4]any) {
	for i, index := range []table.Index{table.Open, table.List} {
		pkAttr, skAttr := index.Attrs()
		pk, sk := it[pkAttr], it[skAttr]
		if pk.Type != 0 && sk.Type != 0 {
			columns[2*i], columns[2*i+1] = pk.Str, sk.Str
		}
	}
	return columns
}
