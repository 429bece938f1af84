package sqlite_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/postern-dev/postern/shared/store/sqlite"
	"github.com/postern-dev/postern/shared/store/table"
)

// childFile tells a copy of this test program to be the process that is killed.
const childFile = "POSTERN_SQLITE_TEST_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		commitForEver(path)
	}
	os.Exit(m.Run())
}

const killRows = 3

// killActions is one commit: three new rows and a counter.
func killActions(worker, n int) []table.Action {
	actions := []table.Action{{
		Verb: table.Update, Key: table.Key{PK: fmt.Sprint("counter-", worker), SK: "n"}, Add: map[string]int64{"n": 1},
	}}
	for row := range killRows {
		actions = append(actions, table.Action{
			Verb: table.Put, Key: table.Key{PK: fmt.Sprintf("w%d-%d", worker, n), SK: fmt.Sprint(row)},
			Item: table.Item{"body": table.Str(strings.Repeat("x", 700)), "list_pk": table.Str("all"), "list_sk": table.Str(fmt.Sprintf("%d-%08d", worker, n))},
			If:   []table.Cond{table.Absent()},
		})
	}
	return actions
}

// commitForEver says on its standard output what was acknowledged, line by
// line, until it is killed.
func commitForEver(path string) {
	db, err := sqlite.Open(path)
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	var out sync.Mutex
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for n := 0; ; n++ {
				token := fmt.Sprintf("w%d-%d", worker, n)
				res, err := db.Commit(background, table.Tx{Token: token, Actions: killActions(worker, n)})
				out.Lock()
				if err != nil || !res.Won() {
					fmt.Println("error", token, res, err)
					os.Exit(1)
				}
				fmt.Println("done", worker, n)
				out.Unlock()
			}
		})
	}
	all.Wait()
}

// O6, Q1: a process killed in the middle of commits loses nothing that was
// acknowledged and leaves no commit half written, in rows, indexes or feed.
func TestKilled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "table.db")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	acknowledged := map[string]bool{}
	for round := range 3 {
		child := exec.CommandContext(t.Context(), self)
		child.Env = append(os.Environ(), childFile+"="+path)
		child.Stderr = os.Stderr
		stdout, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(stdout)
		for read := 0; lines.Scan(); read++ { // what was written before the kill is read to the end
			var worker, n int
			if _, err := fmt.Sscanf(lines.Text(), "done %d %d", &worker, &n); err != nil {
				t.Fatalf("child said %q", lines.Text())
			}
			acknowledged[fmt.Sprintf("w%d-%d", worker, n)] = true
			if read == 200+50*round {
				if err := child.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		child.Wait() // its error says that it was killed
		wholeAfterKill(t, path, acknowledged)
		path = filepath.Join(t.TempDir(), fmt.Sprintf("table%d.db", round))
		clear(acknowledged)
	}
}

func wholeAfterKill(t *testing.T, path string, acknowledged map[string]bool) {
	t.Helper()
	db, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	written := map[string]int{}
	for q := (table.Query{Index: table.List, PK: "all", Limit: table.MaxPage}); ; {
		page, err := db.Query(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			written[it.Key().PK]++
			if row, err := db.Get(t.Context(), it.Key()); err != nil || len(row["body"].Str) != 700 {
				t.Fatalf("row %v: %v, %v", it.Key(), row, err)
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	recorded, total := map[string]int{}, 0
	for cursor := ""; ; {
		changes, next, err := db.Changes(t.Context(), cursor, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range changes {
			recorded[c.Key.PK]++
		}
		if cursor = next; len(changes) == 0 {
			break
		}
	}
	for commit := range acknowledged {
		if written[commit] == 0 {
			t.Errorf("%s was acknowledged and is lost", commit)
		}
	}
	for commit, rows := range written {
		if total++; rows != killRows || recorded[commit] != killRows {
			t.Errorf("%s: %d rows and %d records of %d", commit, rows, recorded[commit], killRows)
		}
	}
	counted := 0
	for worker := range 4 {
		key := table.Key{PK: fmt.Sprint("counter-", worker), SK: "n"}
		row, err := db.Get(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		counted += int(row["n"].Int64())
		if n := recorded[key.PK]; n != int(row["n"].Int64()) {
			t.Errorf("counter %d is %v after %d records", worker, row["n"], n)
		}
	}
	if counted != total || len(acknowledged) < 200 {
		t.Errorf("%d commits counted, %d found, %d acknowledged", counted, total, len(acknowledged))
	}
}
