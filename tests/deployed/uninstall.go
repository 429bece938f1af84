package main

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

type uninstalled struct {
	Parts   int
	Deleted bool
	Secrets []string `json:"secrets_deleted"`
	Left    []struct {
		What, Name string
		Month      float64
	}
	Month float64
}

func (u uninstalled) count(what string) (n int) {
	for _, l := range u.Left {
		if l.What == what {
			n++
		}
	}
	return n
}

// look uninstalls without --yes: nothing is deleted.
func (t *trial) look() (string, error) {
	var u uninstalled
	if err := t.ours(0, &u, "uninstall", "--stack", t.stack); err != nil {
		return "", err
	}
	if u.Deleted || u.Parts < 50 || u.count("table") != 1 || u.count("secret") != 3 || u.count("bucket") != 1 || u.Month < 1.2 {
		return "", fmt.Errorf("%+v", u)
	}
	if _, err := t.outputs(); err != nil {
		return "", fmt.Errorf("the stack is gone: %w", err)
	}
	return fmt.Sprintf("%d parts would go; one table and three secrets would stay, about $%.2f a month; nothing was deleted", u.Parts, u.Month), nil
}

// uninstall deletes the stack, then the secrets. The table is there after all
// of it.
func (t *trial) uninstall() (string, error) {
	table, err := t.output("TableName")
	if err != nil {
		return "", err
	}
	var u uninstalled
	if err := t.ours(0, &u, "uninstall", "--stack", t.stack, "--yes"); err != nil {
		return "", err
	}
	if !u.Deleted || u.count("table") != 1 || u.count("secret") != 3 {
		return "", fmt.Errorf("%+v", u)
	}
	if _, err := t.outputs(); err == nil {
		return "", fmt.Errorf("the stack is still there")
	}
	u = uninstalled{}
	if err := t.ours(0, &u, "uninstall", "--stack", t.stack, "--yes", "--secrets"); err != nil {
		return "", err
	}
	if len(u.Secrets) != 3 || u.count("secret") != 0 || u.count("table") != 1 {
		return "", fmt.Errorf("%+v", u)
	}
	cfg, err := t.aws()
	if err != nil {
		return "", err
	}
	if _, err := dynamodb.NewFromConfig(cfg).DescribeTable(t.ctx, &dynamodb.DescribeTableInput{TableName: aws.String(table)}); err != nil {
		return "", fmt.Errorf("the table is gone: %w", err)
	}
	return "the stack is gone, then its secrets; the table is there", nil
}
