package tabletest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/postern-dev/postern/shared/store/table"
)

// testAllOrNothing fails the third of five writes.
func testAllOrNothing(t *testing.T, e Env) {
	win(t, e, "t1", put(k("a", "3"), table.Item{"v": table.Int(1)}), put(k("a", "5"), nil))
	write := func(cond table.Cond) []table.Action {
		return []table.Action{
			put(k("a", "1"), nil, table.Absent()),
			set(k("a", "2"), table.Item{"x": table.Int(1)}),
			set(k("a", "3"), table.Item{"v": table.Int(2)}, cond),
			check(k("a", "4"), table.Absent()),
			del(k("a", "5"), table.Present()),
		}
	}
	lose(t, e, "t2", []int{2}, write(table.Equals("v", table.Int(7)))...)
	read(t, e, k("a", "1"), nil)
	read(t, e, k("a", "2"), nil)
	read(t, e, k("a", "3"), table.Item{"v": table.Int(1), "tx": table.Str("t1")})
	read(t, e, k("a", "5"), table.Item{})
	win(t, e, "t3", write(table.Equals("v", table.Int(1)))...)
	read(t, e, k("a", "1"), table.Item{})
	read(t, e, k("a", "2"), table.Item{"x": table.Int(1)})
	read(t, e, k("a", "3"), table.Item{"v": table.Int(2)})
	read(t, e, k("a", "4"), nil)
	read(t, e, k("a", "5"), nil)
}

// race runs n commits at once and returns their results.
func race(t *testing.T, e Env, n int, actions func(i int) []table.Action) []table.Result {
	t.Helper()
	results, errs := make([]table.Result, n), make([]error, n)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			results[i], errs[i] = e.Table.Commit(t.Context(), e.tx(fmt.Sprintf("racer-%d", i), actions(i)...))
		})
	}
	close(start)
	all.Wait()
	for i, err := range errs {
		if err != nil {
			t.Fatalf("racer %d: %v", i, err)
		}
	}
	return results
}

const racers = 200

func testOneWinner(t *testing.T, e Env) {
	key := k("a", "1")
	win(t, e, "t0", put(key, table.Item{"version": table.Int(1)}))
	results := race(t, e, racers, func(i int) []table.Action {
		return []table.Action{set(key, table.Item{"version": table.Int(2), "by": table.Int(int64(i))}, table.Version(1))}
	})
	oneWinner(t, results, func(t *testing.T, winner int, lost []table.Loss) {
		same(t, e, lost[0].Item, key, table.Item{
			"version": table.Int(2), "by": table.Int(int64(winner)), "tx": table.Str(fmt.Sprintf("racer-%d", winner)),
		})
	})
}

func testOneWinnerOfTwo(t *testing.T, e Env) {
	key, own := k("a", "1"), func(i int) table.Key { return k("own", fmt.Sprint(i)) }
	results := race(t, e, racers, func(i int) []table.Action {
		return []table.Action{put(own(i), nil), put(key, table.Item{"by": table.Int(int64(i))}, table.Absent())}
	})
	won := oneWinner(t, results, func(t *testing.T, winner int, lost []table.Loss) {
		if lost[0].Action != 1 {
			t.Errorf("action %d lost", lost[0].Action)
		}
		same(t, e, lost[0].Item, key, table.Item{"by": table.Int(int64(winner))})
	})
	for i := range racers {
		want := table.Item(nil)
		if i == won {
			want = table.Item{}
		}
		read(t, e, own(i), want)
	}
}

// oneWinner finds the one winner and shows each loser's loss to see.
func oneWinner(t *testing.T, results []table.Result, see func(t *testing.T, winner int, lost []table.Loss)) int {
	t.Helper()
	winner := -1
	for i, r := range results {
		if !r.Won() {
			continue
		}
		if winner >= 0 {
			t.Fatalf("racers %d and %d both won", winner, i)
		}
		winner = i
	}
	if winner < 0 {
		t.Fatal("nobody won")
	}
	for i, r := range results {
		if i == winner {
			continue
		}
		if len(r.Lost) != 1 {
			t.Fatalf("racer %d lost %v", i, r.Lost)
		}
		see(t, winner, r.Lost)
	}
	return winner
}

// testCounter adds from many goroutines, alone and in transactions; every
// success counts once.
func testCounter(t *testing.T, e Env) {
	key := k("a", "count")
	add := table.Action{Verb: table.Update, Key: key, Add: map[string]int64{"n": 1}}
	results := race(t, e, 60, func(i int) []table.Action {
		if i%2 == 0 {
			return []table.Action{add}
		}
		return []table.Action{add, put(k("own", fmt.Sprint(i)), nil, table.Absent())}
	})
	for i, r := range results {
		if !r.Won() {
			t.Errorf("adder %d lost %v", i, r.Lost)
		}
	}
	read(t, e, key, table.Item{"n": table.Int(60)})
}
