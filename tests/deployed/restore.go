package main

import (
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/oklog/ulid/v2"

	"github.com/postern-dev/postern/shared/domain/wake"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/dynamo"
	"github.com/postern-dev/postern/shared/store/table"
)

// earlier is the table that a point-in-time restore would have made; ministack
// makes none.
const earlier = "trial-earlier"

// restore brings the table back to what an earlier one holds: what was written
// since is gone, and what should have happened meanwhile happens: a wake past
// due fires, a ring that nobody moved is moved.
func (t *trial) restore() (string, error) {
	name, err := t.output("TableName")
	if err != nil {
		return "", err
	}
	cfg, err := t.aws()
	if err != nil {
		return "", err
	}
	db := dynamodb.NewFromConfig(cfg, dynamo.WithBufferedBodies)
	if err := t.snapshot(db, name); err != nil {
		return "", err
	}
	then, now := store.New(dynamo.New(db, earlier)), store.New(dynamo.New(db, name))
	hour := time.Now().UTC().Add(-time.Hour)
	due := wake.Wake{ID: "w", Session: "restored", State: wake.Pending, At: hour, Created: hour}
	ring := store.Outbox{ID: ulid.Make().String(), Bells: []store.Bell{{Ring: store.RingWake, Session: "restored", Wake: "none", At: hour}}, Created: hour}
	for _, x := range []struct {
		s *store.Store
		a table.Action
	}{{then, store.NewWake(due)}, {then, store.NewOutbox(ring)},
		{now, store.NewWake(wake.Wake{ID: "later", Session: "restored", State: wake.Pending, At: time.Now().Add(time.Hour).UTC(), Created: hour})}} {
		if lost, err := x.s.Do(t.ctx, ulid.Make().String(), x.a); err != nil || lost != nil {
			return "", fmt.Errorf("%v, %w", lost, err)
		}
	}
	if _, errs, code, err := t.command(nil, "infra/restore/run.sh", t.stack, "--from", earlier); err != nil || code != 1 {
		return "", fmt.Errorf("without --yes: code %d, %w: %s", code, err, errs)
	}
	out, errs, code, err := t.command(nil, "infra/restore/run.sh", t.stack, "--from", earlier, "--yes")
	if err != nil || code != 0 {
		return "", fmt.Errorf("code %d, %w\n%s%s", code, err, out, errs)
	}
	if w, err := now.Wake(t.ctx, "restored", "later"); err != nil || w != nil {
		return "", fmt.Errorf("what was written since is still there: %+v, %w", w, err)
	}
	// Both are found by themselves: the wake's session is gone, so it ends.
	until := time.Now().Add(150 * time.Second)
	for time.Now().Before(until) {
		w, err := now.Wake(t.ctx, "restored", "w")
		if err != nil || w == nil {
			return "", fmt.Errorf("the wake did not come back: %+v, %w", w, err)
		}
		stuck, err := now.StuckOutbox(t.ctx, time.Now().UTC(), 10)
		if err != nil {
			return "", err
		}
		if w.State != wake.Pending && len(stuck) == 0 {
			p, err := now.Policy(t.ctx)
			return fmt.Sprintf("rows as they were, policy version %d; the wake past due was found and the open ring moved", p.Version), err
		}
		select {
		case <-time.After(time.Second):
		case <-t.ctx.Done():
			return "", t.ctx.Err()
		}
	}
	return "", fmt.Errorf("150 seconds later the wake past due is still pending, or the ring still open")
}

// snapshot makes a table of the same keys with the same rows.
func (t *trial) snapshot(db *dynamodb.Client, name string) error {
	key := func(a string, k types.KeyType) types.KeySchemaElement {
		return types.KeySchemaElement{AttributeName: aws.String(a), KeyType: k}
	}
	attribute := func(a string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: aws.String(a), AttributeType: types.ScalarAttributeTypeS}
	}
	_, err := db.CreateTable(t.ctx, &dynamodb.CreateTableInput{TableName: aws.String(earlier), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{attribute("pk"), attribute("sk")},
		KeySchema:            []types.KeySchemaElement{key("pk", types.KeyTypeHash), key("sk", types.KeyTypeRange)}})
	if err != nil {
		return err
	}
	pages := dynamodb.NewScanPaginator(db, &dynamodb.ScanInput{TableName: aws.String(name), ConsistentRead: aws.Bool(true)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.ctx)
		if err != nil {
			return err
		}
		for _, row := range page.Items {
			if _, err := db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: aws.String(earlier), Item: row}); err != nil {
				return err
			}
		}
	}
	return nil
}
