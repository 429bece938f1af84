package queue

import (
	"context"
	"database/sql"
	"errors"
	"net/url"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// A message's due is when it may be delivered next: its delay's end, or the end
// of its time in flight. In a FIFO group only the first message is head, so
// that the rest waits as long as it is there, in flight or not. Times are in
// microseconds.
const schema = `
CREATE TABLE IF NOT EXISTS message (
	seq      INTEGER PRIMARY KEY AUTOINCREMENT,
	queue    TEXT    NOT NULL,
	grp      TEXT,               -- NULL on standard queues
	body     TEXT    NOT NULL,
	sent     INTEGER NOT NULL,
	due      INTEGER NOT NULL,
	receives INTEGER NOT NULL DEFAULT 0,
	head     INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX IF NOT EXISTS ready ON message (queue, due, seq) WHERE head = 1;
CREATE INDEX IF NOT EXISTS grouped ON message (queue, grp, seq) WHERE grp IS NOT NULL;

CREATE TABLE IF NOT EXISTS dedup (
	queue TEXT NOT NULL, id TEXT NOT NULL, sent INTEGER NOT NULL,
	PRIMARY KEY (queue, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS dedup_sent ON dedup (sent);

CREATE TABLE IF NOT EXISTS dead (
	seq   INTEGER PRIMARY KEY,
	queue TEXT NOT NULL, grp TEXT, body TEXT NOT NULL,
	sent  INTEGER NOT NULL, receives INTEGER NOT NULL, died INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS dead_queue ON dead (queue, seq);

CREATE TABLE IF NOT EXISTS schedule (
	name TEXT NOT NULL PRIMARY KEY,
	at   INTEGER NOT NULL,
	body TEXT NOT NULL,
	rang INTEGER                 -- when it completed; the name is taken a while longer
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS schedule_at ON schedule (at) WHERE rang IS NULL;
`

// background: statements run without the caller's context, since they are
// local and short; callers look at theirs before.
var background = context.Background()

func (e *Engine) open(path string) (err error) {
	query := url.Values{"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(NORMAL)", "temp_store(MEMORY)"}}
	name := "file::memory:?" + query.Encode()
	if e.file {
		name = "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + query.Encode()
	}
	if e.pool, err = sql.Open("sqlite", name); err != nil {
		return err
	}
	e.pool.SetMaxOpenConns(1)
	if e.conn, err = e.pool.Conn(background); err != nil {
		return err
	}
	_, err = e.conn.ExecContext(background, schema)
	return err
}

// Close waits for the work in hand and closes the file. Use afterwards gives
// errors.
func (e *Engine) Close() error {
	e.turn <- struct{}{}
	defer func() { <-e.turn }()
	var all []error
	for _, s := range e.stmt {
		all = append(all, s.Close())
	}
	e.stmt = nil
	if e.conn != nil {
		all = append(all, e.conn.Close())
	}
	if e.pool != nil {
		all = append(all, e.pool.Close())
	}
	e.conn, e.pool = nil, nil
	return errors.Join(all...)
}
