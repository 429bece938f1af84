package dynamo

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/postern-dev/postern/shared/store/table"
)

const recordJSON = `{
  "eventID": "e1", "eventName": "MODIFY", "eventSource": "aws:dynamodb",
  "dynamodb": {
    "ApproximateCreationDateTime": 1796040000, "SequenceNumber": "7", "StreamViewType": "NEW_AND_OLD_IMAGES",
    "Keys": {"pk": {"S": "p"}, "sk": {"S": "s"}},
    "OldImage": {"pk": {"S": "p"}, "sk": {"S": "s"}, "n": {"N": "1E+2"}},
    "NewImage": {"pk": {"S": "p"}, "sk": {"S": "s"}, "n": {"N": "12345678901234567890123456789012345678"},
      "e": {"S": ""}, "b": {"B": "AP8="}, "none": {"B": ""}, "t": {"BOOL": true}}
  }}`

// A record as Lambda delivers it, with both images kept exactly.
func TestFromStreamRecord(t *testing.T) {
	t.Parallel()
	var r events.DynamoDBEventRecord
	if err := json.Unmarshal([]byte(recordJSON), &r); err != nil {
		t.Fatal(err)
	}
	got, err := FromStreamRecord(r)
	if err != nil {
		t.Fatal(err)
	}
	key := table.Item{"pk": table.Str("p"), "sk": table.Str("s")}
	want := table.Change{
		ID: "e1", Key: key.Key(), At: time.Unix(1796040000, 0).UTC(),
		Old: table.Item{"pk": key["pk"], "sk": key["sk"], "n": table.Int(100)},
		New: table.Item{
			"pk": key["pk"], "sk": key["sk"], "n": table.Num("12345678901234567890123456789012345678"), "e": table.Str(""),
			"b": table.Bytes([]byte{0, 255}), "none": table.Bytes([]byte{}), "t": table.Bool(true),
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	r.Change.OldImage = nil
	if got, err = FromStreamRecord(r); err != nil || got.Old != nil || got.New == nil {
		t.Errorf("an insert: %v, %v", got, err)
	}
	for old, bad := range map[string]string{
		`"Keys": {"pk": {"S": "p"}`: `"Keys": {"p": {"S": "p"}`,
		`"e": {"S": ""}`:            `"e": {"L": []}`,
		`"n": {"N": "1E+2"}`:        `"n": {"NULL": true}`,
	} {
		var r events.DynamoDBEventRecord
		if err := json.Unmarshal([]byte(strings.Replace(recordJSON, old, bad, 1)), &r); err != nil {
			t.Fatal(err)
		}
		if got, err := FromStreamRecord(r); err == nil {
			t.Errorf("with %s: %v", bad, got)
		}
	}
}

// shardsFake is a stream of shards that hold the numbers of their records.
type shardsFake struct {
	order  []string // as DescribeStream lists them, in pages of two
	parent map[string]string
	closed map[string]bool
	holds  map[string][]int
}

func (s *shardsFake) ListStreams(context.Context, *dynamodbstreams.ListStreamsInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.ListStreamsOutput, error) {
	return &dynamodbstreams.ListStreamsOutput{Streams: []types.Stream{{StreamArn: aws.String("arn")}}}, nil
}

func (s *shardsFake) DescribeStream(_ context.Context, in *dynamodbstreams.DescribeStreamInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error) {
	d := &types.StreamDescription{}
	rest := s.order
	for i, id := range s.order {
		if id == aws.ToString(in.ExclusiveStartShardId) {
			rest = s.order[i+1:]
		}
	}
	for _, id := range rest {
		if len(d.Shards) == 2 {
			d.LastEvaluatedShardId = d.Shards[1].ShardId
			break
		}
		shard := types.Shard{ShardId: aws.String(id)}
		if p := s.parent[id]; p != "" {
			shard.ParentShardId = aws.String(p)
		}
		d.Shards = append(d.Shards, shard)
	}
	return &dynamodbstreams.DescribeStreamOutput{StreamDescription: d}, nil
}

func (s *shardsFake) GetShardIterator(_ context.Context, in *dynamodbstreams.GetShardIteratorInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error) {
	return &dynamodbstreams.GetShardIteratorOutput{ShardIterator: aws.String(*in.ShardId + " " + aws.ToString(in.SequenceNumber))}, nil
}

func (s *shardsFake) GetRecords(_ context.Context, in *dynamodbstreams.GetRecordsInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error) {
	shard, seq, _ := strings.Cut(*in.ShardIterator, " ")
	out := &dynamodbstreams.GetRecordsOutput{}
	after, full := -1, false
	fmt.Sscan(seq, &after)
	for _, n := range s.holds[shard] {
		if n <= after {
			continue
		}
		if full = len(out.Records) == int(*in.Limit); full {
			break
		}
		seq = fmt.Sprint(n)
		out.Records = append(out.Records, types.Record{EventID: aws.String(seq), Dynamodb: &types.StreamRecord{
			SequenceNumber: aws.String(seq), ApproximateCreationDateTime: aws.Time(time.Unix(1, 0)),
			Keys: map[string]types.AttributeValue{
				"pk": &types.AttributeValueMemberS{Value: shard}, "sk": &types.AttributeValueMemberS{Value: seq},
			},
		}})
	}
	if full || !s.closed[shard] {
		out.NextShardIterator = aws.String(shard + " " + seq)
	}
	return out, nil
}

// A shard is read only after the one it grew from, whatever the page size; a
// cursor goes on where it was, also when a shard was closed meanwhile.
func TestFeedShards(t *testing.T) {
	t.Parallel()
	for limit := 1; limit < 8; limit++ {
		s := &shardsFake{
			order:  []string{"old", "left", "right", "other"},
			parent: map[string]string{"old": "trimmed", "left": "old", "right": "old"},
			closed: map[string]bool{}, holds: map[string][]int{"old": {1, 2, 3}, "left": {4, 5}, "right": {6}, "other": {7}},
		}
		feed, cursor, got := NewFeed(s, "tab"), "", []string{}
		drain := func() {
			for {
				changes, next, err := feed.Changes(t.Context(), cursor, limit)
				if err != nil || len(changes) > limit {
					t.Fatal(changes, err)
				}
				cursor = next
				for _, c := range changes {
					got = append(got, c.ID)
				}
				if len(changes) == 0 {
					return
				}
			}
		}
		drain()
		if want := []string{"1", "2", "3", "7"}; !reflect.DeepEqual(got, want) {
			t.Fatalf("limit %d, the first shard open: %v, want %v", limit, got, want)
		}
		s.closed["old"] = true
		drain()
		drain()
		if want := []string{"1", "2", "3", "7", "4", "5", "6"}; !reflect.DeepEqual(got, want) {
			t.Errorf("limit %d, the first shard closed: %v, want %v", limit, got, want)
		}
	}
}
