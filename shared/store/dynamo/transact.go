package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/postern-dev/postern/shared/store/table"
)

// transact writes all actions in one transaction under the commit's token.
func (t *Table) transact(ctx context.Context, tx table.Tx) (table.Result, error) {
	in := &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: aws.String(tx.Token),
		TransactItems:      make([]types.TransactWriteItem, len(tx.Actions)),
	}
	for i, a := range tx.Actions {
		var err error
		if in.TransactItems[i], err = t.part(a); err != nil {
			return table.Result{}, fmt.Errorf("row %v: %w", a.Key, err)
		}
	}
	var result table.Result
	err := t.again(ctx, func() error {
		_, err := t.api.TransactWriteItems(ctx, in, t.options)
		var cancelled *types.TransactionCanceledException
		if errors.As(err, &cancelled) {
			result, err = judge(tx, cancelled)
		}
		return err
	})
	if err != nil {
		return table.Result{}, err
	}
	return result, nil
}

func (t *Table) part(a table.Action) (types.TransactWriteItem, error) {
	conds, _ := conditions(a.If)
	expr, err := build(a, conds)
	if err != nil {
		return types.TransactWriteItem{}, err
	}
	switch a.Verb {
	case table.Put:
		return types.TransactWriteItem{Put: &types.Put{
			TableName: t.name, Item: toItem(a.Item),
			ConditionExpression:       expr.Condition(),
			ExpressionAttributeNames:  expr.Names(),
			ExpressionAttributeValues: expr.Values(),

			ReturnValuesOnConditionCheckFailure: allOld,
		}}, nil
	case table.Update:
		return types.TransactWriteItem{Update: &types.Update{
			TableName: t.name, Key: toKey(a.Key),
			UpdateExpression:          expr.Update(),
			ConditionExpression:       expr.Condition(),
			ExpressionAttributeNames:  expr.Names(),
			ExpressionAttributeValues: expr.Values(),

			ReturnValuesOnConditionCheckFailure: allOld,
		}}, nil
	case table.Delete:
		return types.TransactWriteItem{Delete: &types.Delete{
			TableName: t.name, Key: toKey(a.Key),
			ConditionExpression:       expr.Condition(),
			ExpressionAttributeNames:  expr.Names(),
			ExpressionAttributeValues: expr.Values(),

			ReturnValuesOnConditionCheckFailure: allOld,
		}}, nil
	}
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: t.name, Key: toKey(a.Key),
		ConditionExpression:       expr.Condition(),
		ExpressionAttributeNames:  expr.Names(),
		ExpressionAttributeValues: expr.Values(),

		ReturnValuesOnConditionCheckFailure: allOld,
	}}, nil
}

// judge reads why a transaction was cancelled. A row that carries the
// commit's own token proves that it was written before, whatever else is
// said: a success. A reason that passes (a conflict, throttling) beside a
// failed condition hides one of the rows, so the whole is tried again before
// anything is called lost. Only failed conditions are a lost race.
func judge(tx table.Tx, cancelled *types.TransactionCanceledException) (table.Result, error) {
	if len(cancelled.CancellationReasons) != len(tx.Actions) {
		return table.Result{}, fmt.Errorf("%d reasons for %d actions: %w", len(cancelled.CancellationReasons), len(tx.Actions), cancelled)
	}
	var lost []table.Loss
	var passing, malformed error
	for i, reason := range cancelled.CancellationReasons {
		a := tx.Actions[i]
		switch code := aws.ToString(reason.Code); code {
		case "", "None":
		case "ConditionalCheckFailed":
			item, err := fromItem(reason.Item)
			if err != nil {
				return table.Result{}, err
			}
			if own, err := table.WroteBy(tx.Token, a, item); own || err != nil {
				return table.Result{}, err
			}
			lost = append(lost, table.Loss{Action: i, Item: item})
		case "ValidationError", "ItemCollectionSizeLimitExceeded":
			malformed = fmt.Errorf("row %v: %s: %w", a.Key, aws.ToString(reason.Message), table.ErrInvalid)
		default: // TransactionConflict, ThrottlingError, ProvisionedThroughputExceeded, and what may yet come
			passing = fmt.Errorf("row %v: %s: %w", a.Key, code, errTransient)
		}
	}
	switch {
	case malformed != nil:
		return table.Result{}, malformed
	case passing != nil:
		return table.Result{}, passing
	case len(lost) == 0:
		return table.Result{}, fmt.Errorf("cancelled without a reason: %w", cancelled)
	}
	return table.Result{Lost: lost}, nil
}
