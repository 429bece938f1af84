package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/oklog/ulid/v2"

	domain "github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/flow/panel"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/dynamo"
)

// door is how the driver gets in: by the caller's AWS credentials on the
// deployment's own table, as postern login does (U8), or by a key it was given.
type door struct {
	key   string
	store *store.Store
}

func openDoor(ctx context.Context, table, key string) (*door, error) {
	if table == "" {
		return &door{key: key}, nil
	}
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("AWS credentials: %w", err)
	}
	d := &door{store: store.New(dynamo.New(dynamodb.NewFromConfig(cfg, dynamo.WithBufferedBodies), table))}
	return d, d.policy(ctx)
}

// policy saves the played world's policy where the deployment has none yet.
func (d *door) policy(ctx context.Context) error {
	now, err := d.store.Policy(ctx)
	if err != nil || now.Version > 0 {
		return err
	}
	p, err := domain.Parse("policy.yaml", rules)
	if err != nil {
		return err
	}
	actions, err := store.SavePolicy(0, p, string(rules), "postern:e2e", time.Now())
	if err != nil {
		return err
	}
	_, err = d.store.Do(ctx, ulid.Make().String(), actions...)
	return err
}

// hasty reports whether the policy in force has the queue that expires soon.
func hasty(ctx context.Context, s *store.Store) (bool, error) {
	p, err := s.Policy(ctx)
	return err == nil && slices.ContainsFunc(p.Queues, func(q domain.Queue) bool { return q.Name == "hasty" }), err
}

// login gives a one-time sign-in link's key.
func (d *door) login(ctx context.Context) (string, error) {
	if d.store == nil {
		if d.key == "" {
			return "", errors.New("neither --table nor --login-key: nobody can sign in")
		}
		return d.key, nil
	}
	key := rand.Text()
	_, err := d.store.Do(ctx, ulid.Make().String(),
		store.NewLogin(panel.NewLogin(key, "panel:owner", "Owner", panel.Owner, time.Now().Add(10*time.Minute))))
	return key, err
}
