package stack

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamotypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager/types"
)

// Prices a month in us-east-1, in dollars, as AWS listed them when this was
// written. Other regions differ by a few hundredths.
const (
	perSecret       = 0.40
	perGB           = 0.25 // of a table
	perGBRecovering = 0.20 // its point-in-time recovery, beside
)

// Tag marks the secrets that belong to a stack; its value is the stack's name.
const Tag = "postern:stack"

// Left is something that outlives a stack.
type Left struct {
	What   string  `json:"what"` // table, secret
	Name   string  `json:"name"`
	Holds  string  `json:"holds"`
	Month  float64 `json:"month"` // dollars
	Remove string  `json:"remove"`
}

// LeftOf lists what stays when a stack is deleted, or has stayed: the table
// (D7), which nothing here deletes, the secrets that setup made, and SAM CLI's
// bucket. Of a stack
// that is gone nobody can say the table's name; then those count that
// CloudFormation named after the stack.
func LeftOf(ctx context.Context, cfg aws.Config, name, table string) (all []Left, err error) {
	db, tables := dynamodb.NewFromConfig(cfg), []string{table}
	if table == "" {
		if tables, err = tablesOf(ctx, db, name); err != nil {
			return nil, err
		}
	}
	for _, t := range tables {
		l, err := measure(ctx, db, t)
		if err != nil {
			return nil, err
		}
		if l != nil {
			all = append(all, *l)
		}
	}
	secrets, err := secretsOf(ctx, cfg, name)
	for _, x := range secrets {
		all = append(all, Left{What: "secret", Name: x, Holds: "a connector's keys", Month: perSecret, Remove: "postern uninstall --stack " + name + " --yes --secrets"})
	}
	if err != nil {
		return nil, err
	}
	return packages(ctx, all)
}

// samStack is the stack with the bucket that SAM CLI keeps packages in, for
// all that is deployed with it in a region.
const samStack = "aws-sam-cli-managed-default"

// packages adds SAM CLI's bucket, if there is one.
func packages(ctx context.Context, all []Left) ([]Left, error) {
	s, err := Open(ctx, samStack)
	if errors.Is(err, ErrNone) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	return append(all, Left{What: "bucket", Name: or(s.Outputs["SourceBucket"], samStack), Month: 0.01,
		Holds:  "the packages of what SAM deployed here, other stacks' too; about 30 MB a deployment",
		Remove: "sam delete --stack-name " + samStack + ", if nothing else was deployed with SAM"}), nil
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// tablesOf finds the tables that a stack of this name made.
func tablesOf(ctx context.Context, db *dynamodb.Client, name string) (found []string, err error) {
	pages := dynamodb.NewListTablesPaginator(db, &dynamodb.ListTablesInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("list tables: %w", err)
		}
		for _, t := range page.TableNames {
			if strings.HasPrefix(t, name+"-Table-") {
				found = append(found, t)
			}
		}
	}
	return found, nil
}

// measure says what a table holds and costs; nil if it is gone.
func measure(ctx context.Context, db *dynamodb.Client, name string) (*Left, error) {
	out, err := db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(name)})
	var gone *dynamotypes.ResourceNotFoundException
	if errors.As(err, &gone) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", name, err)
	}
	t := out.Table
	bytes := aws.ToInt64(t.TableSizeBytes)
	for _, i := range t.GlobalSecondaryIndexes {
		bytes += aws.ToInt64(i.IndexSizeBytes)
	}
	gb, each := float64(bytes)/(1<<30), perGB
	back, err := db.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: aws.String(name)})
	if err == nil && back.ContinuousBackupsDescription != nil {
		if p := back.ContinuousBackupsDescription.PointInTimeRecoveryDescription; p != nil && p.PointInTimeRecoveryStatus == dynamotypes.PointInTimeRecoveryStatusEnabled {
			each += perGBRecovering
		}
	}
	return &Left{What: "table", Name: name, Month: cents(gb * each),
		Holds:  fmt.Sprintf("about %d rows, %.1f MB, with everything that was decided", aws.ToInt64(t.ItemCount), float64(bytes)/(1<<20)),
		Remove: "aws dynamodb delete-table --table-name " + name}, nil
}

// cents rounds up: what costs something does not cost nothing.
func cents(dollars float64) float64 { return math.Ceil(dollars*100) / 100 }

// secretsOf finds the secrets that setup made for a stack and that are not
// deleted yet.
func secretsOf(ctx context.Context, cfg aws.Config, name string) (names []string, err error) {
	pages := secretsmanager.NewListSecretsPaginator(secretsmanager.NewFromConfig(cfg), &secretsmanager.ListSecretsInput{
		Filters: []types.Filter{{Key: types.FilterNameStringTypeName, Values: []string{name + "/"}}}})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("list secrets: %w", err)
		}
		for _, x := range page.SecretList {
			for _, tag := range x.Tags {
				if aws.ToString(tag.Key) == Tag && aws.ToString(tag.Value) == name && x.DeletedDate == nil {
					names = append(names, aws.ToString(x.Name))
				}
			}
		}
	}
	return names, nil
}

// SecretsRest is how long a deleted secret can still be restored.
const SecretsRest = 7 * 24 * time.Hour

// DeleteSecrets deletes the secrets that setup made for a stack. They can be
// restored for SecretsRest, and cost nothing meanwhile.
func DeleteSecrets(ctx context.Context, cfg aws.Config, name string) (deleted []string, err error) {
	found, err := secretsOf(ctx, cfg, name)
	if err != nil {
		return nil, err
	}
	client := secretsmanager.NewFromConfig(cfg)
	for _, x := range found {
		if _, err := client.DeleteSecret(ctx, &secretsmanager.DeleteSecretInput{SecretId: aws.String(x), RecoveryWindowInDays: aws.Int64(7)}); err != nil {
			return deleted, fmt.Errorf("secret %s: delete: %w", x, err)
		}
		deleted = append(deleted, x)
	}
	return deleted, nil
}
