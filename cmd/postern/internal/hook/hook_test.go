package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/postern-dev/postern/cmd/postern/internal/hook"
	devpolicy "github.com/postern-dev/postern/infra/policy"
	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/store"
)

var start = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

// world is a Postern in memory behind a loopback address, on a clock that only
// the hook's own waiting moves.
type world struct {
	t     *testing.T
	r     *local.Runtime
	url   string
	clock *clock.Fake
	ids   atomic.Int64
	// meanwhile is what happens while the hook waits.
	meanwhile func()
}

func newWorld(t *testing.T) *world {
	t.Helper()
	p, err := policy.Parse("dev.yaml", devpolicy.Dev)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, clock: clock.NewFake(start)}
	w.r, err = local.Open(local.Config{Clock: w.clock, Log: slog.New(slog.DiscardHandler), LinkKey: []byte("test-link-key-00000000"),
		PublicURL: "http://127.0.0.1", Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(w.r.Handler)
	w.url = s.URL
	t.Cleanup(func() { s.Close(); _ = w.r.Close() })
	if _, err := w.r.Store.Do(context.Background(), "key", store.NewAPIKey(store.APIKey{Hash: store.HashSecret("k1"), Name: "laptop"})); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) hook(change func(*hook.Hook)) *hook.Hook {
	h := &hook.Hook{API: hook.API{URL: w.url, Key: "k1", HTTP: &http.Client{}}, Now: w.clock.Now, Wait: time.Minute, Unreachable: hook.Ask,
		NewID: func() string { return fmt.Sprint("id", w.ids.Add(1)) },
		Sleep: func(ctx context.Context, d time.Duration) error {
			if w.meanwhile != nil {
				w.meanwhile()
			}
			w.clock.Advance(d)
			return ctx.Err()
		}}
	if change != nil {
		change(h)
	}
	return h
}

// bash is the question of a coding agent about one command.
func bash(session, use, command string) hook.Input {
	args, _ := json.Marshal(map[string]string{"command": command, "description": "<b> & so on"})
	return hook.Input{Session: session, Tool: "Bash", Args: args, Use: use, Dir: "/home/ada/shop"}
}

func (w *world) pending() []inbox.Item {
	w.t.Helper()
	items, _, err := w.r.Store.PendingItems(context.Background(), "", 100)
	if err != nil {
		w.t.Fatal(err)
	}
	return items
}

func (w *world) answer(choice string) {
	w.t.Helper()
	for _, x := range w.pending() {
		out, err := w.r.Resolver.Resolve(context.Background(), inbox.Answer{Item: x.ID, Digest: x.Digest, Choice: choice, Via: "panel",
			ID: "a" + x.ID, Actor: actor.Actor{Provider: "panel", ID: "owner", Name: "Olga", Kind: actor.Human}})
		if err != nil || out.Result != inbox.Won {
			w.t.Fatalf("%+v %v", out, err)
		}
	}
}

// once answers what waits while the hook does, as a person who sees the card.
func (w *world) once(choice string) { w.meanwhile = func() { w.answer(choice) } }

func want(t *testing.T, d hook.Decision, p hook.Permission, words ...string) {
	t.Helper()
	if d.Permission != p {
		t.Fatalf("want %s: %+v", p, d)
	}
	for _, s := range words {
		if !strings.Contains(d.Reason, s) {
			t.Fatalf("%q does not say %q", d.Reason, s)
		}
	}
}

var ctx = context.Background()

// TestS15PersonAllowsMeanwhile: the hook waits, a person allows, the grant is
// spent, the call runs; once.
func TestS15PersonAllowsMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.once(inbox.Allow)
	want(t, w.hook(nil).Decide(ctx, bash("s1", "u1", "make deploy")), hook.Allow, "allowed by Olga", "item ")
	items, _, err := w.r.Store.Items(ctx, "", 10)
	if err != nil || len(items) != 1 {
		t.Fatalf("%d items, %v", len(items), err)
	}
	a, err := w.r.Store.Attempt(ctx, items[0].Session, items[0].ID, 0, 0)
	if err != nil || a == nil {
		t.Fatalf("the grant is not spent: %v", err)
	}
	if s, err := w.r.Store.Session(ctx, items[0].Session); err != nil || s.Title != "Coding agent in shop" || !s.Unattended {
		t.Fatalf("%+v %v", s, err)
	}
}

