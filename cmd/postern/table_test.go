package main

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/postern-dev/postern/shared/store/dynamo"
)

// TestDeployedTable: the commands that look into a deployment, on a table
// behind DynamoDB's own protocol.
func TestDeployedTable(t *testing.T) {
	endpoint := os.Getenv("POSTERN_DYNAMO_ENDPOINT")
	if endpoint == "" {
		t.Skip("POSTERN_DYNAMO_ENDPOINT is not set: run under infra/tools/with-dynoxide.sh")
	}
	for k, v := range map[string]string{"AWS_ENDPOINT_URL": endpoint, "AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
		"AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_EC2_METADATA_DISABLED": "true"} {
		t.Setenv(k, v)
	}
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	table := "cli-" + strings.ToLower(newID())
	if err := dynamo.CreateTable(context.Background(), dynamodb.NewFromConfig(cfg), table); err != nil {
		t.Fatal(err)
	}
	if v := read[version](t, "policy", "show", "--table", table); v.Version != 0 {
		t.Fatalf("%+v", v)
	}
	if out := works(t, "policy", "apply", "../../infra/policy/dev.yaml", "--yes", "--table", table); !strings.Contains(out, "version 1") {
		t.Fatal(out)
	}
	if h := read[health](t, "status", "--table", table); h.Policy != 1 || h.Queues != nil {
		t.Fatalf("%+v", h)
	}
	k := read[madeKey](t, "keys", "create", "ci", "--table", table)
	if out := works(t, "keys", "list", "--table", table); !strings.Contains(out, k.ID) {
		t.Fatal(out)
	}
	if out := works(t, "login", "--table", table, "--url", "https://postern.example.com"); !strings.Contains(out, "https://postern.example.com/login?key=") {
		t.Fatal(out)
	}
	works(t, "pause", "all", "--table", table)
	works(t, "wake", "--due", "--table", table)
	works(t, "sessions", "--table", table)
	fails(t, 1, "ResourceNotFound", "sessions", "--table", "no-such-table")
}
