package dynamo

import (
	"errors"
	"fmt"
	"net"
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/postern-dev/postern/shared/store/table"
)

var done = &dynamodb.TransactWriteItemsOutput{}

// O6: conflicts, throttling and failed conditions in every mixture.
func TestCancellations(t *testing.T) {
	t.Parallel()
	none, conflict := reason("None", nil), reason("TransactionConflict", nil)
	theirs, own := reason("ConditionalCheckFailed", row("a", "other")), reason("ConditionalCheckFailed", row("a", "me"))
	gone := reason("ConditionalCheckFailed", nil)
	for name, c := range map[string]struct {
		answers []any
		lost    []table.Loss
		invalid bool
	}{
		"won":                {[]any{done}, nil, false},
		"lost":               {[]any{because(theirs, none)}, []table.Loss{{Action: 0, Item: row("a", "other")}}, false},
		"lost to no row":     {[]any{because(none, gone)}, []table.Loss{{Action: 1}}, false},
		"lost both":          {[]any{because(theirs, gone)}, []table.Loss{{Action: 0, Item: row("a", "other")}, {Action: 1}}, false},
		"own earlier win":    {[]any{because(own, none)}, nil, false},
		"own beside theirs":  {[]any{because(own, theirs)}, nil, false},
		"own beside passing": {[]any{because(conflict, reason("ConditionalCheckFailed", row("b", "me")))}, nil, false},
		"conflict, then won": {[]any{because(none, conflict), because(conflict, none), done}, nil, false},
		"throttled each way, then won": {[]any{
			because(reason("ThrottlingError", nil), none), because(none, reason("ProvisionedThroughputExceeded", nil)),
			&types.ProvisionedThroughputExceededException{}, &types.ThrottlingException{}, &types.TransactionInProgressException{},
			&types.InternalServerError{}, &types.TransactionConflictException{}, &smithy.GenericAPIError{Code: "RequestLimitExceeded"}, done,
		}, nil, false},
		"failed beside conflict, then all is seen": {
			[]any{because(theirs, conflict), because(theirs, none)}, []table.Loss{{Action: 0, Item: row("a", "other")}}, false,
		},
		"failed beside conflict, then won":       {[]any{because(theirs, conflict), done}, nil, false},
		"failed beside conflict, then own shows": {[]any{because(theirs, conflict), because(theirs, reason("ConditionalCheckFailed", row("b", "me")))}, nil, false},
		"a reason not known yet":                 {[]any{because(none, reason("SomethingNew", nil)), done}, nil, false},
		"malformed":                              {[]any{because(none, reason("ValidationError", nil))}, nil, true},
		"token of another commit":                {[]any{&types.IdempotentParameterMismatchException{}}, nil, true},
		"refused":                                {[]any{&smithy.GenericAPIError{Code: "ValidationException"}}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab, f, _ := with(t, c.answers...)
			res, err := tab.Commit(t.Context(), table.Tx{Token: "me", Actions: []table.Action{put("a", table.Absent()), put("b", table.Absent())}})
			if errors.Is(err, table.ErrInvalid) != c.invalid || (err != nil && !c.invalid) {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(res.Lost, c.lost) {
				t.Errorf("lost %v, want %v", res.Lost, c.lost)
			}
			if len(f.answers) > 0 {
				t.Errorf("%d calls too few", len(f.answers))
			}
			for _, call := range f.calls {
				if !reflect.DeepEqual(call, f.calls[0]) {
					t.Error("a repeated request is not the same: its token would be refused")
				}
			}
		})
	}
}

// O6: the same for plain writes.
func TestSingle(t *testing.T) {
	t.Parallel()
	failed := func(it table.Item) error { return &types.ConditionalCheckFailedException{Item: toItem(it)} }
	ok := &dynamodb.PutItemOutput{}
	other := row("a", "me")
	other["v"] = table.Int(2)
	for name, c := range map[string]struct {
		answers []any
		lost    []table.Loss
		invalid bool
	}{
		"won":                     {[]any{ok}, nil, false},
		"lost":                    {[]any{failed(row("a", "x"))}, []table.Loss{{Item: row("a", "x")}}, false},
		"lost to no row":          {[]any{failed(nil)}, []table.Loss{{}}, false},
		"own earlier win":         {[]any{failed(row("a", "me"))}, nil, false},
		"token of another commit": {[]any{failed(other)}, nil, true},
		"conflict, throttling, failure, then won": {
			[]any{&types.TransactionConflictException{}, &types.ThrottlingException{}, &types.InternalServerError{}, ok}, nil, false,
		},
		"failure after the write":  {[]any{&types.InternalServerError{}, failed(row("a", "me"))}, nil, false},
		"conflict, then lost":      {[]any{&types.TransactionConflictException{}, failed(row("a", "x"))}, []table.Loss{{Item: row("a", "x")}}, false},
		"refused as being too big": {[]any{&smithy.GenericAPIError{Code: "ValidationException"}}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab, f, _ := with(t, c.answers...)
			res, err := tab.Commit(t.Context(), table.Tx{Token: "me", Actions: []table.Action{put("a", table.Version(3))}})
			if errors.Is(err, table.ErrInvalid) != c.invalid || (err != nil && !c.invalid) {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(res.Lost, c.lost) || len(f.answers) > 0 {
				t.Errorf("lost %v, want %v; %d answers left", res.Lost, c.lost, len(f.answers))
			}
		})
	}
}

// A connection that breaks leaves the outcome unknown: an error, neither lost
// nor refused, and no second try of the engine's own.
func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	broken := &net.OpError{Op: "read", Err: errors.New("connection reset")}
	for _, actions := range [][]table.Action{{put("a")}, {put("a"), put("b")}} {
		tab, _, waits := with(t, broken)
		res, err := tab.Commit(t.Context(), table.Tx{Token: "me", Actions: actions})
		if !errors.Is(err, broken) || errors.Is(err, table.ErrInvalid) || !res.Won() || len(*waits) != 0 {
			t.Errorf("%v, %v", res, err)
		}
	}
}

// A commit that is repeated by its caller is the same request to the letter,
// whatever the order of its maps: else DynamoDB would refuse its token.
func TestSameRequest(t *testing.T) {
	t.Parallel()
	request := func() *dynamodb.TransactWriteItemsInput {
		a := table.Action{Verb: table.Update, Key: table.Key{PK: "a", SK: "s"}, Set: table.Item{}, Add: map[string]int64{}}
		for i := range 20 {
			a.Set[fmt.Sprint("s", i)], a.Add[fmt.Sprint("n", i)] = table.Int(int64(i)), int64(i)
		}
		tab, f, _ := with(t, done)
		if _, err := tab.Commit(t.Context(), table.Tx{Token: "me", Actions: []table.Action{a, put("b", table.Version(1), table.Has("x"))}}); err != nil {
			t.Fatal(err)
		}
		return f.calls[0].(*dynamodb.TransactWriteItemsInput)
	}
	first := request()
	for range 10 {
		if again := request(); !reflect.DeepEqual(again, first) {
			t.Fatalf("another request for the same commit:\n%+v\n%+v", again.TransactItems[0].Update, first.TransactItems[0].Update)
		}
	}
}
