package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/sqlite"
	"github.com/postern-dev/postern/shared/store/table"
)

// house is one session with its engine, on an empty table.
type house struct {
	*Engine
	t        *testing.T
	now      time.Time
	ids      int
	table    *shaky
	resolver *resolve.Resolver
	s        session.Session

	mu    sync.Mutex
	says  [][]model.Call // what the model says, message by message; then "done"
	fails func() error   // a model call's failure, if any
	ran   []string       // tool calls in the order they were made, by key
	tool  func(name, key string) (string, error)
}

var ada = actor.Actor{Provider: "panel", ID: "ada", Name: "Ada", Kind: actor.Human}

func newHouse(t *testing.T, says ...[]model.Call) *house {
	t.Helper()
	h := &house{t: t, now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), says: says}
	db, err := sqlite.Open(sqlite.Memory, sqlite.WithClock(h.clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	h.table = &shaky{Table: db}
	st := store.New(h.table)
	h.resolver = &resolve.Resolver{Store: st, Now: h.clock, NewID: h.id}
	h.Engine = &Engine{Store: st, Model: func(string) (Model, string, error) { return h, "m", nil }, Tools: map[string]Tool{},
		Persona: func(string, string) (Persona, error) {
			return Persona{Prompt: "work", Capabilities: []string{"session", "github", "slack", "web"}}, nil
		},
		Have: map[string]bool{"connector:github": true, "connector:slack": true}, Limits: DefaultLimits, Now: h.clock, NewID: h.id,
		Log: slog.New(slog.DiscardHandler), Count: func(string, string) {}}
	for _, name := range []string{"github_comment", "slack_send_message", "web_fetch"} {
		h.Tools[name] = func(_ context.Context, _ json.RawMessage, key string) (string, error) { return h.call(name, key) }
	}
	h.begin()
	return h
}

// begin saves a policy and opens the session, an executor of a ticket, with
// one message in its mailbox.
func (h *house) begin() {
	h.t.Helper()
	p := policy.Policy{Owners: []string{"panel:ada"}, Queues: []policy.Queue{{Name: "default", Approvers: &[]string{"panel:ada"},
		Bindings: []policy.Binding{{Surface: "slack", Account: "T1", Channel: "CQ", Private: true}}}}}
	h.savePolicy(p)
	origin := trigger.Place{Surface: "slack", Account: "T1", Channel: "C1", Thread: "1.1"}
	h.s = session.Session{ID: "s1", Persona: "cowork", Mode: "interactive", Unattended: true, Queue: "default", Origin: &origin, Ticket: "t1",
		Model: "m", Generation: 1, Created: h.now}
	actions := append(store.NewSession(h.s, 1), store.NewTicket(ticket.Ticket{ID: "t1", Session: "s1", Thread: origin, Created: h.now}),
		store.MailEntry(session.Mail{Session: "s1", ID: store.MailID(h.now, "0"), Kind: session.Message, From: ada, Listed: true, Text: "go", At: h.now}))
	h.do(actions...)
}

func (h *house) savePolicy(p policy.Policy) {
	h.t.Helper()
	actions, err := store.SavePolicy(p.Version, p, "", "panel:ada", h.now)
	if err != nil {
		h.t.Fatal(err)
	}
	h.do(actions...)
}

// nobody takes everybody off the queue's list.
func (h *house) nobody() {
	h.t.Helper()
	p, err := h.Store.Policy(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	p.Queues[0].Approvers = &[]string{}
	h.savePolicy(p)
}

func (h *house) do(actions ...table.Action) {
	h.t.Helper()
	if lost, err := h.Store.Do(context.Background(), h.id(), actions...); err != nil || lost != nil {
		h.t.Fatal(lost, err)
	}
}

func (h *house) clock() time.Time { h.mu.Lock(); defer h.mu.Unlock(); return h.now }

func (h *house) later(d time.Duration) { h.mu.Lock(); defer h.mu.Unlock(); h.now = h.now.Add(d) }

func (h *house) id() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ids++
	return fmt.Sprintf("%06d", h.ids)
}

// Complete implements Model: a function of the transcript.
func (h *house) Complete(_ context.Context, r model.Request) (model.Reply, error) {
	if err := model.Check(r.Messages); err != nil {
		h.t.Errorf("a provider would refuse this (S7): %v", err)
	}
	if h.fails != nil {
		if err := h.fails(); err != nil {
			return model.Reply{}, err
		}
	}
	n := 0
	for _, m := range r.Messages {
		if m.Role == model.Assistant && len(m.Calls) > 0 {
			n++
		}
	}
	if n >= len(h.says) {
		return model.Reply{Text: "done", Stop: model.Ended, Input: 10, Output: 1}, nil
	}
	return model.Reply{Calls: h.says[n], Stop: model.Called, Input: 10, Output: 1}, nil
}

// call is every tool: it notes the call.
func (h *house) call(name, key string) (string, error) {
	h.mu.Lock()
	h.ran = append(h.ran, key)
	tool := h.tool
	h.mu.Unlock()
	if tool != nil {
		return tool(name, key)
	}
	return "did " + key, nil
}

func comment(n int) model.Call {
	return model.NewCall("c", "github_comment", fmt.Sprintf(`{"issue":"a/b#1","body":"%d"}`, n))
}

func send(n int) model.Call {
	return model.NewCall("c", "slack_send_message", fmt.Sprintf(`{"channel":"C5","text":"%d"}`, n))
}

func fetch(n int) model.Call {
	return model.NewCall("c", "web_fetch", fmt.Sprintf(`{"url":"https://example.org/%d"}`, n))
}

func says(calls ...model.Call) []model.Call { return calls }

// turn runs one turn, which must not fail.
func (h *house) turn() {
	h.t.Helper()
	if err := h.Turn(h.t.Context(), "s1"); err != nil {
		h.t.Fatal(err)
	}
}

// lease is the session's lease as it is.
func (h *house) lease() session.Lease {
	h.t.Helper()
	l, err := h.Store.Lease(h.t.Context(), "s1")
	if err != nil {
		h.t.Fatal(err)
	}
	return *l
}

// rests fails the test unless the session rests in a state.
func (h *house) rests(want session.Liveness) {
	h.t.Helper()
	if l := h.lease(); l.State != want || l.Holder != "" {
		h.t.Fatalf("the session is %s by %q, not %s", l.State, l.Holder, want)
	}
}

// pending are the items that wait, in the order of their calls.
func (h *house) pending() []inbox.Item {
	h.t.Helper()
	items, _, err := h.Store.PendingItems(h.t.Context(), "", 100)
	if err != nil {
		h.t.Fatal(err)
	}
	slices.SortFunc(items, func(a, b inbox.Item) int { return int(a.Step-b.Step)*100 + a.Pos - b.Pos })
	return items
}

// answer answers an item as Ada.
func (h *house) answer(x inbox.Item, choice, text string) {
	h.t.Helper()
	out, err := h.resolver.Resolve(context.Background(), inbox.Answer{Item: x.ID, Digest: x.Digest, Choice: choice, Text: text, Actor: ada, Via: "panel", ID: "a-" + x.ID})
	if err != nil || out.Result != inbox.Won {
		h.t.Fatalf("%+v %v", out, err)
	}
}

// steps are the transcript, one line each.
func (h *house) steps() []string {
	h.t.Helper()
	steps, err := h.Store.Transcript(h.t.Context(), "s1")
	if err != nil {
		h.t.Fatal(err)
	}
	var out []string
	for _, s := range steps {
		switch s.Role {
		case session.Assistant:
			var tools []string
			for _, c := range s.Calls {
				tools = append(tools, c.Tool)
			}
			out = append(out, strings.TrimSpace("model: "+s.Text+strings.Join(tools, " ")))
		case session.Result:
			out = append(out, fmt.Sprintf("%d.%d %t: %s", s.Of, s.Pos, s.OK, s.Text))
		default:
			out = append(out, "user: "+s.Text)
		}
	}
	return out
}

// last is the newest line of the transcript that has a text in it.
func (h *house) has(text string) bool {
	h.t.Helper()
	return slices.ContainsFunc(h.steps(), func(s string) bool { return strings.Contains(s, text) })
}

// bells are the doorbells of one sort that were written so far.
func (h *house) bells(r store.Ring) []store.Bell {
	h.t.Helper()
	rows, err := h.Store.StuckOutbox(h.t.Context(), h.now.Add(1000*time.Hour), 1000)
	if err != nil {
		h.t.Fatal(err)
	}
	var out []store.Bell
	for _, o := range rows {
		for _, b := range o.Bells {
			if b.Ring == r {
				out = append(out, b)
			}
		}
	}
	return out
}
