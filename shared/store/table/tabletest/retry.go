package tabletest

import (
	"context"
	"errors"
	"testing"

	"github.com/postern-dev/postern/shared/store/table"
)

// loseReply commits while the reply is lost. The caller may see an error; if
// it does not, the engine tried again by itself and must have seen its own
// success.
func loseReply(t *testing.T, e Env, token string, actions ...table.Action) {
	t.Helper()
	e.LoseReply()
	res, err := e.Table.Commit(t.Context(), e.tx(token, actions...))
	if err == nil && !res.Won() {
		t.Fatalf("commit %s lost to itself: %v", token, res.Lost)
	}
	if errors.Is(err, table.ErrInvalid) {
		t.Fatalf("commit %s: %v", token, err)
	}
}

func testLostReplySingle(t *testing.T, e Env) {
	key := k("a", "1")
	create := put(key, table.Item{"version": table.Int(1)}, table.Absent())
	loseReply(t, e, "t1", create)
	win(t, e, "t1", create)
	win(t, e, "t1", create)
	lose(t, e, "t2", []int{0}, create)
	update := table.Action{
		Verb: table.Update, Key: key, Set: table.Item{"version": table.Int(2)}, Remove: []string{"x"},
		If: []table.Cond{table.Version(1)},
	}
	loseReply(t, e, "t3", update)
	win(t, e, "t3", update)
	read(t, e, key, table.Item{"version": table.Int(2), "tx": table.Str("t3")})
	// Without a condition a retry changes nothing either.
	blind := set(key, table.Item{"version": table.Int(3)})
	loseReply(t, e, "t4", blind)
	win(t, e, "t4", blind)
	read(t, e, key, table.Item{"version": table.Int(3), "tx": table.Str("t4")})
}

// testLostReplyAdd counts once, also when others counted in between.
func testLostReplyAdd(t *testing.T, e Env) {
	key := k("a", "1")
	add := table.Action{Verb: table.Update, Key: key, Add: map[string]int64{"n": 1}}
	loseReply(t, e, "t1", add)
	win(t, e, "t1", add)
	read(t, e, key, table.Item{"n": table.Int(1)})
	win(t, e, "t2", add)
	win(t, e, "t1", add)
	read(t, e, key, table.Item{"n": table.Int(2)})
}

// testLostReplyDelete leaves no row that could carry a token.
func testLostReplyDelete(t *testing.T, e Env) {
	key := k("a", "1")
	win(t, e, "t1", put(key, table.Item{"version": table.Int(1)}))
	claim := del(key, table.Version(1))
	loseReply(t, e, "t2", claim)
	win(t, e, "t2", claim)
	lose(t, e, "t3", []int{0}, claim)
	read(t, e, key, nil)
}

func testLostReplyMany(t *testing.T, e Env) {
	actions := []table.Action{
		put(k("a", "1"), table.Item{"version": table.Int(1)}, table.Absent()),
		{Verb: table.Update, Key: k("a", "2"), Add: map[string]int64{"n": 1}},
		check(k("a", "3"), table.Absent()),
	}
	loseReply(t, e, "t1", actions...)
	win(t, e, "t1", actions...)
	read(t, e, k("a", "1"), table.Item{"version": table.Int(1)})
	read(t, e, k("a", "2"), table.Item{"n": table.Int(1)})
	lose(t, e, "t2", []int{0}, actions...)
}

// testLostReplyOvertaken has all the rows changed by others before the retry:
// inside the window of tokens it is a success all the same, and undoes nothing.
func testLostReplyOvertaken(t *testing.T, e Env) {
	a, b := k("a", "1"), k("a", "2")
	actions := []table.Action{
		put(a, table.Item{"version": table.Int(1)}, table.Absent()),
		put(b, table.Item{"version": table.Int(1)}, table.Absent()),
	}
	loseReply(t, e, "t1", actions...)
	win(t, e, "t2", set(a, table.Item{"version": table.Int(2)}, table.Version(1)))
	win(t, e, "t3", del(b, table.Version(1)))
	win(t, e, "t1", actions...)
	read(t, e, a, table.Item{"version": table.Int(2)})
	read(t, e, b, nil)
}

