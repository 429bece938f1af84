package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/postern-dev/postern/shared/store/table"
)

// single does one plain write. Beside its own conditions, a Put or an Update
// has one more: that the row does not carry its token yet. So a repeated write
// changes nothing and meets its own row, which makes it a success.
func (t *Table) single(ctx context.Context, token string, a table.Action) (table.Result, error) {
	conds, _ := conditions(a.If)
	if a.Verb != table.Delete && !slices.ContainsFunc(a.If, isAbsent) {
		conds = and(conds, notYet(token))
	}
	expr, err := build(a, conds)
	if err != nil {
		return table.Result{}, fmt.Errorf("row %v: %w", a.Key, err)
	}
	err = t.again(ctx, func() error { return t.write(ctx, a, expr) })
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) {
		if err != nil {
			err = fmt.Errorf("row %v: %w", a.Key, err)
		}
		return table.Result{}, err
	}
	item, err := fromItem(failed.Item)
	if err != nil {
		return table.Result{}, err
	}
	own, err := table.WroteBy(token, a, item)
	if own || err != nil {
		return table.Result{}, err
	}
	return table.Result{Lost: []table.Loss{{Item: item}}}, nil
}

// isAbsent finds the condition that already says more than notYet.
func isAbsent(c table.Cond) bool { return c.Op == table.OpAbsent && c.Attr == "" }

const allOld = types.ReturnValuesOnConditionCheckFailureAllOld

func (t *Table) write(ctx context.Context, a table.Action, expr expression.Expression) (err error) {
	switch a.Verb {
	case table.Put:
		_, err = t.api.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: t.name, Item: toItem(a.Item),
			ConditionExpression:       expr.Condition(),
			ExpressionAttributeNames:  expr.Names(),
			ExpressionAttributeValues: expr.Values(),

			ReturnValuesOnConditionCheckFailure: allOld,
		}, t.options)
	case table.Update:
		_, err = t.api.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: t.name, Key: toKey(a.Key),
			UpdateExpression:          expr.Update(),
			ConditionExpression:       expr.Condition(),
			ExpressionAttributeNames:  expr.Names(),
			ExpressionAttributeValues: expr.Values(),

			ReturnValuesOnConditionCheckFailure: allOld,
		}, t.options)
	default: // a Delete without a condition: the others are transactions
		_, err = t.api.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: t.name, Key: toKey(a.Key)}, t.options)
	}
	return err
}
