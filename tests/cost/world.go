package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/postern-dev/postern/infra/policy"
	"github.com/postern-dev/postern/shared/domain/model"
	domain "github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/edge/llm/scripted"
	"github.com/postern-dev/postern/shared/edge/log"
	"github.com/postern-dev/postern/shared/flow/turn"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/store/table"
	"github.com/postern-dev/postern/shared/store/table/tablecount"
)

// world is the embedded runtime with its stand-ins, driven by hand.
type world struct {
	*local.Runtime
	played *local.World
	clock  *clock.Fake
	meter  *meter
	table  *tablecount.Counter
	cursor string // how far the stream was read
	asked  int    // calls of the model in the session under way
	stage  string // of what happens next
	close  func()
}

func newWorld() (*world, error) {
	w := &world{clock: clock.NewFake(time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)), meter: newMeter(), stage: before}
	w.played = local.NewWorld(w.clock.Now)
	back, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	w.played.Routes(mux)
	server := &http.Server{Handler: w.counted(mux), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(back) }()

	cfg := local.Config{Clock: w.clock, Log: log.New(w.meter, slog.LevelInfo), LinkKey: []byte(rand.Text()),
		PublicURL: "https://example.execute-api.us-east-1.amazonaws.com", Model: w.model, ModelName: "scripted:cost",
		Wrap: func(t table.Table) table.Table {
			w.table = tablecount.New(t, w.meter.at)
			return w.table
		}}
	if cfg.Policy, err = domain.Parse("dev.yaml", policy.Dev); err != nil {
		return nil, err
	}
	cfg.Source = string(policy.Dev)
	w.played.Connect(&cfg, "http://"+back.Addr().String())
	if w.Runtime, err = local.Open(cfg); err != nil {
		return nil, fmt.Errorf("open the runtime: %w", err)
	}
	w.close = func() { _ = server.Close(); _ = w.Runtime.Close() }
	w.Dispatch.Queue = ringing{w.Queue, w.meter}
	w.Gate.Count, w.Turns.Count = w.metrics("gate"), w.metrics("turn")
	w.Deliver.Count, w.Waker.Count, w.API.Count = w.metrics("deliver"), w.metrics("wake"), w.metrics("api")
	return w, nil
}

// metrics writes the lines that a deployed function writes, and remembers the
// series: each is paid for.
func (w *world) metrics(function string) func(name, label string) {
	m := log.NewMetrics(w.meter, function, w.clock.Now)
	return func(name, label string) {
		w.meter.mu.Lock()
		w.meter.series[name+" "+label] = true
		w.meter.mu.Unlock()
		m.Label(name, label)
	}
}

// counted counts the calls to the platforms.
func (w *world) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.meter.note(func(u *used) { u.Platform++ })
		next.ServeHTTP(rw, r)
	})
}

// model is the scripted one, and says when it asks: with its first reply the
// round trip begins, with its second call the agent goes on to something else.
func (w *world) model(name string) (turn.Model, string, error) {
	return listening{scripted.New(), w}, name, nil
}

type listening struct {
	next turn.Model
	w    *world
}

func (l listening) Complete(ctx context.Context, r model.Request) (model.Reply, error) {
	l.w.asked++
	if l.w.asked > 1 {
		l.w.meter.turn(beside)
		l.w.stage = outcome
	}
	reply, err := l.next.Complete(ctx, r)
	if err == nil && l.w.asked == 1 {
		l.w.meter.turn(ask)
		l.w.stage = card
	}
	return reply, err
}

// RoundTrip brings a webhook to our entrance, as API Gateway does.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	w.meter.enter(w.stage, r.URL.Path[len("/hooks/"):])
	w.meter.note(func(u *used) { u.HTTP++ })
	rec := httptest.NewRecorder()
	w.Handler.ServeHTTP(rec, r)
	// The entrance's own two metric lines, which the embedded runtime drops.
	platform := r.URL.Path[len("/hooks/"):]
	w.metrics(platform)("deliveries", platform)
	if w.stage == answer {
		w.metrics(platform)("answers", "won")
	}
	return rec.Result(), nil
}
