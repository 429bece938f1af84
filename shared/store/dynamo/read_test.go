package dynamo

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/postern-dev/postern/shared/store/table"
)

// Keys that were not processed are asked for again, and only those.
func TestUnprocessedKeys(t *testing.T) {
	t.Parallel()
	keys := []table.Key{{PK: "a", SK: "s"}, {PK: "none", SK: "s"}, {PK: "b", SK: "s"}, {PK: "a", SK: "s"}}
	part := func(left []table.Key, rows ...table.Item) *dynamodb.BatchGetItemOutput {
		out := &dynamodb.BatchGetItemOutput{
			Responses:       map[string][]map[string]types.AttributeValue{},
			UnprocessedKeys: map[string]types.KeysAndAttributes{},
		}
		for _, r := range rows {
			out.Responses["tab"] = append(out.Responses["tab"], toItem(r))
		}
		for _, k := range left {
			out.UnprocessedKeys["tab"] = types.KeysAndAttributes{Keys: append(out.UnprocessedKeys["tab"].Keys, toKey(k))}
		}
		return out
	}
	tab, f, waits := with(t, part(keys[1:3], row("a", "x")), &types.ThrottlingException{}, part(keys[2:3]), part(nil, row("b", "x")))
	items, err := tab.GetMany(t.Context(), keys)
	if err != nil {
		t.Fatal(err)
	}
	if want := []table.Item{row("a", "x"), nil, row("b", "x"), row("a", "x")}; !reflect.DeepEqual(items, want) {
		t.Errorf("got %v, want %v", items, want)
	}
	asked := []int{}
	for _, call := range f.calls {
		ask := call.(*dynamodb.BatchGetItemInput).RequestItems["tab"]
		if asked = append(asked, len(ask.Keys)); !aws.ToBool(ask.ConsistentRead) {
			t.Error("a weak read")
		}
	}
	if !reflect.DeepEqual(asked, []int{3, 2, 2, 1}) || len(*waits) != 3 {
		t.Errorf("asked for %v keys, waited %d times", asked, len(*waits))
	}
}

// DynamoDB ends an answer after 1 MB: a page is filled all the same.
func TestQueryFillsPages(t *testing.T) {
	t.Parallel()
	rows := func(last bool, sks ...string) *dynamodb.QueryOutput {
		out := &dynamodb.QueryOutput{}
		for _, sk := range sks {
			key := table.Key{PK: "p", SK: sk}
			out.Items = append(out.Items, toKey(key))
			if !last {
				out.LastEvaluatedKey = toKey(key)
			}
		}
		return out
	}
	none := &dynamodb.QueryOutput{LastEvaluatedKey: toKey(table.Key{PK: "p", SK: "3"})}
	tab, f, _ := with(t, rows(false, "1", "2"), &types.ThrottlingException{}, none, rows(false, "4"), rows(true, "5"))
	page, err := tab.Query(t.Context(), table.Query{PK: "p", Limit: 3})
	if err != nil || len(page.Items) != 3 || page.Items[2]["sk"].Str != "4" || page.Next == "" {
		t.Fatalf("%v, %v", page, err)
	}
	page, err = tab.Query(t.Context(), table.Query{PK: "p", Limit: 3, Cursor: page.Next})
	if err != nil || len(page.Items) != 1 || page.Next != "" {
		t.Fatalf("%v, %v", page, err)
	}
	var got []string
	for _, call := range f.calls {
		in := call.(*dynamodb.QueryInput)
		start, err := fromItem(in.ExclusiveStartKey)
		if err != nil || !aws.ToBool(in.ConsistentRead) {
			t.Errorf("%+v, %v", in, err)
		}
		got = append(got, fmt.Sprintf("%d after %s", aws.ToInt32(in.Limit), start["sk"].Str))
	}
	if want := []string{"3 after ", "1 after 2", "1 after 2", "1 after 3", "3 after 4"}; !reflect.DeepEqual(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
}

// A row with a type that is none of ours is an error, not half a row.
func TestForeignType(t *testing.T) {
	t.Parallel()
	tab, _, _ := with(t, &dynamodb.GetItemOutput{Item: map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: "a"}, "l": &types.AttributeValueMemberL{},
	}})
	if it, err := tab.Get(t.Context(), table.Key{PK: "a", SK: "s"}); err == nil {
		t.Errorf("read %v", it)
	}
}
