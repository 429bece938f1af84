package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
)

// job is one change that waits for a transaction.
type job struct {
	durable bool // must be on the disk before it counts
	do      func(tx) error
	err     error
	done    chan struct{} // closed with err set
}

// perCommit is how many changes share one transaction.
const perCommit = 128

var errClosed = errors.New("the queues are closed")

// change runs do in a transaction, which it shares with others that wait at
// the same time: one write to the disk accepts them all. durable says that the
// change must survive the machine; others, whose loss only makes a message come
// again, survive the process.
func (e *Engine) change(ctx context.Context, durable bool, do func(tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j := &job{durable: durable, do: do, done: make(chan struct{})}
	e.mu.Lock()
	e.waiting = append(e.waiting, j)
	e.mu.Unlock()
	for {
		select {
		case <-j.done: // somebody took it along
			return j.err
		case e.turn <- struct{}{}:
		}
		e.mu.Lock()
		jobs := e.waiting[:min(perCommit, len(e.waiting))]
		e.waiting = e.waiting[len(jobs):]
		e.mu.Unlock()
		if len(jobs) > 0 {
			e.commit(jobs)
		}
		<-e.turn
	}
}

// commit runs jobs in one transaction; if one fails, each in one of its own, so
// that it fails alone.
func (e *Engine) commit(jobs []*job) {
	err := e.together(jobs)
	for _, j := range jobs {
		if j.err = err; err != nil && len(jobs) > 1 {
			j.err = e.together([]*job{j})
		}
		close(j.done)
	}
}

// together runs jobs in one transaction. While Run is on, the transaction also
// delivers what is deliverable by then and what Run has hands for: nothing
// waits for a transaction of its own.
func (e *Engine) together(jobs []*job) (err error) {
	if e.conn == nil {
		return errClosed
	}
	t := tx{e}
	durable := false
	for _, j := range jobs {
		durable = durable || j.durable
	}
	if err := e.synchronous(durable); err != nil {
		return err
	}
	if _, err := t.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for _, j := range jobs {
		if err == nil {
			err = j.do(t)
		}
	}
	var got []Received
	if err == nil && e.runner != nil {
		got, err = e.runner.receive(t)
	}
	if err == nil {
		_, err = t.exec("COMMIT")
	}
	if err != nil {
		e.soon.forget()
		if _, undo := t.exec("ROLLBACK"); undo != nil {
			err = errors.Join(err, undo)
		}
		return err
	}
	for _, r := range got {
		e.runner.start(r)
	}
	return nil
}

// synchronous makes the next commit of a file wait for the disk, or not.
func (e *Engine) synchronous(full bool) error {
	if !e.file || e.full == full {
		return nil
	}
	level := "NORMAL"
	if full {
		level = "FULL"
	}
	if _, err := e.conn.ExecContext(background, "PRAGMA synchronous="+level); err != nil {
		return fmt.Errorf("synchronous %s: %w", level, err)
	}
	e.full = full
	return nil
}

// tx is the right to use the connection, inside a transaction.
type tx struct{ e *Engine }

func (t tx) prepared(query string) (*sql.Stmt, error) {
	if s := t.e.stmt[query]; s != nil {
		return s, nil
	}
	s, err := t.e.conn.PrepareContext(background, query)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", query, err)
	}
	t.e.stmt[query] = s
	return s, nil
}

// exec runs a statement and gives how many rows it changed.
func (t tx) exec(query string, args ...any) (int64, error) {
	s, err := t.prepared(query)
	if err != nil {
		return 0, err
	}
	r, err := s.ExecContext(background, args...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", query, err)
	}
	return r.RowsAffected()
}

// row reads one row; false if there is none.
func (t tx) row(query string, args, into []any) (bool, error) {
	s, err := t.prepared(query)
	if err != nil {
		return false, err
	}
	err = s.QueryRowContext(background, args...).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", query, err)
	}
	return true, nil
}

// rows reads all rows; scan gives where the columns of one go.
func rows[T any](t tx, query string, args []any, scan func(*T) []any) ([]T, error) {
	return some(t, math.MaxInt, query, args, scan)
}

// some reads the first rows, at most so many.
func some[T any](t tx, most int, query string, args []any, scan func(*T) []any) ([]T, error) {
	s, err := t.prepared(query)
	if err != nil {
		return nil, err
	}
	r, err := s.QueryContext(background, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	defer r.Close()
	var out []T
	for len(out) < most && r.Next() {
		var v T
		if err := r.Scan(scan(&v)...); err != nil {
			return nil, fmt.Errorf("%s: %w", query, err)
		}
		out = append(out, v)
	}
	return out, r.Err()
}
