package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/store/sqlite"
	"github.com/postern-dev/postern/shared/store/table"
)

var background = context.Background()

func put(pk, sk string, it table.Item, conds ...table.Cond) table.Action {
	return table.Action{Verb: table.Put, Key: table.Key{PK: pk, SK: sk}, Item: it, If: conds}
}

func win(t *testing.T, db *sqlite.DB, token string, actions ...table.Action) {
	t.Helper()
	res, err := db.Commit(t.Context(), table.Tx{Token: token, Actions: actions})
	if err != nil || !res.Won() {
		t.Fatalf("commit %s: %v, %v", token, res, err)
	}
}

// clock is moved by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }

func (c *clock) add(d time.Duration) { c.mu.Lock(); c.now = c.now.Add(d); c.mu.Unlock() }

// O6: a token is known for ten minutes at least, whatever happens meanwhile,
// and not for ever: old ones are deleted in passing.
func TestTokenWindow(t *testing.T) {
	t.Parallel()
	c := &clock{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	path := filepath.Join(t.TempDir(), "table.db")
	db := open(t, path, sqlite.WithClock(c.Now))
	create := put("a", "1", table.Item{"v": table.Int(1)}, table.Absent())
	kept := put("a", "2", nil, table.Absent())
	win(t, db, "t1", create)
	win(t, db, "kept", kept)
	win(t, db, "t2", put("a", "1", table.Item{"v": table.Int(2)}))
	busy := func(name string) {
		for i := range 600 {
			win(t, db, fmt.Sprint(name, i), put("busy", fmt.Sprint(i), nil))
		}
	}
	c.add(10 * time.Minute)
	busy("x")
	win(t, db, "t1", create) // overtaken by t2, and yet our own success
	c.add(6 * time.Minute)
	busy("y")
	res, err := db.Commit(t.Context(), table.Tx{Token: "t1", Actions: []table.Action{create}})
	if err != nil || res.Won() {
		t.Errorf("past the window and overtaken: %v, %v", res, err)
	}
	win(t, db, "kept", kept) // past the window, but the row still says so
	c.add(16 * time.Minute)
	busy("z")
	if n := count(t, path, "tokens"); n < 600 || n > 650 {
		t.Errorf("%d tokens are kept of 1800, want the last 600", n)
	}
}

// count looks into the file past the engine.
func count(t *testing.T, path, what string) (n int) {
	t.Helper()
	file, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.QueryRow("SELECT count(*) FROM " + what).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Trimmed records are gone, and their numbers are not given again.
func TestTrim(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "table.db")
	db := open(t, path)
	for i := range 5 {
		win(t, db, fmt.Sprint("t", i), put("a", fmt.Sprint(i), nil))
	}
	if err := db.Trim(4); err != nil {
		t.Fatal(err)
	}
	changes, cursor, err := db.Changes(t.Context(), "", 10)
	if err != nil || len(changes) != 2 || changes[0].ID != "4" || cursor != "5" {
		t.Fatalf("after a trim: %v, %q, %v", changes, cursor, err)
	}
	if err := db.Trim(1 << 60); err != nil {
		t.Fatal(err)
	}
	again := open(t, path)
	win(t, again, "t9", put("a", "9", nil))
	changes, _, err = again.Changes(t.Context(), cursor, 10)
	if err != nil || len(changes) != 1 || changes[0].ID != "6" {
		t.Fatalf("after trimming all: %v, %v", changes, err)
	}
	if n := count(t, path, "changes"); n != 1 {
		t.Errorf("%d records are kept", n)
	}
}

// A long feed is trimmed in steps, the oldest first, never beyond the place.
func TestTrimSome(t *testing.T) {
	t.Parallel()
	db := open(t, sqlite.Memory)
	for i := range 7 {
		win(t, db, fmt.Sprint("t", i), put("a", fmt.Sprint(i), nil))
	}
	for _, want := range []struct{ trimmed, left int }{{2, 5}, {2, 3}, {1, 2}, {0, 2}} {
		n, err := db.TrimSome(6, 2)
		if err != nil || n != want.trimmed {
			t.Fatalf("trimmed %d, %v, want %d", n, err, want.trimmed)
		}
		changes, _, err := db.Changes(t.Context(), "", 10)
		if err != nil || len(changes) != want.left || changes[want.left-1].ID != "7" {
			t.Fatalf("left %v, %v", changes, err)
		}
	}
}

// The doorbell rings for what changed, when it can be seen, and may use the
// table itself.
func TestOnCommit(t *testing.T) {
	t.Parallel()
	var db *sqlite.DB
	var rings, seen atomic.Int64
	db = open(t, sqlite.Memory, sqlite.OnCommit(func() {
		rings.Add(1)
		changes, _, err := db.Changes(background, "", 100)
		if err != nil {
			t.Error(err)
		}
		seen.Store(int64(len(changes)))
		if len(changes) == 1 {
			win(t, db, "from-the-bell", put("a", "bell", nil))
		}
	}))
	win(t, db, "t1", put("a", "1", nil, table.Absent()))
	if rings.Load() != 2 || seen.Load() != 2 {
		t.Errorf("%d rings, %d changes seen", rings.Load(), seen.Load())
	}
	quiet := []struct {
		token  string
		action table.Action
	}{
		{"t1", put("a", "1", nil, table.Absent())}, // a retry
		{"t2", put("a", "1", nil, table.Absent())}, // lost
		{"t3", table.Action{Verb: table.Check, Key: table.Key{PK: "a", SK: "1"}, If: []table.Cond{table.Present()}}},
		{"t4", table.Action{Verb: table.Delete, Key: table.Key{PK: "a", SK: "none"}}},
	}
	for _, q := range quiet {
		if _, err := db.Commit(t.Context(), table.Tx{Token: q.token, Actions: []table.Action{q.action}}); err != nil {
			t.Fatal(err)
		}
	}
	if rings.Load() != 2 {
		t.Errorf("%d rings for nothing", rings.Load()-2)
	}
}

// A commit that waits for the writer is withdrawn when its context ends, and
// writes nothing; the others go on.
func TestWithdrawn(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	var hold atomic.Bool
	now := func() time.Time { // the clock is asked in the middle of a commit
		if hold.CompareAndSwap(true, false) {
			close(entered)
			<-leave
		}
		return time.Time{}
	}
	db := open(t, sqlite.Memory, sqlite.WithClock(now))
	hold.Store(true)
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := db.Commit(background, table.Tx{Token: "t1", Actions: []table.Action{put("a", "1", nil)}}); err != nil {
			t.Error(err)
		}
	})
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 2)
	go func() {
		_, err := db.Commit(ctx, table.Tx{Token: "t2", Actions: []table.Action{put("a", "2", nil)}})
		failed <- err
	}()
	go func() {
		_, err := db.Get(ctx, table.Key{PK: "a", SK: "1"})
		failed <- err
	}()
	cancel()
	for range 2 {
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("waiting when the context ended: %v", err)
		}
	}
	close(leave)
	all.Wait()
	items, err := db.GetMany(t.Context(), []table.Key{{PK: "a", SK: "1"}, {PK: "a", SK: "2"}})
	if err != nil || items[0] == nil || items[1] != nil {
		t.Errorf("rows: %v, %v", items, err)
	}
}

