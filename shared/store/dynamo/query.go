package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/postern-dev/postern/shared/store/table"
)

// Query implements table.Table. A page that is full to the limit may have a
// Next although nothing follows; the page after it is then empty.
func (t *Table) Query(ctx context.Context, q table.Query) (table.Page, error) {
	q, start, err := table.PrepareQuery(q)
	if err != nil {
		return table.Page{}, err
	}
	if q.Empty() {
		return table.Page{}, nil
	}
	in, err := t.queryInput(q, start)
	if err != nil {
		return table.Page{}, fmt.Errorf("query: %w", err)
	}
	var page table.Page
	for { // DynamoDB ends an answer after 1 MB: ask until the page is full
		in.Limit = aws.Int32(int32(q.Limit - len(page.Items)))
		var out *dynamodb.QueryOutput
		err := t.again(ctx, func() (err error) {
			out, err = t.api.Query(ctx, in, t.options)
			return err
		})
		if err != nil {
			return table.Page{}, fmt.Errorf("query %q: %w", q.PK, err)
		}
		for _, row := range out.Items {
			item, err := fromItem(row)
			if err != nil {
				return table.Page{}, fmt.Errorf("query %q: %w", q.PK, err)
			}
			page.Items = append(page.Items, item)
		}
		if len(out.LastEvaluatedKey) == 0 {
			return page, nil
		}
		if len(page.Items) >= q.Limit {
			last, err := fromItem(out.LastEvaluatedKey)
			if err != nil {
				return table.Page{}, fmt.Errorf("query %q: %w", q.PK, err)
			}
			page.Next = table.NextCursor(q, last)
			return page, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

func (t *Table) queryInput(q table.Query, start *table.Start) (*dynamodb.QueryInput, error) {
	pk, sk := q.Index.Attrs()
	cond := expression.Key(pk).Equal(expression.Value(toValue(table.Str(q.PK))))
	sort := expression.Key(sk)
	from, to := expression.Value(toValue(table.Str(q.From))), expression.Value(toValue(table.Str(q.To)))
	switch {
	case q.Prefix != "":
		cond = cond.And(sort.BeginsWith(q.Prefix))
	case q.From != "" && q.To != "":
		cond = cond.And(sort.Between(from, to))
	case q.From != "":
		cond = cond.And(sort.GreaterThanEqual(from))
	case q.To != "":
		cond = cond.And(sort.LessThanEqual(to))
	}
	expr, err := expression.NewBuilder().WithKeyCondition(cond).Build()
	if err != nil {
		return nil, err
	}
	in := &dynamodb.QueryInput{
		TableName:                 t.name,
		KeyConditionExpression:    expr.KeyCondition(),
		ExpressionAttributeNames:  expr.Names(),
		ExpressionAttributeValues: expr.Values(),
		ScanIndexForward:          aws.Bool(!q.Newest),
	}
	if q.Index == table.Primary {
		in.ConsistentRead = aws.Bool(true)
	} else {
		in.IndexName = aws.String(string(q.Index))
	}
	if start != nil {
		in.ExclusiveStartKey = toKey(start.Key)
		in.ExclusiveStartKey[pk] = &types.AttributeValueMemberS{Value: q.PK}
		in.ExclusiveStartKey[sk] = &types.AttributeValueMemberS{Value: start.Sort}
	}
	return in, nil
}
