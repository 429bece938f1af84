package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/sqlite"
	"github.com/postern-dev/postern/shared/store/table"
)

// house is the API on a table of its own, with a clock that stands. Each
// answer it gives is held to the document.
type house struct {
	t      *testing.T
	doc    *document31
	mux    *http.ServeMux
	store  *store.Store
	now    time.Time
	n      atomic.Int64
	broken *broken
	seen   map[told]bool
}

// broken is a table that fails when it is told to.
type broken struct {
	table.Table
	is bool
}

var errBroken = errors.New("the table cannot be reached")

func (b *broken) Get(ctx context.Context, k table.Key) (table.Item, error) {
	if b.is {
		return nil, errBroken
	}
	return b.Table.Get(ctx, k)
}

func (b *broken) Query(ctx context.Context, q table.Query) (table.Page, error) {
	if b.is {
		return table.Page{}, errBroken
	}
	return b.Table.Query(ctx, q)
}

func (b *broken) GetMany(ctx context.Context, k []table.Key) ([]table.Item, error) {
	if b.is {
		return nil, errBroken
	}
	return b.Table.GetMany(ctx, k)
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, doc: readDocument(t), mux: http.NewServeMux(), now: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC), seen: map[told]bool{}}
	db, err := sqlite.Open(sqlite.Memory)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	h.broken = &broken{Table: db}
	h.store = store.New(h.broken)
	now := func() time.Time { return h.now }
	g := &Gate{Store: h.store, Now: now, NewID: h.id, Log: slog.New(slog.DiscardHandler), Count: func(string, string) {}}
	(&Handler{Gate: g, Resolver: &resolve.Resolver{Store: h.store, Now: now, NewID: h.id},
		Link: func(item string) string { return "https://postern.test/inbox/" + item }, Person: person}).Routes(h.mux)
	p := policy.Policy{Owners: []string{"panel:owner"}, Queues: []policy.Queue{{Name: "default", Approvers: &[]string{"panel:ada", "panel:bob"}}}}
	actions, err := store.SavePolicy(0, p, "", "test:start", h.now)
	if err != nil {
		t.Fatal(err)
	}
	h.do(actions...)
	h.do(store.NewAPIKey(store.APIKey{Hash: store.HashSecret("good"), Name: "bot", Mode: "interactive"}))
	h.do(store.NewAPIKey(store.APIKey{Hash: store.HashSecret("other"), Name: "other", Mode: "interactive"}))
	h.do(store.NewAPIKey(store.APIKey{Hash: store.HashSecret("revoked"), Name: "bot", Revoked: true}))
	h.do(store.NewAPIKey(store.APIKey{Hash: store.HashSecret("old"), Name: "bot", Expires: h.now}))
	return h
}

// person reads who is signed in from a header, in place of the panel's cookie.
func person(r *http.Request) (*Person, error) {
	name, role, ok := strings.Cut(r.Header.Get("Test-Person"), " ")
	if !ok {
		return nil, nil
	}
	return &Person{Ref: name, Name: name, Role: role}, nil
}

func (h *house) id() string { return fmt.Sprintf("id%016d", h.n.Add(1)) }

func (h *house) do(actions ...table.Action) {
	h.t.Helper()
	if lost, err := h.store.Do(context.Background(), h.id(), actions...); err != nil || lost != nil {
		h.t.Fatalf("commit: %v, lost %v", err, lost)
	}
}

// ask is one request, as the caller of an operation makes it.
type ask struct {
	method, path string // of the document
	session      string
	call, item   string
	query        string
	key, person  string // the bearer, and who is signed in
	idem         string
	body         string
	from         string // Sec-Fetch-Site
	bad          bool   // the body is none that the document allows
}

// send makes a request, holds request and answer to the document, and gives
// the answer's JSON.
func (h *house) send(a ask, status int, code string) map[string]any {
	h.t.Helper()
	path := strings.NewReplacer("{session}", a.session, "{call}", a.call, "{item}", a.item).Replace(a.path) + a.query
	r := httptest.NewRequest(a.method, "http://postern.test"+path, strings.NewReader(a.body))
	for name, v := range map[string]string{"Idempotency-Key": a.idem, "Test-Person": a.person, "Sec-Fetch-Site": a.from} {
		if v != "" {
			r.Header.Set(name, v)
		}
	}
	if a.key != "" {
		r.Header.Set("Authorization", "Bearer "+a.key)
	}
	_, where := h.doc.at(h.t, "", "paths", a.path, strings.ToLower(a.method), "requestBody", "content", "application/json", "schema")
	if strings.HasSuffix(where, "/schema") || strings.Contains(where, "/schemas/") {
		if err := h.doc.fits(h.t, where, []byte(a.body)); (err != nil) != a.bad {
			h.t.Errorf("%s %s: is %s a body of the document's? %v", a.method, a.path, a.body, err)
		}
	}
	w := httptest.NewRecorder()
	h.mux.ServeHTTP(w, r)
	resp := w.Result()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	got := h.doc.check(h.t, a.method, a.path, resp, body)
	if got.status != status || got.code != code {
		h.t.Errorf("%v, want %d %s: %s", got, status, code, body)
	}
	h.seen[got] = true
	var out map[string]any
	_ = json.Unmarshal(body, &out)
	return out
}

