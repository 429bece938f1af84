package local_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/local/standin/github"
)

// W8: an issue that came while the entrance failed is asked for by the
// reconciler, comes in by the entrance, and rings the gate once.
func TestW8_WhatGitHubCouldNotDeliver(t *testing.T) {
	t.Parallel()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	time0 := clock.NewFake(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	var entrance http.Handler = http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusBadGateway) })
	front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { entrance.ServeHTTP(rw, r) }))
	defer front.Close()
	world := local.NewWorld(time0.Now)
	played := github.DevConfig()
	played.Token, played.Key = "", &key.PublicKey
	world.GitHub = github.New(played, time0.Now)
	platforms := http.NewServeMux()
	world.Routes(platforms)
	back := httptest.NewServer(platforms)
	defer back.Close()

	cfg := local.Config{Clock: time0, Log: slog.New(slog.DiscardHandler), LinkKey: []byte("test-link-key-0000000000"), PublicURL: front.URL}
	world.Connect(&cfg, back.URL)
	cfg.GitHub.Token, cfg.GitHub.AppID, cfg.GitHub.InstallationID = "", 77, 7700
	cfg.GitHub.PrivateKey = string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	run, err := local.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()

	hook := github.Hook{URL: front.URL + "/hooks/github", Client: front.Client()}
	_, got, err := world.GitHub.Open(t.Context(), hook, github.Draft{Author: "ada", Repo: "acme/shop", Title: "Till", Body: "@postern-agent look"})
	if err != nil || got.Status != http.StatusBadGateway {
		t.Fatal(got.Status, err)
	}
	entrance = run.Handler // it answers again
	for _, want := range []int{1, 0} {
		time0.Advance(5 * time.Minute)
		f, err := run.Waker.Reconcile(t.Context())
		if err != nil || f.Deliveries != want {
			t.Errorf("%+v %v, want %d", f, err, want)
		}
		if d, err := run.Queue.Depths(t.Context()); err != nil || d[doorbell.Triggers].Ready != 1 {
			t.Errorf("%+v %v", d, err)
		}
	}
}
