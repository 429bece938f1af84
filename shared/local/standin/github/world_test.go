package github

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
	edge "github.com/postern-dev/postern/shared/edge/github"
)

type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.t }

func (c *clock) move(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.t = c.t.Add(d) }

// world is a stand-in behind HTTP, our client of it, and our receiver behind
// HTTP as well.
type world struct {
	*Server
	clock  *clock
	base   string // of the API, under a prefix
	client *edge.Client
	hook   Hook
	inbox  *received
}

type received struct {
	mu     sync.Mutex
	status int // answered instead, if set
	all    []delivery.Delivery
}

func (r *received) last(t *testing.T) delivery.Delivery {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.all) == 0 {
		t.Fatal("nothing came in")
	}
	return r.all[len(r.all)-1]
}

func (r *received) answer(status int) { r.mu.Lock(); defer r.mu.Unlock(); r.status = status }

func start(t *testing.T, change ...func(*Config, *edge.Secrets)) *world {
	t.Helper()
	cfg, secrets := DevConfig(), DevSecrets()
	for _, c := range change {
		c(&cfg, &secrets)
	}
	w := &world{clock: &clock{t: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}, inbox: &received{}}
	w.Server = New(cfg, w.clock.now)
	api := httptest.NewServer(http.StripPrefix("/github", w.Server))
	t.Cleanup(api.Close)
	w.base = api.URL + "/github"
	client, err := edge.NewClient(secrets, w.base, api.Client(), w.clock.now)
	if err != nil {
		t.Fatal(err)
	}
	w.client = client
	receiver, err := edge.NewReceiver(secrets, nil, w.clock.now)
	if err != nil {
		t.Fatal(err)
	}
	ours := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		d, err := receiver.Receive(r.Header, body)
		w.inbox.mu.Lock()
		defer w.inbox.mu.Unlock()
		var refusal *delivery.Refusal
		switch {
		case errors.As(err, &refusal):
			rw.WriteHeader(refusal.Status)
		case w.inbox.status != 0:
			rw.WriteHeader(w.inbox.status)
		default:
			w.inbox.all = append(w.inbox.all, d)
		}
	}))
	t.Cleanup(ours.Close)
	w.hook = Hook{URL: ours.URL, Client: ours.Client()}
	return w
}

// open opens an issue of Bob's and gives its place.
func (w *world) open(t *testing.T) trigger.Place {
	t.Helper()
	i, a, err := w.Open(context.Background(), w.hook, Draft{Author: "bob", Repo: "acme/shop", Title: "Till is slow", Body: "It takes a minute."})
	if err != nil || a.Status != 200 || i.Number != 1 {
		t.Fatalf("%+v %+v %v", i, a, err)
	}
	return trigger.Place{Surface: "github", Account: "acme/shop", Channel: "1"}
}

func pending() inbox.Card {
	return inbox.Card{
		Item: "abc234xyz", Kind: inbox.Approval, Code: "abc234", Title: "Comment on acme/shop#1", Tool: "github_comment",
		Arguments: []byte(`{"body":"done"}`), Risk: "external", Mentions: []string{"github:11", "slack:T/U", "github:999"}, Link: "https://panel.example/i/abc", Version: 1,
	}
}

func settled() inbox.Card {
	c := pending()
	c.Settled, c.Status, c.Version = true, "Approved by Ada", 2
	return c
}

// fails expects a SendError.
func fails(t *testing.T, err error, code string, final bool) *delivery.SendError {
	t.Helper()
	var send *delivery.SendError
	if !errors.As(err, &send) {
		t.Fatalf("not a SendError: %v", err)
	}
	if send.Code != code || send.Final != final {
		t.Fatalf("%s final=%v, want %s final=%v", send.Code, send.Final, code, final)
	}
	return send
}