func testTokenReused(t *testing.T, e Env) {
	a, b := k("a", "1"), k("a", "2")
	win(t, e, "t1", put(a, table.Item{"x": table.Int(1)}, table.Absent()))
	for _, other := range []table.Action{
		put(a, table.Item{"x": table.Int(2)}, table.Absent()),
		put(a, table.Item{"x": table.Int(2)}),
		put(a, nil),
		set(a, table.Item{"x": table.Int(2)}),
		{Verb: table.Update, Key: a, Remove: []string{"x"}},
	} {
		refuse(t, e, "t1", other)
	}
	win(t, e, "t2", put(a, table.Item{"x": table.Int(3)}), put(b, nil))
	refuse(t, e, "t2", put(a, table.Item{"x": table.Int(4)}), put(b, nil))
	refuse(t, e, "t2", put(a, table.Item{"x": table.Int(3)}, table.Present()), put(b, nil))
	read(t, e, a, table.Item{"x": table.Int(3)})
}

// testTokenAfterLoss tries again with the token of a commit that lost: it was
// no success, so it is judged anew.
func testTokenAfterLoss(t *testing.T, e Env) {
	key, gate := k("a", "1"), k("a", "gate")
	many := []table.Action{put(key, nil, table.Absent()), check(gate, table.Present())}
	lose(t, e, "t1", []int{1}, many...)
	one := put(k("b", "1"), nil, table.Present())
	lose(t, e, "t2", []int{0}, one)
	win(t, e, "t3", put(gate, nil), put(k("b", "1"), nil))
	win(t, e, "t1", many...)
	win(t, e, "t2", one)
	read(t, e, key, table.Item{"tx": table.Str("t1")})
}

func testThrottle(t *testing.T, e Env) { disturb(t, e, e.Throttle) }
func testConflict(t *testing.T, e Env) { disturb(t, e, e.Conflict) }

// disturb has requests refused for a while: each commit ends as if nothing had
// been, won or lost.
func disturb(t *testing.T, e Env, refuseNext func(n int)) {
	if refuseNext == nil {
		t.Skip("the engine has no such path")
	}
	key, other := k("a", "1"), k("a", "2")
	steps := []struct {
		token   string
		actions []table.Action
		won     bool
	}{
		{"t1", []table.Action{put(key, table.Item{"v": table.Int(1)}, table.Absent())}, true},
		{"t2", []table.Action{put(key, nil, table.Absent())}, false},
		{"t3", []table.Action{set(key, table.Item{"v": table.Int(2)}), put(other, nil, table.Absent())}, true},
		{"t4", []table.Action{del(key), put(other, nil, table.Absent())}, false},
		{"t5", []table.Action{{Verb: table.Update, Key: key, Add: map[string]int64{"v": 1}}}, true},
		{"t6", []table.Action{check(key, table.Equals("v", table.Int(3)))}, true},
		{"t7", []table.Action{del(other, table.Present())}, true},
	}
	for _, s := range steps {
		refuseNext(4)
		if res := commit(t, e, s.token, s.actions...); res.Won() != s.won {
			t.Errorf("%s: won %v", s.token, res.Won())
		}
	}
	refuseNext(0)
	read(t, e, key, table.Item{"v": table.Int(3)})
	read(t, e, other, nil)
	// Without end, it goes on until the context does; that is no lost race.
	refuseNext(1 << 30)
	defer refuseNext(0)
	ctx, cancel := context.WithCancel(t.Context())
	cancelAfter(ctx, cancel)
	res, err := e.Table.Commit(ctx, e.tx("t9", put(key, nil, table.Absent())))
	if err == nil {
		t.Errorf("refused without end: %v, want an error", res)
	}
}
