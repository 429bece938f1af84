package dynamo

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/postern-dev/postern/shared/store/table"
)

func toValue(v table.Value) types.AttributeValue {
	switch v.Type {
	case table.Number:
		return &types.AttributeValueMemberN{Value: v.Str}
	case table.Boolean:
		return &types.AttributeValueMemberBOOL{Value: v.Bool}
	case table.Binary:
		return &types.AttributeValueMemberB{Value: v.Bytes}
	}
	return &types.AttributeValueMemberS{Value: v.Str}
}

func toItem(it table.Item) map[string]types.AttributeValue {
	out := make(map[string]types.AttributeValue, len(it))
	for name, v := range it {
		out[name] = toValue(v)
	}
	return out
}

func toKey(k table.Key) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		table.AttrPK: &types.AttributeValueMemberS{Value: k.PK},
		table.AttrSK: &types.AttributeValueMemberS{Value: k.SK},
	}
}

// fromItem reads a row; no attributes at all is no row.
func fromItem(in map[string]types.AttributeValue) (table.Item, error) {
	if len(in) == 0 {
		return nil, nil
	}
	it := make(table.Item, len(in))
	for name, v := range in {
		switch v := v.(type) {
		case *types.AttributeValueMemberS:
			it[name] = table.Str(v.Value)
		case *types.AttributeValueMemberN:
			it[name] = number(v.Value)
		case *types.AttributeValueMemberBOOL:
			it[name] = table.Bool(v.Value)
		case *types.AttributeValueMemberB:
			it[name] = binary(v.Value)
		default:
			return nil, fmt.Errorf("row %v: attribute %q has the foreign type %T", it.Key(), name, v)
		}
	}
	return it, nil
}

// number keeps the one text of a number, however it was written back.
func number(text string) table.Value {
	if canonical, err := table.Canonical(text); err == nil {
		text = canonical
	}
	return table.Num(text)
}

func binary(b []byte) table.Value {
	if b == nil {
		b = []byte{}
	}
	return table.Bytes(b)
}
