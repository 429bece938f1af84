// Package tabletest is the conformance suite of the table contract (O6): what
// both engines must do alike. It knows the contract only; whatever an engine
// does differently from the other and still within the contract is allowed
// here by a comment.
package tabletest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/store/table"
)

// Env is one empty table and the ways to disturb it.
type Env struct {
	Table table.Table
	Feed  table.Feed

	// LoseReply lets the next commit be written and its reply be lost: the
	// caller gets an error, or a success if the engine tries again by itself.
	LoseReply func()

	// Throttle and Conflict let the next n requests be refused as too many, or
	// as in conflict with another transaction. Nil where an engine has no such
	// path.
	Throttle func(n int)
	Conflict func(n int)

	// Reopen opens the same rows anew, as a process does that was restarted.
	Reopen func(t *testing.T) (table.Table, table.Feed)

	// scope begins each token: DynamoDB knows tokens by account, not by table.
	scope string
}

func (e Env) tok(name string) string { return e.scope + name }

func (e Env) tx(name string, actions ...table.Action) table.Tx {
	return table.Tx{Token: e.tok(name), Actions: actions}
}

// Run runs the suite; open makes a new empty table for each part.
func Run(t *testing.T, open func(t *testing.T) Env) {
	parts := []struct {
		name string
		run  func(*testing.T, Env)
	}{
		{"get", testGet},
		{"get many", testGetMany},
		{"put replaces the whole row", testPut},
		{"update sets, adds and removes", testUpdate},
		{"add makes a missing number", testAdd},
		{"add refuses what is no number", testAddRefused},
		{"delete", testDelete},
		{"conditions", testConditions},
		{"condition types never mix", testConditionTypes},
		{"a loser gets the row that beat it", testLosses},
		{"all or nothing", testAllOrNothing},
		{"200 goroutines, one winner", testOneWinner},
		{"200 goroutines on two rows, one winner", testOneWinnerOfTwo},
		{"no lost update", testCounter},
		{"values are kept exactly", testValues},
		{"numbers are kept exactly", testNumbers},
		{"bad requests", testRefused},
		{"item size", testItemSize},
		{"update past the item size", testUpdateSize},
		{"commit size", testCommitSize},
		{"100 actions", testHundredActions},
		{"page the table", testPageTable},
		{"page the indexes", testPageIndexes},
		{"bounds and prefix", testBounds},
		{"bad queries", testBadQueries},
		{"indexes are sparse", testSparse},
		{"index pages hold keys only", testKeysOnly},
		{"lost reply of one write", testLostReplySingle},
		{"lost reply of an add", testLostReplyAdd},
		{"lost reply of a delete", testLostReplyDelete},
		{"lost reply of a transaction", testLostReplyMany},
		{"lost reply, then another's change", testLostReplyOvertaken},
		{"token used for something else", testTokenReused},
		{"token of a lost commit is free", testTokenAfterLoss},
		{"throttling is no lost race", testThrottle},
		{"conflict is no lost race", testConflict},
		{"feed images", testFeedImages},
		{"feed order", testFeedOrder},
		{"feed cursor", testFeedCursor},
		{"cancelled context", testCancelled},
		{"reopen", testReopen},
	}
	for _, p := range parts {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			e := open(t)
			e.scope = fmt.Sprintf("%08x-", rand.Uint32())
			p.run(t, e)
		})
	}
}

// commit commits and fails the test on an error.
func commit(t *testing.T, e Env, token string, actions ...table.Action) table.Result {
	t.Helper()
	res, err := e.Table.Commit(t.Context(), e.tx(token, actions...))
	if err != nil {
		t.Fatalf("commit %s: %v", token, err)
	}
	return res
}

// win commits and fails the test unless every condition held.
func win(t *testing.T, e Env, token string, actions ...table.Action) {
	t.Helper()
	if res := commit(t, e, token, actions...); !res.Won() {
		t.Fatalf("commit %s lost: %v", token, res.Lost)
	}
}

// lose commits and fails the test unless exactly these actions lost.
func lose(t *testing.T, e Env, token string, want []int, actions ...table.Action) []table.Loss {
	t.Helper()
	res := commit(t, e, token, actions...)
	got := []int{}
	for _, l := range res.Lost {
		got = append(got, l.Action)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("commit %s: actions %v lost, want %v", token, got, want)
	}
	return res.Lost
}

// refuse commits and fails the test unless it is refused as malformed.
func refuse(t *testing.T, e Env, token string, actions ...table.Action) error {
	t.Helper()
	res, err := e.Table.Commit(t.Context(), e.tx(token, actions...))
	if !errors.Is(err, table.ErrInvalid) {
		t.Fatalf("commit %s: %v, %v; want ErrInvalid", token, res, err)
	}
	return err
}

// read gets a row and fails the test unless it is want, whose key and token
// need not be given.
func read(t *testing.T, e Env, key table.Key, want table.Item) {
	t.Helper()
	got, err := e.Table.Get(t.Context(), key)
	if err != nil {
		t.Fatalf("get %v: %v", key, err)
	}
	same(t, e, got, key, want)
}

// same compares a returned row with what it should hold beside key and token.
func same(t *testing.T, e Env, got table.Item, key table.Key, want table.Item) {
	t.Helper()
	if want == nil {
		if got != nil {
			t.Fatalf("row %v: %v, want none", key, got)
		}
		return
	}
	if got == nil {
		t.Fatalf("row %v: none, want %v", key, want)
	}
	if got.Key() != key || got["pk"].Type != table.String || got["tx"].Type != table.String {
		t.Fatalf("row %v has key %v and token %v", key, got.Key(), got["tx"])
	}
	full := maps.Clone(want)
	full["pk"], full["sk"] = table.Str(key.PK), table.Str(key.SK)
	full["tx"] = got["tx"]
	if want, ok := want["tx"]; ok {
		full["tx"] = table.Str(e.tok(want.Str))
	}
	if !maps.EqualFunc(got, full, table.Value.Equal) {
		t.Fatalf("row %v:\n got %v\nwant %v", key, got, full)
	}
}

// eventually asks again until ok, for reads that may lag behind commits. An
// engine whose reads do not lag is asked once.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatalf("never: %s", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func put(key table.Key, it table.Item, conds ...table.Cond) table.Action {
	return table.Action{Verb: table.Put, Key: key, Item: it, If: conds}
}

func set(key table.Key, it table.Item, conds ...table.Cond) table.Action {
	return table.Action{Verb: table.Update, Key: key, Set: it, If: conds}
}

func del(key table.Key, conds ...table.Cond) table.Action {
	return table.Action{Verb: table.Delete, Key: key, If: conds}
}

func check(key table.Key, conds ...table.Cond) table.Action {
	return table.Action{Verb: table.Check, Key: key, If: conds}
}

func k(pk, sk string) table.Key { return table.Key{PK: pk, SK: sk} }
