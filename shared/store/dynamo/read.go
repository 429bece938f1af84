package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/postern-dev/postern/shared/store/table"
)

// Get implements table.Table.
func (t *Table) Get(ctx context.Context, key table.Key) (table.Item, error) {
	if err := table.ValidateKey(key); err != nil {
		return nil, fmt.Errorf("get: %w", err)
	}
	var out *dynamodb.GetItemOutput
	err := t.again(ctx, func() (err error) {
		out, err = t.api.GetItem(ctx, &dynamodb.GetItemInput{
			TableName: t.name, Key: toKey(key), ConsistentRead: aws.Bool(true),
		}, t.options)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("get %v: %w", key, err)
	}
	return fromItem(out.Item)
}

// GetMany implements table.Table. A key given twice is read once.
func (t *Table) GetMany(ctx context.Context, keys []table.Key) ([]table.Item, error) {
	if len(keys) > table.MaxKeys {
		return nil, fmt.Errorf("get many: %d keys, more than %d: %w", len(keys), table.MaxKeys, table.ErrInvalid)
	}
	found := make(map[table.Key]table.Item, len(keys))
	ask := types.KeysAndAttributes{ConsistentRead: aws.Bool(true)}
	for _, key := range keys {
		if err := table.ValidateKey(key); err != nil {
			return nil, fmt.Errorf("get many: %w", err)
		}
		if _, twice := found[key]; !twice {
			found[key] = nil
			ask.Keys = append(ask.Keys, toKey(key))
		}
	}
	err := t.again(ctx, func() error { return t.readBatch(ctx, &ask, found) })
	if err != nil {
		return nil, fmt.Errorf("get many: %w", err)
	}
	items := make([]table.Item, len(keys))
	for i, key := range keys {
		items[i] = found[key]
	}
	return items, nil
}

// readBatch reads what is still asked for, and leaves in ask what DynamoDB did
// not process, which is then a transient failure.
func (t *Table) readBatch(ctx context.Context, ask *types.KeysAndAttributes, found map[table.Key]table.Item) error {
	if len(ask.Keys) == 0 {
		return nil
	}
	out, err := t.api.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{*t.name: *ask},
	}, t.options)
	if err != nil {
		return err
	}
	for _, row := range out.Responses[*t.name] {
		item, err := fromItem(row)
		if err != nil {
			return err
		}
		found[item.Key()] = item
	}
	ask.Keys = out.UnprocessedKeys[*t.name].Keys
	if n := len(ask.Keys); n > 0 {
		return fmt.Errorf("%d keys not processed: %w", n, errTransient)
	}
	return nil
}
