package dynamo

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/postern-dev/postern/shared/store/table"
)

// Expressions are built in one order of names: a transaction that is repeated
// must be the same request to the letter, or DynamoDB refuses its token.

// conditions joins all conditions by AND.
func conditions(conds []table.Cond) (expression.ConditionBuilder, bool) {
	var all expression.ConditionBuilder
	for _, c := range conds {
		all = and(all, condition(c))
	}
	return all, all.IsSet()
}

func and(a, b expression.ConditionBuilder) expression.ConditionBuilder {
	if !a.IsSet() {
		return b
	}
	return a.And(b)
}

func condition(c table.Cond) expression.ConditionBuilder {
	attr := c.Attr
	if attr == "" {
		attr = table.AttrPK // every row has one
	}
	name, value := expression.NameNoDotSplit(attr), expression.Value(toValue(c.Value))
	switch c.Op {
	case table.OpAbsent:
		return name.AttributeNotExists()
	case table.OpPresent:
		return name.AttributeExists()
	case table.OpBefore:
		return name.LessThan(value)
	case table.OpAfter:
		return name.GreaterThan(value)
	}
	return name.Equal(value)
}

// notYet holds on a row that this commit has not written yet.
func notYet(token string) expression.ConditionBuilder {
	name := expression.Name(table.AttrTx)
	return name.AttributeNotExists().Or(name.NotEqual(expression.Value(toValue(table.Str(token)))))
}

func update(a table.Action) expression.UpdateBuilder {
	var u expression.UpdateBuilder
	for _, name := range slices.Sorted(maps.Keys(a.Set)) {
		u = u.Set(expression.NameNoDotSplit(name), expression.Value(toValue(a.Set[name])))
	}
	for _, name := range slices.Sorted(maps.Keys(a.Add)) {
		u = u.Add(expression.NameNoDotSplit(name), expression.Value(toValue(table.Int(a.Add[name]))))
	}
	for _, name := range slices.Sorted(slices.Values(a.Remove)) {
		u = u.Remove(expression.NameNoDotSplit(name))
	}
	return u
}

// build makes the expression of one action: its update, if it is one, and its
// conditions, if there are any.
func build(a table.Action, conds expression.ConditionBuilder) (expression.Expression, error) {
	b := expression.NewBuilder()
	if a.Verb != table.Update && !conds.IsSet() {
		return expression.Expression{}, nil
	}
	if a.Verb == table.Update {
		b = b.WithUpdate(update(a))
	}
	if conds.IsSet() {
		b = b.WithCondition(conds)
	}
	return b.Build()
}
