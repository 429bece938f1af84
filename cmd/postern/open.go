package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/dynamo"
	"github.com/postern-dev/postern/shared/store/sqlite"
)

// where says which Postern a command looks into: the folder of a postern dev,
// which may be running, or the table of a deployment.
type where struct{ dir, table string }

func whereFlags(c *cobra.Command) *where {
	var w where
	c.Flags().StringVar(&w.dir, "dir", ".dev", "folder of a postern dev")
	c.Flags().StringVar(&w.table, "table", "", "name of a deployment's table, opened with your AWS credentials")
	c.MarkFlagsMutuallyExclusive("dir", "table")
	return &w
}

// place is an opened Postern.
type place struct {
	*store.Store
	dir   string // empty for a deployment's table
	aws   aws.Config
	close func() error
}

// open opens the table. A folder without one is not made: it is a mistake.
func (w *where) open(ctx context.Context) (*place, error) {
	if w.table != "" {
		cfg, err := config.LoadDefaultConfig(ctx)
		if err != nil {
			return nil, fmt.Errorf("AWS configuration: %w", err)
		}
		if cfg.Region == "" {
			return nil, errors.New("no AWS region is set; set AWS_REGION, or AWS_PROFILE to a profile that has one")
		}
		t := dynamo.New(dynamodb.NewFromConfig(cfg, dynamo.WithBufferedBodies), w.table)
		return &place{Store: store.New(t), aws: cfg, close: func() error { return nil }}, nil
	}
	file := filepath.Join(w.dir, "table.db")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no Postern in %s; start one with postern dev, or name a deployment with --table", w.dir)
	}
	db, err := sqlite.Open(file)
	if err != nil {
		return nil, err
	}
	return &place{Store: store.New(db), dir: w.dir, close: db.Close}, nil
}

// who is the caller, for the audit: of a deployment the AWS identity that its
// credentials prove, else the name of the account on this machine.
func (p *place) who(ctx context.Context) actor.Actor {
	if p.dir == "" {
		ctx, stop := context.WithTimeout(ctx, 5*time.Second)
		defer stop()
		id, err := sts.NewFromConfig(p.aws).GetCallerIdentity(ctx, nil)
		if err == nil {
			arn := aws.ToString(id.Arn)
			name := arn[strings.LastIndexByte(arn, ':')+1:]
			return actor.Actor{Provider: "aws", Workspace: aws.ToString(id.Account), ID: name, Name: name, Kind: actor.Human}
		}
	}
	name := "somebody"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return actor.Actor{Provider: "cli", ID: name, Name: name, Kind: actor.Human}
}

// at runs f on an opened Postern and closes it.
func (w *where) at(ctx context.Context, f func(*place) error) error {
	p, err := w.open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(f(p), p.close())
}

func now() time.Time { return time.Now().UTC() }
