package tablecount_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/postern-dev/postern/shared/store/dynamo"
	"github.com/postern-dev/postern/shared/store/table"
	"github.com/postern-dev/postern/shared/store/table/tablecount"
)

// asking is the SDK's client, asking the server for what it counts itself.
type asking struct {
	*dynamodb.Client
	told tablecount.Units
}

const indexes = types.ReturnConsumedCapacityIndexes

// hear adds what one request cost, all of it written or all of it read.
func (a *asking) hear(written bool, all ...types.ConsumedCapacity) {
	for _, c := range all {
		for _, i := range c.GlobalSecondaryIndexes {
			if written {
				a.told.Index += aws.ToFloat64(i.CapacityUnits)
			} else {
				a.told.Read += aws.ToFloat64(i.CapacityUnits)
			}
		}
		if c.Table != nil && written {
			a.told.Write += aws.ToFloat64(c.Table.CapacityUnits)
		} else if c.Table != nil {
			a.told.Read += aws.ToFloat64(c.Table.CapacityUnits)
		}
	}
}

func only(c *types.ConsumedCapacity) types.ConsumedCapacity {
	if c == nil {
		return types.ConsumedCapacity{}
	}
	return *c
}

func (a *asking) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	in.ReturnConsumedCapacity = indexes
	out, err := a.Client.GetItem(ctx, in, o...)
	if err == nil {
		a.hear(false, only(out.ConsumedCapacity))
	}
	return out, err
}

func (a *asking) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	in.ReturnConsumedCapacity = indexes
	out, err := a.Client.BatchGetItem(ctx, in, o...)
	if err == nil {
		a.hear(false, out.ConsumedCapacity...)
	}
	return out, err
}

func (a *asking) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	in.ReturnConsumedCapacity = indexes
	out, err := a.Client.Query(ctx, in, o...)
	if err == nil {
		a.hear(false, only(out.ConsumedCapacity))
	}
	return out, err
}

func (a *asking) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	in.ReturnConsumedCapacity = indexes
	out, err := a.Client.PutItem(ctx, in, o...)
	if err == nil {
		a.hear(true, only(out.ConsumedCapacity))
	}
	return out, err
}

func (a *asking) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	in.ReturnConsumedCapacity = indexes
	out, err := a.Client.UpdateItem(ctx, in, o...)
	if err == nil {
		a.hear(true, only(out.ConsumedCapacity))
	}
	return out, err
}

func (a *asking) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	in.ReturnConsumedCapacity = indexes
	out, err := a.Client.DeleteItem(ctx, in, o...)
	if err == nil {
		a.hear(true, only(out.ConsumedCapacity))
	}
	return out, err
}

func (a *asking) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	in.ReturnConsumedCapacity = indexes
	out, err := a.Client.TransactWriteItems(ctx, in, o...)
	if err == nil {
		a.hear(true, out.ConsumedCapacity...)
	}
	return out, err
}

// D9: our bill is the one that a DynamoDB counts itself, request by request.
// What a lost commit costs no DynamoDB says in its answer.
func TestD9_ServerCountsTheSame(t *testing.T) {
	t.Parallel()
	endpoint := os.Getenv("POSTERN_DYNAMO_ENDPOINT")
	if endpoint == "" {
		t.Skip("POSTERN_DYNAMO_ENDPOINT is not set: run under infra/tools/with-dynoxide.sh")
	}
	cfg, err := config.LoadDefaultConfig(t.Context(), config.WithBaseEndpoint(endpoint))
	if err != nil {
		t.Fatal(err)
	}
	db := dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) {
		o.HTTPClient = http.DefaultClient
		o.DisableValidateResponseChecksum = true // dynoxide sends 0 with its refusals
		dynamo.WithBufferedBodies(o)
	})
	name := fmt.Sprintf("postern-count-%d", os.Getpid())
	if err := dynamo.CreateTable(t.Context(), db, name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := db.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &name}); err != nil {
			t.Error(err)
		}
	})
	server := &asking{Client: db}
	// Reading the rows before a commit is the counter's own business: it reads
	// by another client.
	c := tablecount.New(split{Table: dynamo.New(server, name), reads: dynamo.New(db, name)}, nil)
	compare := func(what string, do func() error) {
		t.Helper()
		c.Reset()
		server.told = tablecount.Units{}
		if err := do(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if got := c.Count().Sum(nil); got != server.told {
			t.Errorf("%s: counted %+v, the server %+v", what, got, server.told)
		}
	}
	for i, s := range steps {
		if !s.lost {
			compare(s.name, func() error {
				_, err := c.Commit(t.Context(), table.Tx{Token: fmt.Sprintf("count-%d-%d", os.Getpid(), i), Actions: s.actions})
				return err
			})
		}
	}
	reads := dynamo.New(server, name)
	direct := tablecount.New(reads, nil)
	c = direct
	compare("get", func() error { _, err := direct.Get(t.Context(), k("u")); return err })
	compare("get none", func() error { _, err := direct.Get(t.Context(), k("none")); return err })
	compare("get many", func() error {
		_, err := direct.GetMany(t.Context(), []table.Key{k("t"), k("u"), k("none")})
		return err
	})
	compare("query", func() error { _, err := direct.Query(t.Context(), table.Query{PK: "p"}); return err })
	compare("query none", func() error { _, err := direct.Query(t.Context(), table.Query{PK: "q"}); return err })
	compare("index", func() error {
		_, err := direct.Query(t.Context(), table.Query{Index: table.Open, PK: "at"})
		return err
	})
}

// split reads many rows by one client and does all else by another.
type split struct {
	table.Table
	reads table.Table
}

func (s split) GetMany(ctx context.Context, keys []table.Key) ([]table.Item, error) {
	return s.reads.GetMany(ctx, keys)
}
