package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/postern-dev/postern/infra/policy"
	"github.com/postern-dev/postern/shared/domain/inbox"
	domain "github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/edge/llm/scripted"
	"github.com/postern-dev/postern/shared/flow/turn"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/local/playground"
	"github.com/postern-dev/postern/shared/local/standin/github"
	"github.com/postern-dev/postern/shared/local/standin/slack"
)

// world is a running Postern with the three platforms played around it, as
// postern dev has them.
type world struct {
	*local.World
	url string
	rt  *local.Runtime
	end func()

	found sync.Map // ids of the items that a test took for its own
}

// house is the one that most tests share.
var house = sync.OnceValues(func() (*world, error) {
	w, err := newWorld()
	if err == nil {
		closers = append(closers, w.end)
	}
	return w, err
})

func newWorld() (*world, error) {
	w := &world{World: local.NewWorld(clock.Real{}.Now)}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux) // on 127.0.0.1
	w.url = server.URL
	played := http.NewServeMux()
	w.Routes(played)
	mux.Handle("/platforms/", http.StripPrefix("/platforms", played))
	p, err := domain.Parse("dev.yaml", policy.Dev)
	if err != nil {
		return nil, err
	}
	cfg := local.Config{Clock: clock.Real{}, Log: slog.New(slog.DiscardHandler), LinkKey: []byte("a key of these tests, 32 bytes at least"),
		PublicURL: w.url, ModelName: "scripted:dev", Policy: p, Source: string(policy.Dev), StandIns: playground.Path,
		Model: func(string) (turn.Model, string, error) { return scripted.New(), "dev", nil }}
	w.Connect(&cfg, w.url+"/platforms")
	if w.rt, err = local.Open(cfg); err != nil {
		return nil, err
	}
	mux.Handle("/", w.rt.Handler)
	mux.Handle(playground.Path, (&playground.Page{Slack: w.Slack, Feishu: w.Feishu, GitHub: w.GitHub, Hooks: w.url + "/hooks",
		Client: &http.Client{Timeout: patience}, Panel: w.rt.Panel, Log: cfg.Log}).Routes())
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.rt.Run(ctx) }()
	w.end = func() { stop(); <-ended; server.Close(); _ = w.rt.Close() }
	return w, nil
}

// key is a fresh sign-in link's key.
func (w *world) key(t *testing.T, ref, role string) string {
	t.Helper()
	_, name, _ := strings.Cut(ref, ":")
	key, err := w.rt.LoginKey(t.Context(), ref, strings.ToUpper(name[:1])+name[1:], role)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// say lets Ada ask the agent for something in #ops, by Slack's signed webhook.
func (w *world) say(t *testing.T, text string) slack.Message {
	t.Helper()
	m, answers, err := w.Slack.Say(t.Context(), w.slackHook(), slack.Line{User: "U0ADA", Channel: "C0OPS", Mention: true, Text: text})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		if a.Status != http.StatusOK {
			t.Fatalf("%s was answered %d", a.Event, a.Status)
		}
	}
	return m
}

func (w *world) slackHook() slack.Hook {
	return slack.Hook{URL: w.url + "/hooks/slack", Client: &http.Client{Timeout: patience}}
}

// issue opens an issue that nobody told Postern of.
func (w *world) issue(t *testing.T) string {
	t.Helper()
	i, _, err := w.GitHub.Open(t.Context(), github.Hook{URL: w.url + "/nowhere", Client: http.DefaultClient},
		github.Draft{Author: "bob", Repo: "acme/shop", Title: "Old bug"})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("acme/shop#%d", i.Number)
}

// item waits for the item that an agent raises, known by what it asks. Each is
// found once: another run of the same test gets its own.
func (w *world) item(t *testing.T, has string) inbox.Item {
	t.Helper()
	var found inbox.Item
	w.eventually(t, "an item with "+has, func() bool {
		items, _, err := w.rt.Store.Items(t.Context(), "", 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range items {
			_, b, err := w.rt.Store.ItemAndBody(t.Context(), x.ID)
			if err != nil {
				t.Fatal(err)
			}
			var arguments any
			if err := json.Unmarshal(b.Arguments, &arguments); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(x.Title, has) || strings.Contains(b.Text, has) || strings.Contains(fmt.Sprint(arguments), has) {
				if _, before := w.found.LoadOrStore(x.ID, true); !before {
					found = x
					return true
				}
			}
		}
		return false
	})
	return found
}

// approval has the agent ask whether it may comment, and gives the item.
func (w *world) approval(t *testing.T, body string) inbox.Item {
	t.Helper()
	w.say(t, "comment on "+w.issue(t)+": "+body)
	return w.item(t, body)
}

// now is an item as it is.
func (w *world) now(t *testing.T, id string) inbox.Item {
	t.Helper()
	x, err := w.rt.Store.Item(t.Context(), id)
	if err != nil || x == nil {
		t.Fatalf("read item %s: %v", id, err)
	}
	return *x
}

// eventually looks again and again until something is so, or patience ends.
func (w *world) eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	end := time.Now().Add(patience)
	for !is() {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
		select {
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}
