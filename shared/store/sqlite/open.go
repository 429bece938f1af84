package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/postern-dev/postern/shared/store/table"
)

// Memory is the path of a table that dies with its DB. What is more than the
// page cache rests in a temporary file that has no name; nothing is flushed.
const Memory = ":memory:"

// pageCache is what the writer keeps of the file. Small on purpose: when a
// page of an index is split, SQLite looks through the whole cache at the end
// of the transaction, so that with a large one (or with SQLite's own
// ":memory:", which is all cache) each commit costs more the more rows there
// are. The system's file cache does the rest.
const pageCache = "cache_size(-4096)" // in KB

// DB is one open table with its change feed. Safe for concurrent use.
type DB struct {
	clock    func() time.Time
	onCommit func()

	pools   []*sql.DB
	writer  *session      // used by whoever holds turn
	turn    chan struct{} // capacity 1: holding it is being the writer
	readers chan *session // nil in memory: readers take turn
	reading int           // how many readers there are

	mu    sync.Mutex
	queue []*job // commits that wait for a writer

	sincePrune int // commits since old tokens were last looked for; by the writer
}

var (
	_ table.Table = (*DB)(nil)
	_ table.Feed  = (*DB)(nil)
)

// Option changes how a table is opened.
type Option func(*DB)

// WithClock sets the clock that dates changes and tokens; time.Now without it.
func WithClock(now func() time.Time) Option { return func(db *DB) { db.clock = now } }

// OnCommit sets a doorbell for the change feed: it is called after changes
// became durable and before the commits that made them return, once for all
// that were flushed together. It may use the table, and must be quick.
func OnCommit(ring func()) Option { return func(db *DB) { db.onCommit = ring } }

// Open opens the table in a file, making it if there is none, or a new one in
// memory for the path Memory.
func Open(path string, opts ...Option) (*DB, error) {
	db := &DB{clock: time.Now, onCommit: func() {}, turn: make(chan struct{}, 1)}
	for _, o := range opts {
		o(db)
	}
	if err := db.open(path); err != nil {
		db.Close()
		return nil, fmt.Errorf("open sqlite table %s: %w", path, err)
	}
	return db, nil
}

func (db *DB) open(path string) error {
	ctx := context.Background()
	pragmas := []string{"journal_mode(WAL)", "synchronous(FULL)", pageCache}
	if path == Memory {
		pragmas = []string{"journal_mode(MEMORY)", "synchronous(OFF)", pageCache}
	}
	pool, err := db.pool(dsn(path, pragmas...), 1)
	if err != nil {
		return err
	}
	if db.writer, err = newSession(ctx, pool, true); err != nil {
		return err
	}
	if path == Memory {
		return nil
	}
	n := max(2, runtime.GOMAXPROCS(0))
	if pool, err = db.pool(dsn(path, "query_only(1)"), n); err != nil {
		return err
	}
	db.readers = make(chan *session, n)
	for range n {
		s, err := newSession(ctx, pool, false)
		if err != nil {
			return err
		}
		db.readers <- s
		db.reading++
	}
	return nil
}

func (db *DB) pool(name string, conns int) (*sql.DB, error) {
	pool, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	db.pools = append(db.pools, pool)
	return pool, nil
}

// dsn names the file and what each connection sets. Another process that
// writes (postern status beside postern dev) is waited for up to 10 seconds.
func dsn(path string, pragmas ...string) string {
	query := url.Values{"_pragma": append([]string{"busy_timeout(10000)"}, pragmas...)}
	if path == Memory {
		return "file:?" + query.Encode() // no name: a temporary file of its own
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + query.Encode()
}

// Close waits for the work in hand and closes the file. Use of the table
// afterwards gives errors.
func (db *DB) Close() error {
	db.turn <- struct{}{}
	defer func() { <-db.turn }()
	var all []error
	for range db.reading {
		s := <-db.readers
		all = append(all, s.conn.Close())
		defer func() { db.readers <- s }() // whoever takes it gets its error
	}
	if db.writer != nil {
		all = append(all, db.writer.conn.Close())
	}
	for _, pool := range db.pools {
		all = append(all, pool.Close())
	}
	return errors.Join(all...)
}

// read runs f with a session to itself, or gives ctx's error.
func (db *DB) read(ctx context.Context, f func(*session) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if db.readers == nil {
		select {
		case db.turn <- struct{}{}:
			defer func() { <-db.turn }()
			return f(db.writer)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	select {
	case s := <-db.readers:
		defer func() { db.readers <- s }()
		return f(s)
	case <-ctx.Done():
		return ctx.Err()
	}
}
