package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/postern-dev/postern/shared/store/table"
)

// session is one SQLite connection with its prepared statements. One goroutine
// uses it at a time. Statements run without the caller's context: they are
// local and short, and an interrupt in the middle would leave more to undo
// than it saves. Callers look at their context before and between.
type session struct {
	conn  *sql.Conn
	get   *sql.Stmt
	pages map[pageKind]*sql.Stmt
	feed  *sql.Stmt
	write *writeStmts // nil on a session that only reads
}

type pageKind struct {
	index  table.Index
	newest bool
}

type writeStmts struct {
	insert, update, updateBody, delete, change *sql.Stmt
	token, addToken, dropToken                 *sql.Stmt
	oldTokens, pruneTokens, trim, trimSome     *sql.Stmt
}

var background = context.Background()

func newSession(ctx context.Context, pool *sql.DB, writes bool) (*session, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	s := &session{conn: conn, pages: map[pageKind]*sql.Stmt{}}
	if writes {
		if err := migrate(ctx, conn); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	if err := s.prepare(ctx, writes); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return s, nil
}

func (s *session) prepare(ctx context.Context, writes bool) error {
	var failed error
	stmt := func(query string) *sql.Stmt {
		st, err := s.conn.PrepareContext(ctx, query)
		if err != nil && failed == nil {
			failed = fmt.Errorf("prepare %q: %w", query, err)
		}
		return st
	}
	s.get = stmt("SELECT id, body FROM rows WHERE pk = ? AND sk = ?")
	s.feed = stmt("SELECT seq, pk, sk, at, old, new FROM changes WHERE seq > ? ORDER BY seq")
	for _, index := range []table.Index{table.Primary, table.Open, table.List} {
		for _, newest := range []bool{false, true} {
			s.pages[pageKind{index, newest}] = stmt(pageQuery(index, newest))
		}
	}
	if writes {
		s.write = &writeStmts{
			insert: stmt("INSERT INTO rows (pk, sk, open_pk, open_sk, list_pk, list_sk, body) VALUES (?, ?, ?, ?, ?, ?, ?)"),
			update: stmt("UPDATE rows SET open_pk = ?, open_sk = ?, list_pk = ?, list_sk = ?, body = ? WHERE id = ?"),
			// Apart, because naming an index's columns makes SQLite rewrite its entry.
			updateBody:  stmt("UPDATE rows SET body = ? WHERE id = ?"),
			delete:      stmt("DELETE FROM rows WHERE id = ?"),
			change:      stmt("INSERT INTO changes (pk, sk, at, old, new) VALUES (?, ?, ?, ?, ?)"),
			token:       stmt("SELECT hash FROM tokens WHERE token = ?"),
			addToken:    stmt("INSERT OR IGNORE INTO tokens (token, hash, at) VALUES (?, ?, ?)"),
			dropToken:   stmt("DELETE FROM tokens WHERE token = ?"),
			oldTokens:   stmt("SELECT id, at FROM tokens ORDER BY id LIMIT ?"),
			pruneTokens: stmt("DELETE FROM tokens WHERE id <= ?"),
			trim:        stmt("DELETE FROM changes WHERE seq < ?"),
			trimSome:    stmt("DELETE FROM changes WHERE seq IN (SELECT seq FROM changes WHERE seq < ? ORDER BY seq LIMIT ?)"),
		}
	}
	return failed
}

// row reads one row; id is 0 and item nil if there is none.
func (s *session) row(key table.Key) (id int64, body string, item table.Item, err error) {
	err = s.get.QueryRowContext(background, key.PK, key.SK).Scan(&id, &body)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, "", nil, nil
	}
	if err != nil {
		return 0, "", nil, fmt.Errorf("read row %v: %w", key, err)
	}
	item, err = decodeItem(key, body)
	if err != nil {
		return 0, "", nil, fmt.Errorf("read row %v: %w", key, err)
	}
	return id, body, item, nil
}