// Two programs may have the file open: both commit, each sees the other's.
func TestTwoProgramsOneFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "table.db")
	dbs := []*sqlite.DB{open(t, path), open(t, path)}
	var all sync.WaitGroup
	for i, db := range dbs {
		for j := range 4 {
			all.Go(func() {
				for n := range 10 {
					tx := table.Tx{Token: fmt.Sprintf("t-%d-%d-%d", i, j, n), Actions: []table.Action{
						{Verb: table.Update, Key: table.Key{PK: "a", SK: "n"}, Add: map[string]int64{"n": 1}},
					}}
					if res, err := db.Commit(background, tx); err != nil || !res.Won() {
						t.Error(res, err)
					}
				}
			})
		}
	}
	all.Wait()
	for _, db := range dbs {
		row, err := db.Get(t.Context(), table.Key{PK: "a", SK: "n"})
		if err != nil || row["n"].Int64() != 80 {
			t.Errorf("%v, %v", row, err)
		}
	}
}

// D13: a file of a later schema is refused, not guessed at.
func TestNewerFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "table.db")
	file, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	file.Close()
	db, err := sqlite.Open(path)
	if err == nil || !strings.Contains(err.Error(), "schema version 99") {
		t.Errorf("%v, %v", db, err)
	}
}

// A table that cannot be opened or is closed gives errors.
func TestOpenErrors(t *testing.T) {
	t.Parallel()
	if db, err := sqlite.Open(filepath.Join(t.TempDir(), "no such folder", "table.db")); err == nil {
		t.Errorf("opened %v", db)
	}
	db, err := sqlite.Open(filepath.Join(t.TempDir(), "table.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Get(t.Context(), table.Key{PK: "a", SK: "1"}); err == nil {
		t.Error("a closed table was read")
	}
	if _, err := db.Commit(t.Context(), table.Tx{Token: "t", Actions: []table.Action{put("a", "1", nil)}}); err == nil {
		t.Error("a closed table was written")
	}
}
