package doctor

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/trigger"
	edge "github.com/postern-dev/postern/shared/edge/github"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/local/standin/github"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// linkKey signs buttons here.
const linkKey = "test-link-key-0000000000"

const rules = `
owners: [panel:ada]
sources:
  - name: slack
    platform: slack
    accounts: [T0DEV]
    scopes: [{name: C0OPS}]
    listed: [slack:T0DEV/U0ADA]
  - name: feishu
    platform: feishu
    accounts: [cli_dev]
    scopes: [{name: oc_ops}]
    listed: [feishu:cli_dev/ou_ada]
  - name: github
    platform: github
    accounts: [acme/shop]
    scopes: [{name: issues}]
    listed: ["github:11"]
queues:
  - name: ops
    approvers: [slack:T0DEV/U0ADA]
    bindings:
      - {surface: slack, account: T0DEV, channel: C0APPROVALS}
      - {surface: github, account: acme/shop, channel: "1"}
`

// world is a whole deployment in this process, healthy until a row of the
// table breaks it: the real entrances on the embedded engine, the platforms'
// stand-ins, and handlers in between that can be swapped by method and path.
type world struct {
	*testing.T
	ctx      context.Context
	clock    *clock.Fake
	platform *local.World
	run      *local.Runtime
	target   Target

	mu       sync.Mutex
	instead  map[string]http.HandlerFunc
	model    error
	opened   local.Config
	replaced string // policy
	// platforms from which no message, or no click, ever came
	unheard, unclicked string
}

func build(t *testing.T, before func(*world)) *world {
	t.Helper()
	w := &world{T: t, ctx: context.Background(), clock: clock.NewFake(start), instead: map[string]http.HandlerFunc{}, replaced: rules}
	platforms := http.NewServeMux()
	front := httptest.NewUnstartedServer(w.swap("front", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { w.run.Handler.ServeHTTP(rw, r) })))
	front.Start()
	t.Cleanup(front.Close)
	w.platform = local.NewWorld(w.clock.Now)
	gh, key := github.DevConfig(), makeKey()
	gh.Token, gh.Key, gh.WebhookURL = "", &key.PublicKey, front.URL+"/hooks/github"
	w.platform.GitHub = github.New(gh, w.clock.Now)
	w.platform.Routes(platforms)
	back := httptest.NewServer(w.swap("back", platforms))
	t.Cleanup(back.Close)

	w.opened = local.Config{Clock: w.clock, Log: slog.New(slog.DiscardHandler), LinkKey: []byte(linkKey), PublicURL: front.URL}
	w.platform.Connect(&w.opened, back.URL)
	w.opened.GitHub.Token, w.opened.GitHub.AppID, w.opened.GitHub.InstallationID = "", 77, 7700
	w.opened.GitHub.PrivateKey = pemOf(key)
	w.target = Target{URL: front.URL, HTTP: &http.Client{Timeout: 10 * time.Second}, Now: w.clock.Now, Stack: "--stack t",
		Secrets: map[string]Secret{
			"slack":  secretOf(t, *w.opened.Slack, back.URL+"/slack"),
			"feishu": secretOf(t, *w.opened.Feishu, back.URL+"/feishu"),
			"github": secretOf(t, *w.opened.GitHub, back.URL+"/github"),
			"link":   {Name: "link", Values: map[string]string{"key": linkKey}},
		},
		Queues: func(context.Context) (map[string]Depth, error) {
			return map[string]Depth{"triggers": {}, "turns": {Waiting: 3}, "dispatch": {}}, nil
		},
		Reconciled: func(context.Context) (time.Time, error) { return w.clock.Now().Add(-4 * time.Minute), nil },
		Model:      func(context.Context) (Talker, string, error) { return talker{w}, "m-1", nil },
	}
	if before != nil {
		before(w)
	}
	var err error
	if w.run, err = local.Open(w.opened); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.run.Close() })
	w.target.Store = w.run.Store
	w.apply(w.replaced)
	hook := github.Hook{URL: front.URL + "/hooks/github", Client: front.Client()}
	if _, _, err := w.platform.GitHub.Open(w.ctx, hook, github.Draft{Author: "bob", Repo: "acme/shop", Title: "Approvals"}); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"slack", "feishu"} {
		if p != w.unheard {
			w.write(store.NewAudit(store.Audit{ID: id(), Chain: "thread#x", What: "accepted", Via: p, At: start}))
		}
		if p != w.unclicked {
			w.write(store.NewAudit(store.Audit{ID: id(), Chain: "session#x", What: "resolved", Via: p, At: start}))
		}
	}
	return w
}

func (w *world) apply(text string) {
	w.Helper()
	if text == "" {
		return
	}
	p, err := policy.Parse("test.yaml", []byte(text))
	if err != nil {
		w.Fatal(err)
	}
	was, err := w.run.Store.Policy(w.ctx)
	if err != nil {
		w.Fatal(err)
	}
	actions, err := store.SavePolicy(was.Version, p, text, "panel:ada", start)
	if err != nil {
		w.Fatal(err)
	}
	w.write(actions...)
}

func (w *world) write(actions ...table.Action) {
	w.Helper()
	if lost, err := w.run.Store.Do(w.ctx, id(), actions...); err != nil || lost != nil {
		w.Fatal(lost, err)
	}
}

