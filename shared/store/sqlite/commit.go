package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/postern-dev/postern/shared/store/table"
)

// job is one commit on its way through the writer.
type job struct {
	tx      table.Tx
	hash    []byte
	result  table.Result
	changed bool
	err     error
	done    chan struct{}
}

// maxBatch is how many waiting commits share one SQL transaction.
const maxBatch = 64

// Commit implements table.Table. Whoever gets the writer's turn also commits
// for those who wait. A commit whose ctx ends while it waits is withdrawn and
// writes nothing; one that is being written is finished first.
func (db *DB) Commit(ctx context.Context, tx table.Tx) (table.Result, error) {
	if err := ctx.Err(); err != nil {
		return table.Result{}, err
	}
	prepared, err := table.Prepare(tx)
	if err != nil {
		return table.Result{}, err
	}
	j := &job{tx: prepared, hash: digest(prepared), done: make(chan struct{})}
	db.mu.Lock()
	db.queue = append(db.queue, j)
	db.mu.Unlock()

	select {
	case db.turn <- struct{}{}:
		db.lead(j)
	case <-j.done:
	case <-ctx.Done():
		if db.withdraw(j) {
			return table.Result{}, ctx.Err()
		}
		<-j.done
	}
	return j.result, j.err
}

// lead writes batches until the leader's own commit is done, then passes the
// turn on. Doorbells ring without the turn, so that they may use the table,
// and before anyone in the batch returns.
func (db *DB) lead(own *job) {
	for {
		batch := db.take(own)
		if batch == nil { // another leader took it along
			<-db.turn
			<-own.done
			return
		}
		db.writeBatch(batch)
		<-db.turn
		if slices.ContainsFunc(batch, func(j *job) bool { return j.changed }) {
			db.onCommit()
		}
		for _, j := range batch {
			close(j.done)
		}
		if slices.Contains(batch, own) {
			return
		}
		db.turn <- struct{}{}
	}
}

// take removes the next batch from the queue, unless the leader's own commit
// is no longer in it.
func (db *DB) take(own *job) []*job {
	db.mu.Lock()
	defer db.mu.Unlock()
	if !slices.Contains(db.queue, own) {
		return nil
	}
	n := min(len(db.queue), maxBatch)
	batch := slices.Clone(db.queue[:n])
	db.queue = slices.Delete(db.queue, 0, n)
	return batch
}

// withdraw removes a commit that nobody has begun to write.
func (db *DB) withdraw(j *job) bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	i := slices.Index(db.queue, j)
	if i < 0 {
		return false
	}
	db.queue = slices.Delete(db.queue, i, i+1)
	return true
}

// writeBatch runs the commits one after another in one SQL transaction. Each
// looks at all its rows before it writes the first, so a lost or refused
// commit leaves nothing; a failure of the engine fails the whole batch.
func (db *DB) writeBatch(batch []*job) {
	fail := func(err error) {
		for _, j := range batch {
			j.result, j.changed, j.err = table.Result{}, false, fmt.Errorf("commit %s: %w", j.tx.Token, err)
		}
	}
	conn := db.writer.conn
	if _, err := conn.ExecContext(background, "BEGIN IMMEDIATE"); err != nil {
		fail(err)
		return
	}
	err := func() error {
		for _, j := range batch {
			j.result, j.changed, j.err = db.write(j)
			if j.err != nil && !errors.Is(j.err, table.ErrInvalid) {
				return j.err
			}
		}
		if err := db.prune(len(batch)); err != nil {
			return err
		}
		_, err := conn.ExecContext(background, "COMMIT")
		return err
	}()
	if err != nil {
		conn.ExecContext(background, "ROLLBACK") // without effect if SQLite has rolled back already
		fail(err)
	}
}
