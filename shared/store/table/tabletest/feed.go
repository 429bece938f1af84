package tabletest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/store/table"
)

// cancelAfter ends a context from another goroutine, a moment later.
func cancelAfter(ctx context.Context, cancel func()) {
	stop := context.AfterFunc(ctx, func() {})
	time.AfterFunc(50*time.Millisecond, func() { stop(); cancel() })
}

// drain reads changes from cursor until there are n of them.
func drain(t *testing.T, f table.Feed, cursor string, n, limit int) ([]table.Change, string) {
	t.Helper()
	var all []table.Change
	eventually(t, fmt.Sprintf("%d changes", n), func() bool {
		for {
			batch, next, err := f.Changes(t.Context(), cursor, limit)
			if err != nil {
				t.Fatalf("changes: %v", err)
			}
			if len(batch) > limit {
				t.Fatalf("%d changes, limit %d", len(batch), limit)
			}
			cursor = next
			all = append(all, batch...)
			if len(batch) == 0 {
				return len(all) >= n
			}
		}
	})
	ids := map[string]bool{}
	for _, c := range all {
		if c.ID == "" || ids[c.ID] {
			t.Fatalf("change id %q is empty or comes twice", c.ID)
		}
		ids[c.ID] = true
	}
	return all, cursor
}

// only keeps one row's changes; those that changed nothing but the token may
// be left out by an engine and are dropped.
func only(changes []table.Change, key table.Key) []table.Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c table.Change) bool {
		a, b := maps.Clone(c.Old), maps.Clone(c.New)
		delete(a, "tx")
		delete(b, "tx")
		return c.Key != key || (c.Old != nil && c.New != nil && maps.EqualFunc(a, b, table.Value.Equal))
	})
}

func testFeedImages(t *testing.T, e Env) {
	a, b := k("a", "1"), k("b", "1")
	first := table.Item{"n": table.Num("1.5"), "s": table.Str(""), "b": table.Bytes([]byte{0, 255}), "e": table.Bytes([]byte{}), "t": table.Bool(true)}
	second := table.Item{"n": table.Int(2), "s": table.Str("x"), "b": table.Bytes([]byte{0, 255}), "e": table.Bytes([]byte{}), "t": table.Bool(true)}
	win(t, e, "t1", put(a, first))
	win(t, e, "t2", set(a, table.Item{"n": table.Int(2), "s": table.Str("x")}), put(b, nil))
	lose(t, e, "t3", []int{0}, put(a, nil, table.Absent()))
	win(t, e, "t4", check(a, table.Present()))
	win(t, e, "t5", del(a))
	win(t, e, "t6", del(a)) // nothing there, nothing changed
	win(t, e, "t7", put(a, nil))
	changes, _ := drain(t, e.Feed, "", 5, 100)
	got := only(changes, a)
	if len(got) != 4 {
		t.Fatalf("%d changes of %v, want 4: %v", len(got), a, got)
	}
	images := []table.Item{nil, first, second, nil, {}}
	for i, c := range got {
		same(t, e, c.Old, a, images[i])
		same(t, e, c.New, a, images[i+1])
		if c.At.IsZero() {
			t.Errorf("change %d has no time", i)
		}
	}
	if tx := got[1].New["tx"].Str; tx != e.tok("t2") {
		t.Errorf("the second change is by %q", tx)
	}
	if got = only(changes, b); len(got) != 1 || got[0].Old != nil {
		t.Fatalf("changes of %v: %v", b, got)
	}
	same(t, e, got[0].New, b, table.Item{})
}