// card stores an item whose card is visible on a surface since a time.
func (w *world) card(surface string, since time.Time) {
	w.Helper()
	x, at := id(), trigger.Place{Surface: surface, Account: "a", Channel: "c"}
	it := inbox.Item{ID: x, Session: "s", Kind: inbox.Approval, Queue: "ops", State: inbox.Pending, Created: since,
		Expires: policy.Never, Places: []trigger.Place{at}, Version: 1}
	w.write(append(store.NewItem(it, inbox.Body{Item: x, Asked: actor.Actor{}}), store.NewShown(x, at, true, since))...)
	row, err := w.run.Store.Shown(w.ctx, x, at)
	if err != nil || row == nil {
		w.Fatal(err)
	}
	row.State, row.Message = store.Visible, "m"
	w.write(store.SaveShown(*row))
}

// swap serves a handler unless a row put another in the place of "side METHOD path".
func (w *world) swap(side string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		h := w.instead[side+" "+r.Method+" "+r.URL.Path]
		w.mu.Unlock()
		if h == nil {
			h = next.ServeHTTP
		}
		h(rw, r)
	})
}

func (w *world) answer(where string, status int, body any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.instead[where] = func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(status)
		_ = json.NewEncoder(rw).Encode(body)
	}
}

// examine runs doctor and gives its findings, and the checks that are wrong.
func (w *world) examine() (all []Finding, wrong []string) {
	n := Run(w.ctx, w.target, func(f Finding) {
		all = append(all, f)
		if f.Level == Wrong {
			wrong = append(wrong, f.Check)
		}
	})
	if n != len(wrong) {
		w.Errorf("%d said to be wrong, %d reported", n, len(wrong))
	}
	slices.Sort(wrong)
	return all, wrong
}

func (w *world) secret(platform string, change func(map[string]string)) {
	s := w.target.Secrets[platform]
	change(s.Values)
	w.target.Secrets[platform] = s
}

func secretOf(t *testing.T, form any, api string) Secret {
	t.Helper()
	raw, err := json.Marshal(form)
	var fields map[string]any
	if err == nil {
		err = json.Unmarshal(raw, &fields)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := Secret{Name: "arn:secret", Values: map[string]string{"api": api}}
	for k, v := range fields {
		if f, ok := v.(float64); ok {
			s.Values[k] = fmt.Sprintf("%.0f", f)
		} else {
			s.Values[k] = fmt.Sprint(v)
		}
	}
	return s
}

// talker is a model that answers, or fails as told.
type talker struct{ w *world }

func (t talker) Complete(context.Context, model.Request) (model.Reply, error) {
	return model.Reply{Text: "Yes."}, t.w.model
}

var makeKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func pemOf(key *rsa.PrivateKey) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

func id() string { return ulid.Make().String() }

// tokens are the values of every secret, none of which may be said.
func tokens(w *world) []string {
	var out []string
	for _, s := range w.target.Secrets {
		for k, v := range s.Values {
			if k != "api" && k != "slug" && k != "app_id" && k != "installation_id" && k != "domain" && k != "bot_open_id" {
				out = append(out, strings.Fields(v)...)
			}
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return len(s) < 8 })
}

func without(key string) func(map[string]string) {
	return func(v map[string]string) { delete(v, key) }
}

func (w *world) lose(name string) {
	w.target.Secrets[name] = Secret{Name: "arn:secret", Err: errors.New("ResourceNotFoundException")}
}

// scopes makes Slack grant others to the token.
func (w *world) scopes(list string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.instead["back POST /slack/auth.test"] = func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("X-OAuth-Scopes", list)
		_, _ = rw.Write([]byte(`{"ok":true,"team_id":"T0DEV","user_id":"U0AGENT","bot_id":"B0AGENT"}`))
	}
}

// app and installation make GitHub describe the App otherwise.
func (w *world) app(change func(object)) {
	o := object{"id": 77, "slug": "postern-agent", "permissions": edge.Permissions, "events": edge.Events}
	change(o)
	w.answer("back GET /github/app", 200, o)
}

func (w *world) installation(with object) {
	o := object{"id": 7700, "permissions": edge.Permissions, "suspended_at": nil}
	maps.Copy(o, with)
	w.answer("back GET /github/app/installations/7700", 200, o)
}

func (w *world) pause() {
	p, err := w.run.Store.Policy(w.ctx)
	if err != nil {
		w.Fatal(err)
	}
	p.Paused = []string{"all"}
	actions, err := store.SavePolicy(p.Version, p, "", "panel:ada", start)
	if err != nil {
		w.Fatal(err)
	}
	w.write(actions...)
}

type unreachable struct{}

func (unreachable) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Hostname() == "postern.example.com" {
		return nil, errors.New("no such host")
	}
	return http.DefaultTransport.RoundTrip(r)
}

// silent is a table that cannot be reached, empty one that holds nothing.
type silent struct{ table.Table }

var errSilent = errors.New("ExpiredTokenException")

func (silent) Get(context.Context, table.Key) (table.Item, error) { return nil, errSilent }

type empty struct{ table.Table }

func (empty) Get(context.Context, table.Key) (table.Item, error)     { return nil, nil }
func (empty) Query(context.Context, table.Query) (table.Page, error) { return table.Page{}, nil }
