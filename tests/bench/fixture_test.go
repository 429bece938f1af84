package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/postern-dev/postern/infra/policy"
	"github.com/postern-dev/postern/shared/domain/inbox"
	domain "github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/edge/slack"
	"github.com/postern-dev/postern/shared/flow/turn"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
	standin "github.com/postern-dev/postern/shared/local/standin/slack"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

var linkKey = []byte("bench-link-key-00000000000000000")

// devPolicy is the policy of development.
func devPolicy(tb testing.TB) domain.Policy {
	tb.Helper()
	p, err := domain.Parse("dev.yaml", policy.Dev)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// open opens an embedded deployment without a running pump. Its Slack is
// configured and never reached.
func open(tb testing.TB, dir string, c clock.Clock, change func(*local.Config)) *local.Runtime {
	tb.Helper()
	secrets := standin.DevSecrets()
	cfg := local.Config{Dir: dir, Clock: c, Log: slog.New(slog.DiscardHandler), LinkKey: linkKey, PublicURL: "http://127.0.0.1",
		Model:     func(string) (turn.Model, string, error) { return nil, "", fmt.Errorf("no model here") },
		ModelName: "none:none", Policy: devPolicy(tb), Source: "dev", Slack: &slack.Secrets{SigningSecret: secrets.SigningSecret, BotToken: secrets.BotToken},
		SlackAPI: "http://127.0.0.1:1"}
	if change != nil {
		change(&cfg)
	}
	r, err := local.Open(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := r.Close(); err != nil {
			tb.Error(err)
		}
	})
	return r
}

// must commits and fails unless everything was written.
func must(tb testing.TB, s *store.Store, token string, actions ...table.Action) {
	tb.Helper()
	lost, err := s.Do(context.Background(), token, actions...)
	if err != nil || lost != nil {
		tb.Fatal(token, lost, err)
	}
}

// aSession is a session of the default queue.
func aSession(id string, now time.Time) session.Session {
	return session.Session{ID: id, Persona: "cowork", PersonaVersion: "1", Title: "Bench " + id, Mode: "interactive", Unattended: true,
		Queue: "default", Owner: "slack:T0DEV/U0ADA", Correlation: "bench:" + id, Generation: 1, Created: now}
}

// stored is one item at rest, as another session raised it long ago.
func stored(i int, now time.Time) (inbox.Item, inbox.Body) {
	id := inbox.ItemID("old", int64(i), 0, "x")
	sid := "old-" + strconv.Itoa(i%1000)
	return inbox.Item{ID: id, Session: sid, Persona: "cowork", Kind: inbox.Approval, Title: "github_comment → acme/shop#" + strconv.Itoa(i),
			Queue: "default", Tool: "github_comment", Risk: "external", Digest: strings.Repeat("d", 43), Run: "r-" + id, Step: 3,
			Severity: "normal", Generation: 1, Correlation: "slack:Ev" + id, Created: now.Add(time.Duration(i) * time.Millisecond),
			Expires: now.Add(24*time.Hour + time.Duration(i)*time.Second)},
		inbox.Body{Item: id, Text: "Allow once: the agent runs github_comment with exactly these arguments.",
			Arguments: []byte(`{"body":"looking into it","issue":"acme/shop#1"}`), Mode: "interactive", Why: "an external call asks"}
}

// fill stores n items that wait, each with its body.
func fill(tb testing.TB, r *local.Runtime, n int, now time.Time) {
	tb.Helper()
	lay(tb, r, n, 50, func(i int) []table.Action { return store.NewItem(stored(i, now)) })
}

// lay commits what is made for each of n numbers, so many numbers a commit and
// many commits at once, so that they share what makes them durable.
func lay(tb testing.TB, r *local.Runtime, n, per int, made func(i int) []table.Action) {
	tb.Helper()
	s := store.New(r.DB)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for i := int(next.Add(int64(per))) - per; i < n; i = int(next.Add(int64(per))) - per {
				var actions []table.Action
				for j := i; j < min(i+per, n); j++ {
					actions = append(actions, made(j)...)
				}
				lost, err := s.Do(context.Background(), "lay-"+strconv.Itoa(i), actions...)
				if err == nil && lost != nil {
					err = errors.New("lost")
				}
				if err == nil && i/per%100 == 0 {
					err = r.DB.Trim(1 << 62)
				}
				if err != nil {
					tb.Error(i, err)
				}
			}
		})
	}
	wg.Wait()
	trim(tb, r)
}

// trim forgets the change records so far, as a runtime that read them might.
func trim(tb testing.TB, r *local.Runtime) {
	tb.Helper()
	if err := r.DB.Trim(1 << 62); err != nil {
		tb.Fatal(err)
	}
}

// most is the larger number of stored items; POSTERN_BENCH_ITEMS makes it
// smaller for a quick look.
func most(tb testing.TB) int {
	tb.Helper()
	text := os.Getenv("POSTERN_BENCH_ITEMS")
	if text == "" {
		return 1_000_000
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		tb.Fatalf("POSTERN_BENCH_ITEMS=%q is no number", text)
	}
	return n
}

// caught is one webhook as a platform would send it.
type caught struct {
	header http.Header
	body   []byte
}

// catcher keeps the webhooks that a stand-in's people cause.
type catcher struct{ got []caught }

func (c *catcher) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	c.got = append(c.got, caught{r.Header, body})
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}