func text(m map[string]any, name string) string {
	s, _ := m[name].(string)
	return s
}

// Every way to be answered that the document names is driven here, and every
// answer seen is one that it names (U10).
func TestU10_HandlersKeepTheDocument(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.agents()
	h.people()
	h.send(ask{method: "GET", path: "/v1/openapi.yaml"}, 200, "")
	promised := h.doc.promised(t)
	for x := range promised {
		if !h.seen[x] {
			t.Errorf("never seen: %v", x)
		}
	}
	for x := range h.seen {
		if !promised[x] {
			t.Errorf("not in the document: %v", x)
		}
	}
	if len(promised) < 50 {
		t.Errorf("only %d ways in the document: the test does not read it", len(promised))
	}
}

const (
	sessions = "/v1/sessions"
	calls    = "/v1/sessions/{session}/calls"
	oneCall  = "/v1/sessions/{session}/calls/{call}"
	spend    = "/v1/sessions/{session}/calls/{call}/spend"
	outcome  = "/v1/sessions/{session}/calls/{call}/outcome"
	items    = "/v1/items"
	answers  = "/v1/items/{item}/answer"
)

// common drives what every operation of agents answers alike.
func (h *house) common(a ask, writes, idempotent, reads bool) {
	h.t.Helper()
	with := func(f func(*ask)) ask { b := a; f(&b); return b }
	h.send(with(func(b *ask) { b.key = "" }), 401, "no_key")
	for _, key := range []string{"guess", "revoked", "old"} {
		h.send(with(func(b *ask) { b.key = key }), 401, "bad_key")
	}
	h.send(with(func(b *ask) { b.key, b.person = "", "panel:ada approver" }), 401, "no_key") // a sign-in is no key
	h.broken.is = true
	h.send(a, 500, "internal")
	h.broken.is = false
	if writes {
		h.send(with(func(b *ask) { b.from = "cross-site" }), 403, "cross_origin")
		h.send(with(func(b *ask) { b.from = "same-site" }), 403, "cross_origin")
	}
	if idempotent {
		h.send(with(func(b *ask) { b.idem = "" }), 400, "no_idempotency_key")
		h.send(with(func(b *ask) { b.idem = strings.Repeat("k", 201) }), 400, "no_idempotency_key")
	}
	if reads {
		for _, body := range []string{"", "[]", `{"unknown":1}`, a.body + a.body} {
			h.send(with(func(b *ask) { b.body, b.bad = body, true }), 400, "bad_request")
		}
		big := `{"` + strings.Repeat("x", MaxBody) + `":1}`
		h.send(with(func(b *ask) { b.body, b.bad = big, true }), 413, "too_large")
	}
	if a.session == "" {
		return
	}
	h.send(with(func(b *ask) { b.key = "other" }), 404, "unknown") // another's session
	h.send(with(func(b *ask) { b.session = "s-none" }), 404, "unknown")
	h.send(with(func(b *ask) { b.session = strings.Repeat("s", 3000) }), 404, "unknown")
	gone := text(h.send(ask{method: "POST", path: sessions, key: "good", idem: h.id(), body: "{}"}, 201, ""), "session")
	h.change(gone, func(s *session.Session) { s.Deleted = true })
	h.send(with(func(b *ask) { b.session = gone }), 410, "deleted")
}

// change changes a session as somebody else does meanwhile.
func (h *house) change(id string, f func(*session.Session)) {
	h.t.Helper()
	s, err := h.store.Session(context.Background(), id)
	if err != nil || s == nil {
		h.t.Fatal(err)
	}
	f(s)
	h.do(store.SaveSession(*s))
}

