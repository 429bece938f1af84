package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/oklog/ulid/v2"

	"github.com/postern-dev/postern/infra/policy"
	domain "github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/dynamo"
)

// where is a deployment, as infra writes it down.
type where struct {
	Kind     string            `json:"kind"`
	API      string            `json:"api"`
	Host     string            `json:"host"`
	Outputs  map[string]string `json:"outputs"`
	StandIns map[string]string `json:"stand_ins"`
}

// deployed finds a deployment, plays the platforms for it and saves the
// development policy where there is none. When a message was judged is what its
// row says.
func deployed(ctx context.Context, file string) (*target, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var at where
	if err := json.Unmarshal(raw, &at); err != nil || at.API == "" || at.Outputs["TableName"] == "" {
		return nil, fmt.Errorf("%s names no api or no output TableName: %w", file, err)
	}
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("AWS credentials: %w", err)
	}
	s := store.New(dynamo.New(dynamodb.NewFromConfig(cfg, dynamo.WithBufferedBodies), at.Outputs["TableName"]))
	if err := rules(ctx, s); err != nil {
		return nil, err
	}
	t, err := newTarget()
	if err != nil {
		return nil, err
	}
	t.name, t.made, t.url, t.host, t.look = "functions on "+at.Kind, "make load", at.API, at.Host, 250*time.Millisecond
	t.judged = func(ctx context.Context, id string) (time.Time, bool, error) {
		j, err := s.Judged(ctx, id)
		if err != nil || j == nil {
			return time.Time{}, false, err
		}
		return j.At, true, nil
	}
	t.close, err = play(at.StandIns)
	return t, err
}

// rules saves the development policy where the deployment has none.
func rules(ctx context.Context, s *store.Store) error {
	now, err := s.Policy(ctx)
	if err != nil || now.Version > 0 {
		return err
	}
	p, err := domain.Parse("dev.yaml", policy.Dev)
	if err != nil {
		return err
	}
	actions, err := store.SavePolicy(0, p, string(policy.Dev), "postern:load", time.Now())
	if err != nil {
		return err
	}
	_, err = s.Do(ctx, ulid.Make().String(), actions...)
	return err
}

// play serves the platforms at the addresses that the deployment calls.
func play(addresses map[string]string) (func(), error) {
	world := local.NewWorld(func() time.Time { return time.Now().UTC() })
	var servers []*http.Server
	stop := func() {
		for _, s := range servers {
			_ = s.Close()
		}
	}
	for name, h := range map[string]http.Handler{"slack": world.Slack, "feishu": world.Feishu, "github": world.GitHub} {
		l, err := net.Listen("tcp", addresses[name])
		if err != nil {
			stop()
			return nil, fmt.Errorf("play %s: %w", name, err)
		}
		s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
		servers = append(servers, s)
		go func() { _ = s.Serve(l) }()
	}
	return stop, nil
}
