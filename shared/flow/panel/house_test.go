package panel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/flow/panel"
	"github.com/postern-dev/postern/shared/flow/raise"
	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/sqlite"
	"github.com/postern-dev/postern/shared/store/table"
)

// house is a panel on a table of its own, with a clock that stands.
type house struct {
	t     *testing.T
	db    *sqlite.DB
	store *store.Store
	panel *panel.Panel
	h     http.Handler
	now   time.Time
	n     atomic.Int64
	pol   policy.Policy
}

var slackOps = trigger.Place{Surface: "slack", Account: "T1", Channel: "C1", Thread: "1.1"}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, now: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)}
	now := func() time.Time { return h.now }
	db, err := sqlite.Open(sqlite.Memory, sqlite.WithClock(now))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	h.db, h.store = db, store.New(db)
	h.panel = &panel.Panel{Store: h.store, Now: now, NewID: h.id, Secret: h.id, Log: slog.New(slog.DiscardHandler),
		Resolver: &resolve.Resolver{Store: h.store, Now: now, NewID: h.id}}
	h.h = h.panel.Routes()
	h.pol = policy.Policy{Owners: []string{"panel:owner"},
		Sources: []policy.Source{{Name: "s", Platform: "slack", Accounts: []string{"T1"}, Listed: []string{"panel:lin"}}},
		Queues:  []policy.Queue{{Name: "default", Approvers: &[]string{"panel:ada", "panel:bob"}}, {Name: "strict", NoSelf: true, Approvers: &[]string{"panel:ada"}}}}
	actions, err := store.SavePolicy(0, h.pol, "", "test:start", h.now)
	if err != nil {
		t.Fatal(err)
	}
	h.do(actions...)
	return h
}

func (h *house) id() string { return fmt.Sprintf("id%016d", h.n.Add(1)) }

func (h *house) do(actions ...table.Action) {
	h.t.Helper()
	lost, err := h.store.Do(context.Background(), h.id(), actions...)
	if err != nil || lost != nil {
		h.t.Fatalf("commit: %v, lost %v", err, lost)
	}
}

// session makes an executor's session, asked for by Ada in Slack.
func (h *house) session(id, title string) session.Session {
	h.t.Helper()
	s := session.Session{ID: id, Persona: "cowork", Title: title, Mode: "interactive", Unattended: true, Queue: "default",
		Owner: "slack:T1/U1", Asked: actor.Actor{Provider: "slack", Workspace: "T1", ID: "U1", Name: "ada", Kind: actor.Human},
		Origin: &slackOps, Generation: 1, Created: h.now}
	h.do(store.NewSession(s, 0)...)
	return s
}

// raise makes an item of that session wait.
func (h *house) raise(s session.Session, a raise.Ask) inbox.Item {
	h.t.Helper()
	if a.Kind == "" {
		a.Kind, a.Tool, a.Risk = inbox.Approval, "github_comment", "external"
	}
	if a.Body.Arguments == nil {
		a.Body.Arguments = json.RawMessage(`{"body":"hello"}`)
	}
	a.Digest = "d" + h.id()
	a.ID = inbox.ItemID(s.ID, h.n.Add(1), 0, a.Digest)
	r := raise.New(s, a, h.pol, h.id(), h.now)
	h.do(r.All()...)
	return r.Item
}

// person signs somebody in and gives his browser.
func (h *house) person(ref, role string) *browser {
	h.t.Helper()
	key := h.id()
	_, name, _ := strings.Cut(ref, ":")
	h.do(store.NewLogin(panel.NewLogin(key, ref, name, role, h.now.Add(time.Minute))))
	b := &browser{house: h}
	if a := b.send("POST", "/login", url.Values{"key": {key}}, nil); a.Code != http.StatusSeeOther {
		h.t.Fatalf("sign-in was answered %d: %s", a.Code, a.Body)
	}
	return b
}

// browser keeps a cookie and the form token of the last page.
type browser struct {
	*house
	cookie string
	form   string
}

type answer struct {
	*httptest.ResponseRecorder
	text string
}

var token = regexp.MustCompile(`name="form" value="([^"]*)"`)

func (b *browser) send(method, path string, form url.Values, header http.Header) answer {
	b.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r := httptest.NewRequest(method, "http://postern.test"+path, body)
	for k, v := range header {
		r.Header[k] = v
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if b.cookie != "" {
		r.Header.Set("Cookie", b.cookie)
	}
	w := httptest.NewRecorder()
	b.h.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		b.cookie = c.Name + "=" + c.Value
	}
	a := answer{w, w.Body.String()}
	if m := token.FindStringSubmatch(a.text); m != nil {
		b.form = m[1]
	}
	return a
}

func (b *browser) get(path string) answer { b.t.Helper(); return b.send("GET", path, nil, nil) }

// fresh asks as an open page does for its fresh part.
func (b *browser) fresh(path, tag string) answer {
	b.t.Helper()
	return b.send("GET", path, nil, http.Header{"Hx-Request": {"true"}, "If-None-Match": {tag}})
}

// answer opens an item's page and submits its form.
func (b *browser) answer(x inbox.Item, choice, text string) answer {
	b.t.Helper()
	b.get("/inbox/" + x.ID)
	return b.submit(x, choice, text)
}

// submit submits the form of an item as a page showed it earlier.
func (b *browser) submit(x inbox.Item, choice, text string) answer {
	b.t.Helper()
	v := url.Values{"form": {b.form}, "digest": {x.Digest}, "once": {x.ID + "-pending"}, "text": {text}}
	if choice != "" {
		v["choice"] = strings.Split(choice, ",")
	}
	return b.send("POST", "/inbox/"+x.ID+"/answer", v, nil)
}

func (a answer) want(t *testing.T, status int, has ...string) answer {
	t.Helper()
	if a.Code != status {
		t.Errorf("status %d, want %d: %s", a.Code, status, a.text)
	}
	for _, s := range has {
		if !strings.Contains(a.text, s) {
			t.Errorf("the page lacks %q: %s", s, a.text)
		}
	}
	return a
}

func (a answer) lacks(t *testing.T, not ...string) {
	t.Helper()
	for _, s := range not {
		if strings.Contains(a.text, s) {
			t.Errorf("the page has %q: %s", s, a.text)
		}
	}
}

// changes is how many rows were ever written.
func (h *house) changes() int {
	h.t.Helper()
	n, cursor := 0, ""
	for {
		list, next, err := h.db.Changes(context.Background(), cursor, 1000)
		if err != nil {
			h.t.Fatal(err)
		}
		if n += len(list); len(list) == 0 {
			return n
		}
		cursor = next
	}
}

// state is an item's state in the table.
func (h *house) state(x inbox.Item) inbox.State {
	h.t.Helper()
	now, err := h.store.Item(context.Background(), x.ID)
	if err != nil || now == nil {
		h.t.Fatalf("read the item: %v", err)
	}
	return now.State
}
