package sqlite

import (
	"context"
	"database/sql"
	"fmt"
)

// schemaVersion is kept in the file's user_version. A newer file is refused.
const schemaVersion = 1

// The index columns are both NULL unless a row has both attributes, so that
// the partial indexes are sparse as DynamoDB's are. They hold the row's key as
// well: an index page never touches the rows. Numbered tokens and changes keep
// their numbers after the oldest are deleted (AUTOINCREMENT).
const schema = `
CREATE TABLE rows (
  id INTEGER PRIMARY KEY,
  pk TEXT NOT NULL, sk TEXT NOT NULL,
  open_pk TEXT, open_sk TEXT,
  list_pk TEXT, list_sk TEXT,
  body BLOB NOT NULL
);
CREATE UNIQUE INDEX rows_key ON rows (pk, sk);
CREATE INDEX rows_open ON rows (open_pk, open_sk, pk, sk) WHERE open_pk IS NOT NULL;
CREATE INDEX rows_list ON rows (list_pk, list_sk, pk, sk) WHERE list_pk IS NOT NULL;
CREATE TABLE tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  token TEXT NOT NULL UNIQUE, hash BLOB NOT NULL, at INTEGER NOT NULL
);
CREATE TABLE changes (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  pk TEXT NOT NULL, sk TEXT NOT NULL, at INTEGER NOT NULL,
  old BLOB, new BLOB
);
PRAGMA user_version = 1;
`

// migrate makes the schema in a new file and checks it in an old one.
func migrate(ctx context.Context, conn *sql.Conn) error {
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := func() error {
		var version int
		if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		switch version {
		case schemaVersion:
			return nil
		case 0:
			_, err := conn.ExecContext(ctx, schema)
			return err
		}
		return fmt.Errorf("file has schema version %d, this program knows %d", version, schemaVersion)
	}()
	if err != nil {
		conn.ExecContext(ctx, "ROLLBACK")
		return err
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}