func (h *house) agents() {
	h.t.Helper()
	open := ask{method: "POST", path: sessions, key: "good", idem: "open-1", body: `{"title":"Work","mode":"interactive","queue":"default","roots":["/home/ada/shop"]}`}
	made := h.send(open, 201, "")
	s := text(made, "session")
	if again := h.send(open, 201, ""); text(again, "session") != s {
		h.t.Errorf("the same key opened %v and %v", made, again)
	}
	h.common(open, true, true, true)
	for body, code := range map[string]string{`{"mode":"auto"}`: "mode_not_allowed", `{"mode":"sometimes"}`: "unknown_mode", `{"queue":"none"}`: "unknown_queue",
		`{"roots":["/"]}`: "bad_root", `{"title":"` + strings.Repeat("t", 201) + `"}`: "bad_title"} {
		status := 400
		if code == "mode_not_allowed" {
			status = 403
		}
		h.send(ask{method: "POST", path: sessions, key: "good", idem: "bad-" + code, body: body, bad: code == "unknown_mode" || code == "bad_title"}, status, code)
	}

	submit := ask{method: "POST", path: calls, session: s, key: "good", idem: "call-1", body: `{"tool":"github_comment","arguments":{"issue":"acme/shop#1","body":"hello"}}`}
	waits := h.send(submit, 202, "")
	if text(waits, "decision") != "waiting" || text(waits, "link") == "" {
		h.t.Errorf("told %v", waits)
	}
	h.common(submit, true, true, true)
	reads := submit
	reads.idem, reads.body = "call-2", `{"tool":"github_read_issue","arguments":{"issue":"acme/shop#1"}}`
	if told := h.send(reads, 200, ""); text(told, "decision") != "allow" || text(told, "outcome") != "allowed" {
		h.t.Errorf("a read was told %v", told)
	}
	reused := submit
	reused.body = `{"tool":"github_comment","arguments":{"issue":"acme/shop#1","body":"bye"}}`
	h.send(reused, 422, "key_reused")
	bad := submit
	bad.idem, bad.body = "call-3", `{"tool":"","arguments":{}}`
	h.send(bad, 400, "bad_call")

	look := ask{method: "GET", path: oneCall, session: s, call: text(waits, "call"), key: "good"}
	h.send(look, 202, "")
	h.common(look, false, false, false)
	spent := ask{method: "POST", path: spend, session: s, call: look.call, key: "good", idem: "spend-1"}
	ended := ask{method: "POST", path: outcome, session: s, call: look.call, key: "good", body: `{"ok":true,"result":"done"}`}
	for _, a := range []ask{look, spent, ended} {
		a.call = "none"
		h.send(a, 404, "unknown")
		a.call = strings.Repeat("c", 3000)
		h.send(a, 404, "unknown")
	}
	h.send(spent, 409, "not_approved")
	h.send(ended, 409, "not_spent")
	h.common(spent, true, true, false)
	h.common(ended, true, false, true)

	h.allow(text(waits, "item"))
	if told := h.send(look, 200, ""); text(told, "grant") == "" || told["arguments"] == nil {
		h.t.Errorf("an approved call is told %v", told)
	}
	h.change(s, func(s *session.Session) { s.Mode = "discuss" })
	h.send(spent, 409, "denied_today")
	h.change(s, func(s *session.Session) { s.Mode, s.Generation = "interactive", 2 })
	h.send(spent, 409, "session_changed")
	h.change(s, func(s *session.Session) { s.Generation = 1 })
	if told := h.send(spent, 200, ""); told["spent"] != true {
		h.t.Errorf("spending is told %v", told)
	}
	h.send(spent, 200, "") // the same spending
	twice := spent
	twice.idem = "spend-2"
	h.send(twice, 409, "spent")
	ended.body = `{"ok":true,"result":"x` + strings.Repeat("é", 4000) + `"}` // kept to its limit, which falls inside a letter
	h.send(ended, 204, "")
	h.send(ended, 204, "")
	if told := h.send(look, 200, ""); told["spent"] != true {
		h.t.Errorf("a spent call is told %v", told)
	}
}

// allow answers an item as Ada.
func (h *house) allow(item string) {
	h.t.Helper()
	x, err := h.store.Item(context.Background(), item)
	if err != nil || x == nil {
		h.t.Fatal(err)
	}
	h.send(ask{method: "POST", path: answers, item: item, person: "panel:ada approver", idem: h.id(), body: `{"digest":"` + x.Digest + `","choice":"allow"}`}, 200, "")
}

