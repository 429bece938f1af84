package main

import (
	"context"
	"encoding/json"
	"fmt"
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
	edge "github.com/postern-dev/postern/shared/edge/slack"
	"github.com/postern-dev/postern/shared/flow/turn"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
	standin "github.com/postern-dev/postern/shared/local/standin/slack"
	"github.com/postern-dev/postern/shared/store/table"
)

// target is an embedded deployment on files, behind a real loopback listener,
// that says when a message was judged.
type target struct {
	url      string
	client   *http.Client
	receiver *edge.Receiver // tells the identity of what is sent
	secret   string
	seq      int

	mu     sync.Mutex
	judged map[string]time.Time
	close  func()
}

// watched tells when a trigger's row was committed.
type watched struct {
	table.Table
	t *target
}

func (w watched) Commit(ctx context.Context, tx table.Tx) (table.Result, error) {
	res, err := w.Table.Commit(ctx, tx)
	if err == nil && res.Won() {
		for _, a := range tx.Actions {
			// A row by which tries are counted is no judgment: that has a decision.
			if id, ok := strings.CutPrefix(a.Key.PK, "trigger#"); ok && a.Verb == table.Put && len(tx.Actions) > 1 {
				w.t.mu.Lock()
				if _, twice := w.t.judged[id]; !twice {
					w.t.judged[id] = time.Now()
				}
				w.t.mu.Unlock()
			}
		}
	}
	return res, err
}

func newTarget() (*target, error) {
	dir, err := os.MkdirTemp("", "postern-load-")
	if err != nil {
		return nil, err
	}
	t := &target{secret: standin.DevSecrets().SigningSecret, judged: map[string]time.Time{},
		client: &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 512, MaxConnsPerHost: 512}}}
	if t.receiver, err = edge.NewReceiver(standin.DevSecrets(), []byte("load-link-key-000000000000000000"), time.Now); err != nil {
		return nil, err
	}
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
	cfg := local.Config{Dir: dir, Clock: clock.Real{}, Log: slog.New(slog.DiscardHandler), LinkKey: []byte("load-link-key-000000000000000000"),
		PublicURL: t.url, Model: func(name string) (turn.Model, string, error) { return scripted.New(), name, nil }, ModelName: "scripted:load",
		Wrap: func(next table.Table) table.Table { return watched{next, t} }}
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

// webhook makes one signed message that names the agent, in a thread of its
// own. Every tenth is by Ada, who is listed, and starts an agent that answers;
// the others are by somebody who is not, and are recorded.
func (t *target) webhook() (body []byte, header http.Header, id string, err error) {
	t.seq++
	now := time.Now()
	user := "U0MALLORY"
	if t.seq%10 == 0 {
		user = "U0ADA"
	}
	ts := fmt.Sprintf("%d.%06d", now.Unix(), t.seq)
	body, err = json.Marshal(map[string]any{"type": "event_callback", "token": "unused", "team_id": "T0DEV", "api_app_id": "A0DEV",
		"event_id": fmt.Sprintf("EvLoad%08d", t.seq), "event_time": now.Unix(),
		"authorizations": []any{map[string]any{"team_id": "T0DEV", "user_id": "U0AGENT", "is_bot": true}},
		"event": map[string]any{"type": "app_mention", "user": user, "channel": "C0OPS", "team": "T0DEV", "ts": ts, "event_ts": ts,
			"text": "<@U0AGENT> hello, this is message " + fmt.Sprint(t.seq)}})
	if err != nil {
		return nil, nil, "", err
	}
	header = edge.Sign(t.secret, body, now)
	d, err := t.receiver.Receive(header, body)
	if err != nil || d.Trigger == nil {
		return nil, nil, "", fmt.Errorf("the webhook is not one: %s: %w", d.Drop, err)
	}
	return body, header, d.Trigger.ID, nil
}
