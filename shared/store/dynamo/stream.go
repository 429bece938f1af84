package dynamo

import (
	"fmt"

	"github.com/aws/aws-lambda-go/events"

	"github.com/postern-dev/postern/shared/store/table"
)

// FromStreamRecord reads one record of a stream event as Lambda delivers it.
// Keys and images are those of a table with NEW_AND_OLD_IMAGES.
func FromStreamRecord(r events.DynamoDBEventRecord) (table.Change, error) {
	change := table.Change{ID: r.EventID, At: r.Change.ApproximateCreationDateTime.UTC()}
	keys, err := fromEvent(r.Change.Keys)
	if err != nil {
		return table.Change{}, fmt.Errorf("stream record %s: keys: %w", r.EventID, err)
	}
	if change.Key = keys.Key(); table.ValidateKey(change.Key) != nil {
		return table.Change{}, fmt.Errorf("stream record %s has no key", r.EventID)
	}
	if change.Old, err = fromEvent(r.Change.OldImage); err != nil {
		return table.Change{}, fmt.Errorf("stream record %s: old image: %w", r.EventID, err)
	}
	if change.New, err = fromEvent(r.Change.NewImage); err != nil {
		return table.Change{}, fmt.Errorf("stream record %s: new image: %w", r.EventID, err)
	}
	return change, nil
}

func fromEvent(in map[string]events.DynamoDBAttributeValue) (table.Item, error) {
	if len(in) == 0 {
		return nil, nil
	}
	it := make(table.Item, len(in))
	for name, v := range in {
		switch v.DataType() {
		case events.DataTypeString:
			it[name] = table.Str(v.String())
		case events.DataTypeNumber:
			it[name] = number(v.Number())
		case events.DataTypeBoolean:
			it[name] = table.Bool(v.Boolean())
		case events.DataTypeBinary:
			it[name] = binary(v.Binary())
		default:
			return nil, fmt.Errorf("attribute %q has the foreign type %v", name, v.DataType())
		}
	}
	return it, nil
}
