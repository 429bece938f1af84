package api

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/store"
)

// elsewhere is one agent's session at the gate.
type elsewhere struct {
	*house
	gate *Gate
	s    session.Session
}

func newElsewhere(t *testing.T) *elsewhere {
	t.Helper()
	h := newHouse(t)
	e := &elsewhere{house: h, gate: &Gate{Store: h.store, Now: func() time.Time { return h.now }, NewID: h.id, Log: slog.New(slog.DiscardHandler), Count: func(string, string) {}}}
	s, err := e.gate.Open(t.Context(), store.APIKey{Hash: "k", Name: "bot", Mode: "interactive"}, "open", Opening{})
	if err != nil {
		t.Fatal(err)
	}
	e.s = s
	return e
}

// submit submits the one call of these tests under a key.
func (e *elsewhere) submit(key string) Told {
	e.t.Helper()
	told, err := e.gate.Submit(e.t.Context(), e.s, key, Submission{Tool: "deploy", Arguments: []byte(`{"to":"prod"}`)})
	if err != nil {
		e.t.Fatal(err)
	}
	return told
}

func (e *elsewhere) answer(item, choice string) {
	e.t.Helper()
	x, err := e.store.Item(context.Background(), item)
	if err != nil || x == nil {
		e.t.Fatal(err)
	}
	ada := actor.Actor{Provider: "panel", ID: "ada", Name: "Ada", Kind: actor.Human}
	out, err := (&resolve.Resolver{Store: e.store, Now: e.gate.Now, NewID: e.id}).Resolve(context.Background(),
		inbox.Answer{Item: item, Digest: x.Digest, Choice: choice, Text: "so it is", Actor: ada, Via: "api", ID: item})
	if err != nil || out.Result != inbox.Won {
		e.t.Fatal(out, err)
	}
}

// I3, S15: the same call asked again joins the item that waits, and the grant
// that is not spent; once spent it is a new ask.
func TestI3_Joins(t *testing.T) {
	t.Parallel()
	e := newElsewhere(t)
	first := e.submit("a")
	if again := e.submit("b"); again.Decision != "waiting" || again.Item != first.Item || again.Call == first.Call {
		t.Fatalf("%+v then %+v", first, again)
	}
	e.answer(first.Item, inbox.Allow)
	joined := e.submit("c")
	if joined.Decision != "allow" || joined.Grant != first.Item || joined.Spent {
		t.Fatalf("%+v", joined)
	}
	if told, err := e.gate.Spend(t.Context(), e.s, joined.Call, "s"); err != nil || !told.Spent {
		t.Fatal(told, err)
	}
	var refusal *Problem
	if _, err := e.gate.Spend(t.Context(), e.s, first.Call, "t"); !errors.As(err, &refusal) || refusal.Code != "spent" {
		t.Errorf("one grant was spent by two calls: %v (P25)", err)
	}
	if anew := e.submit("d"); anew.Decision != "waiting" || anew.Item == first.Item {
		t.Errorf("%+v", anew)
	}
}

// P27: after a denial the same call is refused in that session without asking;
// each is told so in its words (I4).
func TestP27_Denied(t *testing.T) {
	t.Parallel()
	e := newElsewhere(t)
	first := e.submit("a")
	e.answer(first.Item, inbox.Deny)
	if told, err := e.gate.Look(t.Context(), e.s, first.Call); err != nil || told.Decision != "deny" || !strings.Contains(told.Reason, "so it is") {
		t.Errorf("%+v %v", told, err)
	}
	again := e.submit("b")
	if again.Decision != "deny" || again.Item != "" || !strings.Contains(again.Reason, "denied this very call before") {
		t.Errorf("%+v", again)
	}
	if n, err := e.store.Attention(t.Context()); err != nil || n.Total != 0 {
		t.Errorf("%d items wait: %v", n.Total, err)
	}
}

// I10, I4: what ran out is told as expired, not as denied, also before the
// reconciler has written it; asked again it is asked anew, not joined to what
// nobody can answer any more.
func TestI10_Expired(t *testing.T) {
	t.Parallel()
	e := newElsewhere(t)
	first := e.submit("a")
	e.now = e.now.Add(policy.WithoutSay)
	if told, err := e.gate.Look(t.Context(), e.s, first.Call); err != nil || told.Outcome != "expired" || !strings.Contains(told.Reason, "not a refusal") {
		t.Errorf("%+v %v", told, err)
	}
	if anew := e.submit("b"); anew.Decision != "waiting" || anew.Item == first.Item {
		t.Errorf("%+v", anew)
	}
}

// S14: ask again after 2 to 30 seconds, the longer it waits the later.
func TestS14_RetryAfter(t *testing.T) {
	t.Parallel()
	last := 0
	for _, age := range []time.Duration{0, 20 * time.Second, time.Minute, 10 * time.Minute, 5 * time.Hour, 6 * 24 * time.Hour} {
		n := retryAfter(age)
		if n < 2 || n > 30 || n < last {
			t.Errorf("after %s: %d s", age, n)
		}
		last = n
	}
}

// I12: where nobody may answer the call is refused at once, once.
func TestI12_Nobody(t *testing.T) {
	t.Parallel()
	e := newElsewhere(t)
	p, err := e.store.Policy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.Queues[0].Approvers = &[]string{}
	actions, err := store.SavePolicy(p.Version, p, "", "", e.now)
	if err != nil {
		t.Fatal(err)
	}
	e.do(actions...)
	for range 2 {
		if told := e.submit("a"); told.Decision != "deny" || !strings.Contains(told.Reason, "nobody may answer") {
			t.Errorf("%+v", told)
		}
	}
}