// testFeedOrder writes to several partitions at once: each partition's
// changes come in the order in which they were committed.
func testFeedOrder(t *testing.T, e Env) {
	const partitions, writes = 5, 12
	race(t, e, partitions, func(p int) []table.Action {
		for i := range writes {
			pk := fmt.Sprint("p", p)
			_, err := e.Table.Commit(t.Context(), e.tx(fmt.Sprintf("t-%d-%d", p, i),
				set(k(pk, fmt.Sprint("s", i%3)), table.Item{"i": table.Int(int64(i))}),
			))
			if err != nil {
				t.Error(err)
			}
		}
		return []table.Action{put(k("end", fmt.Sprint(p)), nil)}
	})
	changes, _ := drain(t, e.Feed, "", partitions*(writes+1), 7)
	next := map[string]int64{}
	for _, c := range changes {
		if c.Key.PK == "end" {
			continue
		}
		if i := c.New["i"].Int64(); i != next[c.Key.PK] {
			t.Fatalf("partition %s: change %d came when %d was due", c.Key.PK, i, next[c.Key.PK])
		}
		next[c.Key.PK]++
	}
	if len(next) != partitions {
		t.Fatalf("changes of %d partitions", len(next))
	}
}

func testFeedCursor(t *testing.T, e Env) {
	write := func(from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			win(t, e, fmt.Sprint("t", i), put(k("a", fmt.Sprintf("%02d", i)), nil))
		}
	}
	keys := func(changes []table.Change) (got []string) {
		for _, c := range changes {
			got = append(got, c.Key.SK)
		}
		return got
	}
	empty, start, err := e.Feed.Changes(t.Context(), "", 10)
	if err != nil || len(empty) != 0 {
		t.Fatalf("empty feed: %v, %v", empty, err)
	}
	write(0, 5)
	first, cursor := drain(t, e.Feed, start, 5, 2)
	if want := []string{"00", "01", "02", "03", "04"}; !slices.Equal(keys(first), want) {
		t.Fatalf("got %v, want %v", keys(first), want)
	}
	if more, _ := drain(t, e.Feed, cursor, 0, 10); len(more) != 0 {
		t.Fatalf("nothing new, got %v", keys(more))
	}
	// Reading again gives the same records under the same names.
	again, _ := drain(t, e.Feed, "", 5, 100)
	for i := range again {
		if again[i].ID != first[i].ID {
			t.Errorf("record %d is %s, was %s", i, again[i].ID, first[i].ID)
		}
	}
	write(5, 8)
	feed := e.Feed
	if e.Reopen != nil {
		_, feed = e.Reopen(t)
	}
	rest, _ := drain(t, feed, cursor, 3, 2)
	if want := []string{"05", "06", "07"}; !slices.Equal(keys(rest), want) {
		t.Fatalf("after a restart: %v, want %v", keys(rest), want)
	}
	if _, _, err := feed.Changes(t.Context(), "no cursor", 10); !errors.Is(err, table.ErrInvalid) {
		t.Errorf("bad cursor: %v, want ErrInvalid", err)
	}
}

func testCancelled(t *testing.T, e Env) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, errCommit := e.Table.Commit(ctx, e.tx("t1", put(k("a", "1"), nil)))
	_, errGet := e.Table.Get(ctx, k("a", "1"))
	_, errMany := e.Table.GetMany(ctx, []table.Key{k("a", "1")})
	_, errQuery := e.Table.Query(ctx, table.Query{PK: "a"})
	_, _, errFeed := e.Feed.Changes(ctx, "", 1)
	for name, err := range map[string]error{"commit": errCommit, "get": errGet, "get many": errMany, "query": errQuery, "changes": errFeed} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want context.Canceled", name, err)
		}
	}
	read(t, e, k("a", "1"), nil)
}

func testReopen(t *testing.T, e Env) {
	if e.Reopen == nil {
		t.Skip("the engine keeps nothing over a restart")
	}
	row := table.Item{"open_pk": table.Str("o"), "open_sk": table.Str("1"), "n": table.Int(1)}
	create := put(k("a", "1"), row, table.Absent())
	win(t, e, "t1", create, put(k("b", "1"), nil))
	again := e
	again.Table, again.Feed = e.Reopen(t)
	read(t, again, k("a", "1"), row)
	expect(t, again, table.Query{Index: table.Open, PK: "o"}, []string{"1"})
	win(t, again, "t1", create, put(k("b", "1"), nil)) // recognised over the restart
	lose(t, again, "t2", []int{0}, create)
}
