package dynamo

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/postern-dev/postern/shared/store/table"
)

// D9: what goes as a plain write, and that nothing asks for a loser's row
// without getting it free.
func TestCallsAndTheirCost(t *testing.T) {
	t.Parallel()
	key := table.Key{PK: "a", SK: "s"}
	has := []table.Cond{table.Present()}
	for name, c := range map[string]struct {
		actions []table.Action
		answer  any
		want    string
	}{
		"put":                {[]table.Action{put("a")}, &dynamodb.PutItemOutput{}, "*dynamodb.PutItemInput"},
		"conditional put":    {[]table.Action{put("a", table.Absent())}, &dynamodb.PutItemOutput{}, "*dynamodb.PutItemInput"},
		"update":             {[]table.Action{{Verb: table.Update, Key: key, If: has}}, &dynamodb.UpdateItemOutput{}, "*dynamodb.UpdateItemInput"},
		"update with an add": {[]table.Action{{Verb: table.Update, Key: key, Add: map[string]int64{"n": 1}}}, done, "*dynamodb.TransactWriteItemsInput"},
		"delete":             {[]table.Action{{Verb: table.Delete, Key: key}}, &dynamodb.DeleteItemOutput{}, "*dynamodb.DeleteItemInput"},
		"conditional delete": {[]table.Action{{Verb: table.Delete, Key: key, If: has}}, done, "*dynamodb.TransactWriteItemsInput"},
		"check":              {[]table.Action{{Verb: table.Check, Key: key, If: []table.Cond{table.Absent()}}}, &dynamodb.GetItemOutput{}, "*dynamodb.GetItemInput"},
		"two":                {[]table.Action{put("a"), put("b")}, done, "*dynamodb.TransactWriteItemsInput"},
	} {
		tab, f, _ := with(t, c.answer)
		res, err := tab.Commit(t.Context(), table.Tx{Token: "me", Actions: c.actions})
		if err != nil || !res.Won() {
			t.Errorf("%s: %v, %v", name, res, err)
		}
		if got := fmt.Sprintf("%T", f.calls[0]); got != c.want {
			t.Errorf("%s is a %s, want %s", name, got, c.want)
		}
		switch in := f.calls[0].(type) {
		case *dynamodb.PutItemInput:
			if in.ReturnValuesOnConditionCheckFailure != allOld || in.ConditionExpression == nil {
				t.Errorf("%s: %+v", name, in)
			}
		case *dynamodb.UpdateItemInput:
			if in.ReturnValuesOnConditionCheckFailure != allOld || in.ConditionExpression == nil {
				t.Errorf("%s: %+v", name, in)
			}
		case *dynamodb.GetItemInput:
			if !aws.ToBool(in.ConsistentRead) {
				t.Errorf("%s: a weak read", name)
			}
		case *dynamodb.TransactWriteItemsInput:
			if aws.ToString(in.ClientRequestToken) != "me" {
				t.Errorf("%s: token %v", name, in.ClientRequestToken)
			}
		}
	}
}

// Waits double from 25 ms to 2 s, and are a random part of that.
func TestBackoff(t *testing.T) {
	t.Parallel()
	answers := []any{}
	for range 10 {
		answers = append(answers, &types.TransactionConflictException{})
	}
	tab, _, waits := with(t, append(answers, &dynamodb.PutItemOutput{})...)
	if _, err := tab.Commit(t.Context(), table.Tx{Token: "me", Actions: []table.Action{put("a")}}); err != nil {
		t.Fatal(err)
	}
	ms := time.Millisecond
	want := []time.Duration{12500 * time.Microsecond, 25 * ms, 50 * ms, 100 * ms, 200 * ms, 400 * ms, 800 * ms, 1000 * ms, 1000 * ms, 1000 * ms}
	if !reflect.DeepEqual(*waits, want) {
		t.Errorf("waits %v, want %v", *waits, want)
	}
}

// When the context ends, the error tells both that and what went on.
func TestBackoffEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	f := &fake{t: t, answers: []any{&types.ThrottlingException{}}}
	tab := New(f, "tab", WithBackoff(func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }, func() float64 { return 0 }))
	_, err := tab.Commit(ctx, table.Tx{Token: "me", Actions: []table.Action{put("a")}})
	var throttled *types.ThrottlingException
	if !errors.Is(err, context.Canceled) || !errors.As(err, &throttled) {
		t.Error(err)
	}
	// The wait by the wall clock ends with its context, too.
	if err := wallBackoff.sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := wallBackoff.sleep(t.Context(), 0); err != nil {
		t.Error(err)
	}
}