func (h *house) people() {
	h.t.Helper()
	s := text(h.send(ask{method: "POST", path: sessions, key: "good", idem: "open-2", body: "{}"}, 201, ""), "session")
	raise := func(n string) (item, digest string) {
		told := h.send(ask{method: "POST", path: calls, session: s, key: "good", idem: "raise-" + n,
			body: `{"tool":"github_comment","arguments":{"issue":"acme/shop#2","body":"` + n + `"}}`}, 202, "")
		x, err := h.store.Item(context.Background(), text(told, "item"))
		if err != nil || x == nil {
			h.t.Fatal(err)
		}
		return x.ID, x.Digest
	}
	item, digest := raise("one")
	list := ask{method: "GET", path: items, person: "panel:vic viewer"}
	if page := h.send(list, 200, ""); len(page["items"].([]any)) == 0 {
		h.t.Error("nothing is listed")
	}
	list.query = "?state=all"
	h.send(list, 200, "")
	list.query = "?cursor=guess"
	h.send(list, 400, "bad_cursor")

	a := ask{method: "POST", path: answers, item: item, person: "panel:ada approver", idem: "answer-1", body: `{"digest":"` + digest + `","choice":"allow"}`}
	with := func(f func(*ask)) ask { b := a; f(&b); return b }
	for _, op := range []ask{{method: "GET", path: items}, a} {
		op.person, op.key = "", "good"
		h.send(op, 401, "not_signed_in") // an API key never answers (I13)
		op.person, op.key = "panel:aud auditor", ""
		h.send(op, 403, "audit_only")
		op.person = "panel:ada approver"
		h.broken.is = true
		h.send(op, 500, "internal")
		h.broken.is = false
	}
	h.send(with(func(b *ask) { b.idem = "" }), 400, "no_idempotency_key")
	h.send(with(func(b *ask) { b.body, b.bad = `{"digest":1}`, true }), 400, "bad_request")
	h.send(with(func(b *ask) { b.body, b.bad = `{"`+strings.Repeat("x", MaxBody)+`":1}`, true }), 413, "too_large")
	h.send(with(func(b *ask) { b.from = "cross-site" }), 403, "cross_origin")
	h.send(with(func(b *ask) { b.person = "panel:vic viewer" }), 403, "not_allowed")
	h.send(with(func(b *ask) { b.item = "none" }), 404, "unknown")
	h.send(with(func(b *ask) { b.item = strings.Repeat("i", 3000) }), 404, "unknown")
	h.send(with(func(b *ask) { b.body = `{"digest":"other","choice":"allow"}` }), 422, "invalid")
	h.send(with(func(b *ask) { b.body = `{"digest":"` + digest + `","choice":"perhaps"}` }), 422, "invalid")
	if got := h.send(a, 200, ""); text(got, "state") != "approved" || !strings.Contains(text(got, "resolved"), "panel:ada") {
		h.t.Errorf("answered %v", got)
	}
	h.send(a, 200, "") // the same answer again
	if got := h.send(with(func(b *ask) { b.person, b.idem = "panel:bob approver", "answer-2" }), 409, "already_resolved"); !strings.Contains(text(got, "detail"), "allowed by panel:ada at 1 Dec 09:00") {
		h.t.Errorf("the loser is told %v", got)
	}
	late, digest := raise("two")
	h.now = h.now.Add(8 * 24 * time.Hour)
	h.send(with(func(b *ask) { b.item, b.body, b.idem = late, `{"digest":"`+digest+`","choice":"allow"}`, "answer-3" }), 410, "expired")
	list.query = "?state=all"
	h.send(list, 200, "") // settled ones too
}

// Whatever else is asked for is refused as a problem too.
func TestU10_ElsewhereIsAProblem(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, c := range []struct {
		method, path, code, allow string
		status                    int
	}{
		{"GET", "/v1/", "no_such_path", "", 404}, {"POST", "/v1/nothing", "no_such_path", "", 404}, {"GET", "/v1/sessions/x", "no_such_path", "", 404},
		{"GET", "/v1/sessions", "method_not_allowed", "POST", 405}, {"DELETE", "/v1/items", "method_not_allowed", "GET, HEAD", 405},
		{"GET", "/v1/items/x/answer", "method_not_allowed", "POST", 405}, {"PUT", "/v1/openapi.yaml", "method_not_allowed", "GET, HEAD", 405},
	} {
		w := httptest.NewRecorder()
		h.mux.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		var p Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != c.status || p.Code != c.code || w.Header().Get("Allow") != c.allow ||
			w.Header().Get("Content-Type") != "application/problem+json" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: %d %s %v", c.method, c.path, w.Code, w.Body, w.Header())
		}
	}
}
