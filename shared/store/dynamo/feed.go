package dynamo

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/postern-dev/postern/shared/store/table"
)

// StreamsAPI is what the feed calls: *dynamodbstreams.Client has it all.
type StreamsAPI interface {
	ListStreams(context.Context, *dynamodbstreams.ListStreamsInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.ListStreamsOutput, error)
	DescribeStream(context.Context, *dynamodbstreams.DescribeStreamInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error)
	GetShardIterator(context.Context, *dynamodbstreams.GetShardIteratorInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error)
	GetRecords(context.Context, *dynamodbstreams.GetRecordsInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error)
}

// Feed reads a table's stream by polling, for tests and tools. On AWS the
// stream is read by Lambda, and FromStreamRecord reads its records.
type Feed struct {
	api   StreamsAPI
	table *string
}

var _ table.Feed = (*Feed)(nil)

// NewFeed makes the feed of the table with this name.
func NewFeed(client StreamsAPI, tableName string) *Feed {
	return &Feed{api: client, table: aws.String(tableName)}
}

// place is how far a shard was read: after Seq, and for good when Done.
type place struct {
	Seq  string `json:"s,omitempty"`
	Done bool   `json:"d,omitempty"`
}

// Changes implements table.Feed. The cursor holds a place in each shard; a
// shard is read only when the one it grew from is done, which keeps the order
// of a partition key.
func (f *Feed) Changes(ctx context.Context, cursor string, limit int) ([]table.Change, string, error) {
	places, err := readPlaces(cursor)
	if err != nil {
		return nil, "", err
	}
	if limit <= 0 {
		limit = table.DefaultPage
	}
	arn, shards, err := f.shards(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("changes: %w", err)
	}
	known := map[string]bool{}
	for _, s := range shards {
		known[aws.ToString(s.ShardId)] = true
	}
	var changes []table.Change
	for _, s := range shards { // parents come first
		id, parent := aws.ToString(s.ShardId), aws.ToString(s.ParentShardId)
		if places[id].Done || (known[parent] && !places[parent].Done) {
			continue
		}
		more, at, err := f.readShard(ctx, arn, id, places[id], limit-len(changes))
		if err != nil {
			return nil, "", fmt.Errorf("changes: shard %s: %w", id, err)
		}
		places[id] = at
		if changes = append(changes, more...); len(changes) >= limit {
			break
		}
	}
	text, _ := json.Marshal(places) // strings and bools: cannot fail
	return changes, base64.RawURLEncoding.EncodeToString(text), nil
}

func readPlaces(cursor string) (map[string]place, error) {
	places := map[string]place{}
	if cursor == "" {
		return places, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(text, &places)
	}
	if err != nil {
		return nil, fmt.Errorf("changes: cursor %.40q: %w", cursor, table.ErrInvalid)
	}
	return places, nil
}

// shards lists the newest stream's shards.
func (f *Feed) shards(ctx context.Context) (arn *string, shards []types.Shard, err error) {
	streams, err := f.api.ListStreams(ctx, &dynamodbstreams.ListStreamsInput{TableName: f.table})
	if err != nil {
		return nil, nil, err
	}
	if len(streams.Streams) == 0 {
		return nil, nil, fmt.Errorf("table %s has no stream", *f.table)
	}
	arn = streams.Streams[len(streams.Streams)-1].StreamArn
	in := &dynamodbstreams.DescribeStreamInput{StreamArn: arn}
	for {
		out, err := f.api.DescribeStream(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		shards = append(shards, out.StreamDescription.Shards...)
		if in.ExclusiveStartShardId = out.StreamDescription.LastEvaluatedShardId; in.ExclusiveStartShardId == nil {
			return arn, shards, nil
		}
	}
}

// readShard reads up to limit records after a place. An open shard is read
// until an answer is empty.
func (f *Feed) readShard(ctx context.Context, arn *string, id string, at place, limit int) ([]table.Change, place, error) {
	in := &dynamodbstreams.GetShardIteratorInput{
		StreamArn: arn, ShardId: aws.String(id), ShardIteratorType: types.ShardIteratorTypeTrimHorizon,
	}
	if at.Seq != "" {
		in.ShardIteratorType, in.SequenceNumber = types.ShardIteratorTypeAfterSequenceNumber, aws.String(at.Seq)
	}
	first, err := f.api.GetShardIterator(ctx, in)
	if err != nil {
		return nil, at, err
	}
	var changes []table.Change
	for iterator := first.ShardIterator; len(changes) < limit; {
		if iterator == nil {
			at.Done = true
			break
		}
		out, err := f.api.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{
			ShardIterator: iterator, Limit: aws.Int32(int32(min(limit-len(changes), 1000))),
		})
		if err != nil {
			return nil, at, err
		}
		for _, r := range out.Records {
			change, err := fromRecord(r)
			if err != nil {
				return nil, at, err
			}
			changes = append(changes, change)
			at.Seq = aws.ToString(r.Dynamodb.SequenceNumber)
		}
		iterator = out.NextShardIterator
		if len(out.Records) == 0 && iterator != nil {
			break
		}
	}
	return changes, at, nil
}

func fromRecord(r types.Record) (table.Change, error) {
	keys, err := fromStream(r.Dynamodb.Keys)
	if err != nil {
		return table.Change{}, err
	}
	c := table.Change{
		ID: aws.ToString(r.EventID), Key: keys.Key(), At: aws.ToTime(r.Dynamodb.ApproximateCreationDateTime).UTC(),
	}
	if c.Old, err = fromStream(r.Dynamodb.OldImage); err != nil {
		return table.Change{}, err
	}
	c.New, err = fromStream(r.Dynamodb.NewImage)
	return c, err
}

func fromStream(in map[string]types.AttributeValue) (table.Item, error) {
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
			return nil, fmt.Errorf("attribute %q has the foreign type %T", name, v)
		}
	}
	return it, nil
}