func TestS15PersonDenies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.once(inbox.Deny)
	h := w.hook(nil)
	want(t, h.Decide(ctx, bash("s1", "u1", "rm -rf /")), hook.Deny, "denied this call")
	w.meanwhile = nil
	want(t, h.Decide(ctx, bash("s1", "u2", "rm -rf /")), hook.Deny, "denied this very call before") // P27
	if n := len(w.pending()); n != 0 {
		t.Fatalf("asked again: %d items wait", n)
	}
}

// TestS15StillWaiting: past the wait it is no denial; the same call asked again
// joins the item and takes its grant.
func TestS15StillWaiting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.hook(nil)
	want(t, h.Decide(ctx, bash("s1", "u1", "make deploy")), hook.Deny, "Still waiting", "no denial", "/inbox/")
	item := w.pending()[0].ID
	want(t, h.Decide(ctx, bash("s1", "u2", "make deploy")), hook.Deny, "Still waiting", item)
	if n := len(w.pending()); n != 1 {
		t.Fatalf("%d items wait for one call", n)
	}
	if asked := w.clock.Now().Sub(start); asked > 2*time.Minute || asked < time.Minute {
		t.Fatalf("waited %s for twice a minute", asked)
	}
	w.answer(inbox.Allow)
	want(t, h.Decide(ctx, bash("s1", "u3", "make deploy")), hook.Allow, item)
	want(t, h.Decide(ctx, bash("s1", "u4", "make deploy")), hook.Deny, "Still waiting") // one grant, one call
	if now := w.pending()[0].ID; now == item {
		t.Fatal("a spent item is joined")
	}
	want(t, h.Decide(ctx, bash("s1", "u5", "make deploy ARGS=x")), hook.Deny, "Still waiting") // other arguments
	if n := len(w.pending()); n != 2 {
		t.Fatalf("%d items wait", n)
	}
}

// TestS15DuplicateRuns: the hook of one call run many times at once and again
// later is one call: one item, one spending, the same word for all.
func TestS15DuplicateRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.meanwhile = func() {
		for _, x := range w.pending() { // the second to answer loses, which is no matter here
			_, _ = w.r.Resolver.Resolve(ctx, inbox.Answer{Item: x.ID, Digest: x.Digest, Choice: inbox.Allow, Via: "panel", ID: "a",
				Actor: actor.Actor{Provider: "panel", ID: "owner", Kind: actor.Human}})
		}
	}
	var wg sync.WaitGroup
	got := make([]hook.Decision, 8)
	for i := range got {
		wg.Go(func() { got[i] = w.hook(nil).Decide(ctx, bash("s1", "u1", "make deploy")) })
	}
	wg.Wait()
	for _, d := range append(got, w.hook(nil).Decide(ctx, bash("s1", "u1", "make deploy"))) {
		want(t, d, hook.Allow)
	}
	if items, _, err := w.r.Store.Items(ctx, "", 10); err != nil || len(items) != 1 {
		t.Fatalf("%d items, %v", len(items), err)
	}
}

// TestS15EqualCallsAtOnce: equal calls that are different calls share an item
// while it waits, and each still needs a grant of its own (I3, P25).
func TestS15EqualCallsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.hook(func(h *hook.Hook) { h.Wait = 0 })
	for _, use := range []string{"", "u2"} {
		want(t, h.Decide(ctx, bash("s1", use, "make deploy")), hook.Deny, "Still waiting")
	}
	if n := len(w.pending()); n != 1 {
		t.Fatalf("%d items", n)
	}
	w.answer(inbox.Allow)
	want(t, h.Decide(ctx, bash("s1", "u2", "make deploy")), hook.Allow)
	want(t, h.Decide(ctx, bash("s1", "", "make deploy")), hook.Deny, "Still waiting")
}

// TestS15ReadsAreAllowed: what only reads needs nobody.
func TestS15ReadsAreAllowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.hook(nil).Decide(ctx, hook.Input{Session: "s1", Tool: "Grep", Args: json.RawMessage(`{"pattern":"x"}`)})
	want(t, d, hook.Allow)
	d = w.hook(func(h *hook.Hook) { h.Wait = 0 }).Decide(ctx, hook.Input{Session: "s1", Tool: "mcp__notion__get_page", Args: json.RawMessage(`{}`)})
	want(t, d, hook.Deny, "Still waiting") // P2: nobody vetted it
}

