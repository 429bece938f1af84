package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"github.com/postern-dev/postern/shared/store/table"
)

// Changes implements table.Feed. Every record of a commit is written in the
// commit's own transaction, so all that was acknowledged is seen, in the order
// it was committed. The cursor is the number of the last record; a limit of 0
// means 100.
func (db *DB) Changes(ctx context.Context, cursor string, limit int) ([]table.Change, string, error) {
	after := int64(0)
	if cursor != "" {
		n, err := strconv.ParseInt(cursor, 10, 64)
		if err != nil || n < 0 {
			return nil, "", fmt.Errorf("changes: cursor %q: %w", cursor, table.ErrInvalid)
		}
		after = n
	}
	if limit <= 0 {
		limit = table.DefaultPage
	}
	var changes []table.Change
	err := db.read(ctx, func(s *session) (err error) {
		changes, err = s.changes(after, limit)
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("changes: %w", err)
	}
	if n := len(changes); n > 0 {
		cursor = changes[n-1].ID
	}
	return changes, cursor, nil
}

func (s *session) changes(after int64, limit int) ([]table.Change, error) {
	rows, err := s.feed.QueryContext(background, after)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var changes []table.Change
	for len(changes) < limit && rows.Next() {
		var (
			seq, at  int64
			c        table.Change
			old, new sql.NullString
		)
		if err := rows.Scan(&seq, &c.Key.PK, &c.Key.SK, &at, &old, &new); err != nil {
			return nil, err
		}
		c.ID, c.At = strconv.FormatInt(seq, 10), time.UnixMicro(at).UTC()
		if c.Old, err = image(c.Key, old); err != nil {
			return nil, err
		}
		if c.New, err = image(c.Key, new); err != nil {
			return nil, err
		}
		changes = append(changes, c)
	}
	return changes, rows.Err()
}

// image decodes one side of a record; NULL is a row that was not there.
func image(key table.Key, body sql.NullString) (table.Item, error) {
	if !body.Valid {
		return nil, nil
	}
	return decodeItem(key, body.String)
}

// Trim forgets the change records before seq, the number in a record's ID and
// in a cursor. Numbers are never given twice.
func (db *DB) Trim(before int64) error {
	db.turn <- struct{}{}
	defer func() { <-db.turn }()
	if _, err := db.writer.write.trim.ExecContext(background, before); err != nil {
		return fmt.Errorf("trim changes before %d: %w", before, err)
	}
	return nil
}

// TrimSome is Trim of the oldest max records before seq at most, and gives how
// many it forgot: a long feed is trimmed in steps that hold nobody up.
func (db *DB) TrimSome(before int64, max int) (int, error) {
	db.turn <- struct{}{}
	defer func() { <-db.turn }()
	res, err := db.writer.write.trimSome.ExecContext(background, before, max)
	if err != nil {
		return 0, fmt.Errorf("trim changes before %d: %w", before, err)
	}
	n, err := res.RowsAffected()
	return int(n), err
}
