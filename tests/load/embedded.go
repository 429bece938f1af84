package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/postern-dev/postern/infra/policy"
	domain "github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/edge/llm/scripted"
	"github.com/postern-dev/postern/shared/flow/turn"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/store/table"
)

// watched tells when a trigger's row was committed.
type watched struct {
	table.Table
	seen *seen
}

type seen struct {
	mu sync.Mutex
	at map[string]time.Time
}

func (w watched) Commit(ctx context.Context, tx table.Tx) (table.Result, error) {
	res, err := w.Table.Commit(ctx, tx)
	if err == nil && res.Won() {
		for _, a := range tx.Actions {
			// A row by which tries are counted is no judgment: that has a decision.
			if id, ok := strings.CutPrefix(a.Key.PK, "trigger#"); ok && a.Verb == table.Put && len(tx.Actions) > 1 {
				w.seen.mu.Lock()
				if _, twice := w.seen.at[id]; !twice {
					w.seen.at[id] = time.Now()
				}
				w.seen.mu.Unlock()
			}
		}
	}
	return res, err
}

func (s *seen) judged(_ context.Context, id string) (time.Time, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.at[id]
	return at, ok, nil
}

// embedded starts a deployment on files, behind a real loopback listener.
func embedded() (*target, error) {
	dir, err := os.MkdirTemp("", "postern-load-")
	if err != nil {
		return nil, err
	}
	t, err := newTarget()
	if err != nil {
		return nil, err
	}
	s := &seen{at: map[string]time.Time{}}
	t.name, t.made, t.judged, t.look = "the embedded engine", "go run ./tests/load", s.judged, 20*time.Millisecond
	world := local.NewWorld(clock.Real{}.Now)
	back, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t.url = "http://" + front.Addr().String()
	cfg := local.Config{Dir: dir, Clock: clock.Real{}, Log: slog.New(slog.DiscardHandler), LinkKey: linkKey,
		PublicURL: t.url, Model: func(name string) (turn.Model, string, error) { return scripted.New(), name, nil }, ModelName: "scripted:load",
		Wrap: func(next table.Table) table.Table { return watched{next, s} }}
	if cfg.Policy, err = domain.Parse("dev.yaml", policy.Dev); err != nil {
		return nil, err
	}
	cfg.Source = string(policy.Dev)
	world.Connect(&cfg, "http://"+back.Addr().String())
	r, err := local.Open(cfg)
	if err != nil {
		return nil, err
	}
	played := http.NewServeMux()
	world.Routes(played)
	servers := []*http.Server{{Handler: r.Handler, ReadHeaderTimeout: 10 * time.Second}, {Handler: played, ReadHeaderTimeout: 10 * time.Second}}
	go func() { _ = servers[0].Serve(front) }()
	go func() { _ = servers[1].Serve(back) }()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	t.close = func() {
		stop()
		<-ended
		for _, s := range servers {
			_ = s.Close()
		}
		_ = r.Close()
		_ = os.RemoveAll(dir)
	}
	return t, nil
}
