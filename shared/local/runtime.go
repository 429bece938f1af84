package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"time"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/edge/feishu"
	"github.com/postern-dev/postern/shared/edge/github"
	"github.com/postern-dev/postern/shared/edge/slack"
	"github.com/postern-dev/postern/shared/flow/api"
	"github.com/postern-dev/postern/shared/flow/deliver"
	"github.com/postern-dev/postern/shared/flow/dispatch"
	"github.com/postern-dev/postern/shared/flow/gate"
	"github.com/postern-dev/postern/shared/flow/panel"
	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/flow/turn"
	"github.com/postern-dev/postern/shared/flow/wake"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/local/queue"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/sqlite"
	"github.com/postern-dev/postern/shared/store/table"
)

// Config is what one embedded deployment is made of.
type Config struct {
	Dir   string // where its files lie; empty: in memory, gone at the end
	Clock clock.Clock
	Log   *slog.Logger

	// Secrets of the configured connectors; nil means not configured (G52).
	Slack  *slack.Secrets
	Feishu *feishu.Secrets
	GitHub *github.Secrets
	// Addresses of the platforms' APIs.
	SlackAPI, FeishuAPI, GitHubAPI string

	LinkKey   []byte // signs cards' buttons
	PublicURL string // of the panel, without a slash at its end
	Model     func(name string) (turn.Model, string, error)
	ModelName string        // of sessions whose Source names none
	Policy    policy.Policy // saved as version 1 where none is stored
	Source    string        // the policy.yaml it was read from
	// Reconcile is how often the reconciler runs.
	Reconcile time.Duration
	// Wrap lets a test or a count stand between the handlers and the table.
	Wrap func(table.Table) table.Table
	// StandIns is the address of the stand-ins' page, if there are any.
	StandIns string
	// Private lets web_fetch read loopback addresses, for tests.
	Private bool
}

// Runtime is one embedded deployment.
type Runtime struct {
	Config
	Store *store.Store
	DB    *sqlite.DB
	Queue *queue.Engine

	Gate     *gate.Gate
	Turns    *turn.Engine
	Waker    *wake.Waker
	Resolver *resolve.Resolver
	Deliver  *deliver.Deliverer
	Dispatch *dispatch.Dispatcher
	API      *api.Gate
	Panel    *panel.Panel // its sign-in guards what stands beside it
	Handler  http.Handler // all HTTP entrances

	changed chan struct{} // something was committed
}

// Open opens or makes the deployment's files and wires everything. A
// configured connector with a missing secret is an error (Q8).
func Open(cfg Config) (*Runtime, error) {
	if cfg.Reconcile == 0 {
		cfg.Reconcile = 5 * time.Minute
	}
	r := &Runtime{Config: cfg, changed: make(chan struct{}, 1)}
	rows, rings := ":memory:", queue.Memory
	if cfg.Dir != "" {
		rows, rings = filepath.Join(cfg.Dir, "table.db"), filepath.Join(cfg.Dir, "queues.db")
	}
	var err error
	if r.DB, err = sqlite.Open(rows, sqlite.OnCommit(r.ring), sqlite.WithClock(cfg.Clock.Now)); err != nil {
		return nil, fmt.Errorf("open the table: %w", err)
	}
	if r.Queue, err = queue.Open(rings, cfg.Clock, queue.Options{Log: cfg.Log, Settings: settings()}); err != nil {
		return nil, errors.Join(fmt.Errorf("open the queues: %w", err), r.DB.Close())
	}
	if err := r.wire(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, r.seed(context.Background())
}

// settings are the deployed queues', but that a delivery is tried again only
// after a claim of a killed process has run out: its message comes back at the
// next start here, and after its visibility on AWS.
func settings() map[string]queue.Setting {
	s := queue.Defaults()
	out := s[doorbell.Outbound]
	out.Retry = deliver.SendTime/2 + time.Second
	return map[string]queue.Setting{doorbell.Outbound: out}
}

// seed saves the policy where none is stored yet.
func (r *Runtime) seed(ctx context.Context) error {
	p, err := r.Store.Policy(ctx)
	if err != nil || p.Version > 0 {
		return err
	}
	actions, err := store.SavePolicy(0, r.Policy, r.Source, "postern:first-start", r.Clock.Now())
	if err != nil {
		return err
	}
	_, err = r.Store.Do(ctx, "first-policy", actions...)
	return err
}

func (r *Runtime) ring() {
	select {
	case r.changed <- struct{}{}:
	default: // it will look anyway
	}
}

// Close closes the files. Run must have ended.
func (r *Runtime) Close() error {
	var errs []error
	if r.Queue != nil {
		errs = append(errs, r.Queue.Close())
	}
	return errors.Join(append(errs, r.DB.Close())...)
}