// TestS15Mode: a mode above the key's is refused in words; a read-only one is
// Postern's denial.
func TestS15Mode(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.hook(func(h *hook.Hook) { h.Mode = "auto" }).Decide(ctx, bash("s1", "u1", "ls"))
	want(t, d, hook.Deny, "mode_not_allowed")
	d = w.hook(func(h *hook.Hook) { h.Mode = "plan" }).Decide(ctx, bash("s2", "u1", "ls"))
	want(t, d, hook.Deny, "plan mode is read-only")
}

func TestS15KeyRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.hook(func(h *hook.Hook) { h.Key = "another" }).Decide(ctx, bash("s1", "u1", "ls"))
	want(t, d, hook.Deny, "does not take this API key", "POSTERN_KEY") // though unreachable says ask
}

// TestS15Unreachable: it asks or denies, as configured, and never allows,
// whatever answers in Postern's place.
func TestS15Unreachable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, answer := range map[string]http.HandlerFunc{
		"an error":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) },
		"a page":    func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"decision":"allow","session":"s"}`) },
		"not found": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/v1/elsewhere", http.StatusTemporaryRedirect)
		},
		"too many requests": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) },
		"broken JSON": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"session":`)
		},
		"no session": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{}`)
		},
		"a broken connection": func(w http.ResponseWriter, _ *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			_ = c.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var n atomic.Int64
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { n.Add(1); answer(w, r) }))
			defer s.Close()
			for _, p := range []hook.Permission{hook.Ask, hook.Deny} {
				n.Store(0)
				h := hook.Hook{API: hook.API{URL: s.URL, Key: "k", Again: make([]time.Duration, 2), HTTP: &http.Client{
					CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}},
					Now: w.clock.Now, Sleep: func(context.Context, time.Duration) error { return nil }, NewID: func() string { return "id" }, Unreachable: p}
				want(t, h.Decide(ctx, bash("s1", "u1", "ls")), p, "could not be asked")
				if n.Load() < 3 && name != "no session" {
					t.Fatalf("tried %d times", n.Load())
				}
			}
		})
	}
}

// TestS15LostOnTheWay: a request or an answer lost on the way is sent again,
// and makes no second call.
func TestS15LostOnTheWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.once(inbox.Allow)
	var n atomic.Int64
	h := w.hook(func(h *hook.Hook) {
		h.Again = make([]time.Duration, 2)
		h.HTTP = &http.Client{Transport: lossy(func(r *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
			switch n.Add(1) % 3 {
			case 0: // the answer is lost
				if resp, err := send(); err == nil {
					_ = resp.Body.Close()
				}
				return nil, errors.New("connection reset")
			case 1: // the request is lost
				return nil, errors.New("connection reset")
			}
			return send()
		})}
	})
	want(t, h.Decide(ctx, bash("s1", "u1", "make deploy")), hook.Allow)
	if items, _, err := w.r.Store.Items(ctx, "", 10); err != nil || len(items) != 1 {
		t.Fatalf("%d items, %v", len(items), err)
	}
}

type lossy func(r *http.Request, send func() (*http.Response, error)) (*http.Response, error)

func (f lossy) RoundTrip(r *http.Request) (*http.Response, error) {
	return f(r, func() (*http.Response, error) { return http.DefaultTransport.RoundTrip(r) })
}

// TestP25OtherArguments: an approval of other arguments allows nothing.
func TestP25OtherArguments(t *testing.T) {
	t.Parallel()
	spent := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		spent = spent || strings.HasSuffix(r.URL.Path, "/spend")
		fmt.Fprint(w, `{"session":"s","call":"c","decision":"allow","grant":"g","item":"g","arguments":{"command":"other"}}`)
	}))
	defer s.Close()
	h := hook.Hook{API: hook.API{URL: s.URL, Key: "k", HTTP: &http.Client{}}, Now: time.Now, NewID: func() string { return "id" }}
	want(t, h.Decide(ctx, bash("s1", "u1", "ls")), hook.Deny, "other arguments")
	if spent {
		t.Fatal("it spent the grant of something else")
	}
}

// TestAgentGivesUp: when the agent ends the hook, the item goes on waiting.
func TestAgentGivesUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	w.meanwhile = cancel
	want(t, w.hook(nil).Decide(ctx, bash("s1", "u1", "make deploy")), hook.Deny, "Still waiting")
	if len(w.pending()) != 1 {
		t.Fatal("nothing waits")
	}
}
