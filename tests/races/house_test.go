package races

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/edge/slack"
	"github.com/postern-dev/postern/shared/flow/raise"
	"github.com/postern-dev/postern/shared/flow/turn"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// people is how many persons there are on each surface.
const people = 17

const (
	team    = "T0RACE"
	signing = "signing-secret-of-the-races"
)

var linkKey = []byte("link-key-of-the-races-0123456789")

// house is one whole deployment on a file, whose queues nobody pumps: a test
// runs what it wants to see run.
type house struct {
	*local.Runtime
	t    *testing.T
	at   string            // where the change feed was read up to
	ids  map[string]person // who is signed in, by panel ref
	work *worker
}

// person is somebody's browser.
type person struct {
	cookie *http.Cookie
	form   string
}

func open(t *testing.T) *house {
	t.Helper()
	p := policy.Policy{
		Owners: []string{"panel:p0"},
		Sources: []policy.Source{{Name: "slack", Platform: "slack", Accounts: []string{team},
			Scopes: []policy.Scope{{Name: "C0OPS", Receive: "all"}}, Listed: []string{"slack:" + team + "/U0"}}},
		Queues: []policy.Queue{{Name: "default", Approvers: new([]string),
			Bindings: []policy.Binding{{Surface: "slack", Account: team, Channel: "C0APPROVALS", Private: true}}}},
	}
	for i := range people {
		*p.Queues[0].Approvers = append(*p.Queues[0].Approvers, fmt.Sprintf("slack:%s/U%d", team, i), fmt.Sprintf("panel:p%d", i))
	}
	r, err := local.Open(local.Config{Dir: t.TempDir(), Clock: clock.Real{}, Log: slog.New(slog.DiscardHandler),
		Slack: &slack.Secrets{SigningSecret: signing, BotToken: "xoxb-races"}, SlackAPI: "http://127.0.0.1:1/",
		LinkKey: linkKey, PublicURL: "http://127.0.0.1", ModelName: "races", Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	h := &house{Runtime: r, t: t, ids: map[string]person{}, work: &worker{done: map[string]int{}}}
	r.Turns.Model = func(string) (turn.Model, string, error) { return h.work, "m", nil }
	r.Turns.Tools["github_comment"] = h.work.comment
	r.Turns.Have["connector:github"] = true
	return h
}

// session makes a session of its own and gives it back as it is stored.
func (h *house) session(id string, change func(*session.Session)) session.Session {
	h.t.Helper()
	s := session.Session{ID: id, Persona: "cowork", PersonaVersion: "1", Title: "race", Mode: "interactive", Unattended: true,
		Queue: "default", Model: "races", Generation: 1, Created: h.Clock.Now(),
		Asked: actor.Actor{Provider: "slack", Workspace: team, ID: "U99", Kind: actor.Human}}
	if change != nil {
		change(&s)
	}
	h.do("new-"+id, store.NewSession(s, 0))
	return s
}

// item raises an approval for a session, without a turn that asked for it.
func (h *house) item(s session.Session) inbox.Item {
	h.t.Helper()
	p, err := h.Store.Policy(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	r := raise.New(s, raise.Ask{ID: inbox.ItemID(s.ID, 2, 0, "digest"), Kind: inbox.Approval, Title: "deploy", Tool: "deploy", Risk: "external",
		Digest: "digest", Run: "r", Step: 2, Body: inbox.Body{Text: "deploys", Arguments: json.RawMessage(`{}`)}}, p, "asked-"+s.ID, h.Clock.Now())
	h.do("raise-"+s.ID, r.All())
	return r.Item
}

// parked lets a person ask, the gate accept and an agent park on the item of
// its first call.
func (h *house) parked(n int) inbox.Item {
	h.t.Helper()
	d, err := h.Gate.Judge(h.t.Context(), message(fmt.Sprintf("17%08d.000000", n), fmt.Sprintf("17%08d.000000", n)))
	if err != nil || d.Outcome != "accepted" {
		h.t.Fatalf("race %d: %+v %v", n, d, err)
	}
	tk, err := h.Store.Ticket(h.t.Context(), d.Ticket)
	if err != nil || tk == nil {
		h.t.Fatal(err)
	}
	if err := h.Turns.Turn(h.t.Context(), tk.Session); err != nil {
		h.t.Fatal(err)
	}
	l, err := h.Store.Lease(h.t.Context(), tk.Session)
	if err != nil || l.State != session.Parked {
		h.t.Fatalf("race %d: the session is %s, not parked: %v", n, l.State, err)
	}
	x, err := h.Store.Item(h.t.Context(), l.Item)
	if err != nil || x == nil {
		h.t.Fatal(err)
	}
	return *x
}

// do commits rows that a test begins with.
func (h *house) do(token string, actions []table.Action) {
	h.t.Helper()
	if lost, err := h.Store.Do(h.t.Context(), token, actions...); err != nil || lost != nil {
		h.t.Fatalf("%s: %+v %v", token, lost, err)
	}
}

func (h *house) serve(r *http.Request) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	h.Handler.ServeHTTP(rec, r)
	return rec
}

// bells are the doorbells that were written since the last look.
func (h *house) bells() []store.Bell {
	h.t.Helper()
	var out []store.Bell
	for {
		changes, next, err := h.DB.Changes(context.Background(), h.at, 500)
		if err != nil {
			h.t.Fatal(err)
		}
		h.at = next
		for _, c := range changes {
			r, err := store.Rings(c.Old, c.New)
			if err != nil {
				h.t.Fatal(err)
			}
			if r != nil {
				out = append(out, r.Bells...)
			}
		}
		if len(changes) == 0 {
			return out
		}
	}
}

// together runs f n times at once.
func together(n int, f func(i int)) {
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { <-start; f(i) })
	}
	close(start)
	wg.Wait()
}

// races is how many there are: RACES, or a few.
func races(t *testing.T) int {
	t.Helper()
	if s := os.Getenv("RACES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("RACES=%q is no number", s)
		}
		return n
	}
	if testing.Short() {
		return 5
	}
	return 15
}
