package ingest

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/flow/resolve"
)

// secret marks what no answer and no log may repeat (D8).
const secret = "s3cr3t-in-the-body"

// platform receives what a test says, and remembers how a click was answered.
type platform struct {
	d     delivery.Delivery
	err   error
	words string
	ok    bool
	card  *inbox.Card
}

func (p *platform) Receive(http.Header, []byte) (delivery.Delivery, error) { return p.d, p.err }

func (p *platform) Answered(words string, ok bool, card *inbox.Card) delivery.Reply {
	p.words, p.ok, p.card = words, ok, card
	return delivery.Reply{ContentType: "application/json", Body: []byte(`{}`)}
}

type queue struct {
	sent []doorbell.Message
	err  error
}

func (q *queue) Send(_ context.Context, m doorbell.Message) error {
	if q.err == nil {
		q.sent = append(q.sent, m)
	}
	return q.err
}

type resolver struct {
	out    resolve.Outcome
	err    error
	opened int
}

func (r *resolver) Open(context.Context, inbox.Answer) (resolve.Outcome, error) {
	r.opened++
	return r.out, r.err
}

func (r *resolver) Resolve(context.Context, inbox.Answer) (resolve.Outcome, error) {
	return r.out, r.err
}

type house struct {
	*Handler
	p     *platform
	q     *queue
	r     *resolver
	log   bytes.Buffer
	count map[string]int
}

func newHouse() *house {
	h := &house{p: &platform{}, q: &queue{}, r: &resolver{}, count: map[string]int{}}
	h.Handler = &Handler{Platform: "slack", Receiver: h.p, Queue: h.q, Resolver: h.r, MaxBody: 100,
		Count: func(name, label string) { h.count[name+":"+label]++ }}
	h.Log = slog.New(slog.NewJSONHandler(&h.log, nil))
	return h
}

func (h *house) post(body string) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	req := httptest.NewRequest(http.MethodPost, "/hooks/slack", strings.NewReader(body))
	req.Header.Set("X-Token", secret)
	h.ServeHTTP(rec, req)
	return rec
}

var said = trigger.Trigger{Platform: "slack", ID: "m1", Named: trigger.Mention, Text: secret, Thread: trigger.Place{Surface: "slack", Channel: "C1", Thread: "1.1"}}

// What a sender is answered, and what became of his delivery. Nothing of the
// body or of a secret is in any answer or log (D8, O1).
func TestStatus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		prepare func(h *house)
		body    string
		status  int
		says    string
		counted string
		sent    int
	}{
		{name: "bad signature", prepare: refused(delivery.BadSignature("mac")), status: 401, says: "bad_signature", counted: "refused:bad_signature"},
		{name: "stale", prepare: refused(delivery.Stale("6 minutes old")), status: 401, says: "stale", counted: "refused:stale"},
		{name: "unreadable", prepare: refused(delivery.Unreadable("no JSON")), status: 400, says: "unreadable", counted: "refused:unreadable"},
		{name: "too large by the edge", prepare: refused(delivery.TooLarge("")), status: 413, says: "too_large", counted: "refused:too_large"},
		{name: "too large", body: strings.Repeat(secret, 20), status: 413, says: "too_large", counted: "refused:too_large"},
		{name: "an error that is no refusal", prepare: refused(errors.New("odd")), status: 400, says: "unreadable", counted: "refused:unreadable"},
		{name: "unknown event", prepare: received(delivery.Delivery{Drop: "unknown event"}), status: 200, counted: "dropped:unknown event"},
		{name: "own message", prepare: received(delivery.Delivery{Drop: "own message"}), status: 200, counted: "dropped:own message"},
		{name: "a reply at once", prepare: received(delivery.Delivery{Reply: &delivery.Reply{Body: []byte("challenge"), ContentType: "text/plain"}}), status: 200, says: "challenge", counted: "deliveries:slack"},
		{name: "a message", prepare: received(delivery.Delivery{Trigger: &said}), status: 200, counted: "deliveries:slack", sent: 1},
		{name: "the queue is not reached", prepare: func(h *house) {
			h.p.d, h.q.err = delivery.Delivery{Trigger: &said}, errors.New("down")
		}, status: 503, says: "try again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse()
			if c.prepare != nil {
				c.prepare(h)
			}
			rec := h.post(or(c.body, `{"text":"`+secret+`"}`))
			if rec.Code != c.status || strings.TrimSpace(rec.Body.String()) != c.says || len(h.q.sent) != c.sent {
				t.Errorf("%d %q, %d sent", rec.Code, rec.Body, len(h.q.sent))
			}
			if c.counted != "" && h.count[c.counted] != 1 {
				t.Errorf("counted %v", h.count)
			}
			if strings.Contains(rec.Body.String()+h.log.String(), secret) {
				t.Errorf("repeated what it was sent: %s %s", rec.Body, h.log.String())
			}
		})
	}
}

func refused(err error) func(h *house) { return func(h *house) { h.p.err = err } }

func received(d delivery.Delivery) func(h *house) { return func(h *house) { h.p.d = d } }

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// A click is answered in the same request, by what became of it (O1); a click
// that could not be recorded says so (I24).
func TestClick(t *testing.T) {
	t.Parallel()
	x := inbox.Item{ID: "i", State: inbox.Approved}
	for _, c := range []struct {
		name  string
		r     resolver
		card  Carder
		words string
		ok    bool
		shown bool
	}{
		{name: "won", r: resolver{out: resolve.Outcome{Result: inbox.Won, Words: "allowed", Item: &x}}, words: "allowed", ok: true},
		{name: "lost", r: resolver{out: resolve.Outcome{Result: inbox.Late, Words: "denied by Bob", Item: &x}}, words: "denied by Bob"},
		{name: "refused", r: resolver{out: resolve.Outcome{Result: inbox.Refused, Words: "you may not"}}, card: shows, words: "you may not"},
		{name: "with its card", r: resolver{out: resolve.Outcome{Result: inbox.Won, Words: "allowed", Item: &x}}, card: shows, words: "allowed", ok: true, shown: true},
		{name: "the card fails", r: resolver{out: resolve.Outcome{Result: inbox.Won, Words: "allowed", Item: &x}}, card: fails, words: "allowed", ok: true},
		{name: "not recorded", r: resolver{err: errors.New("down")}, words: "Not recorded. Please tap again."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse()
			h.p.d, *h.r, h.Card = delivery.Delivery{Answer: &inbox.Answer{Item: "i", Text: secret}}, c.r, c.card
			rec := h.post("x")
			if rec.Code != 200 || h.p.words != c.words || h.p.ok != c.ok || (h.p.card != nil) != c.shown {
				t.Errorf("%d %q %t %v", rec.Code, h.p.words, h.p.ok, h.p.card)
			}
			if strings.Contains(h.log.String(), secret) {
				t.Error("an answer's text was logged")
			}
		})
	}
}

// I22: a click on Open is not an answer: it goes another way, and is answered
// as one that went well.
func TestI22_Open(t *testing.T) {
	t.Parallel()
	h := newHouse()
	x := inbox.Item{ID: "i", State: inbox.Pending}
	h.p.d = delivery.Delivery{Answer: &inbox.Answer{Item: "i", Choice: inbox.Open}}
	*h.r = resolver{out: resolve.Outcome{Result: inbox.Opened, Words: "look", Item: &x}}
	if rec := h.post("x"); rec.Code != 200 || h.r.opened != 1 || h.p.words != "look" || !h.p.ok || h.count["answers:opened"] != 1 {
		t.Errorf("%d %q %t, opened %d, %v", rec.Code, h.p.words, h.p.ok, h.r.opened, h.count)
	}
	h.p.d.Answer.Choice = inbox.Allow
	if h.post("x"); h.r.opened != 1 {
		t.Error("an answer was taken for Open")
	}
}

func shows(context.Context, inbox.Item, trigger.Place) (*inbox.Card, error) {
	return &inbox.Card{}, nil
}

func fails(context.Context, inbox.Item, trigger.Place) (*inbox.Card, error) {
	return nil, errors.New("down")
}

// G47, G48, B05: a message's ring is in its Thread's group, once by its own
// identity and the way it names the agent.
func TestMessage(t *testing.T) {
	t.Parallel()
	a := Message(said)
	again, other, named, elsewhere := said, said, said, said
	again.Delivery, other.ID, named.Named, elsewhere.Thread.Thread = "Ev2", "m2", trigger.NotAt, "2.2"
	if m := Message(again); m.Dedup != a.Dedup || m.Group != a.Group {
		t.Error("another delivery of the message is another ring")
	}
	for name, m := range map[string]doorbell.Message{"another message": Message(other), "its twin that names nobody": Message(named)} {
		if m.Dedup == a.Dedup || m.Group != a.Group {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if Message(elsewhere).Group == a.Group || len(a.Group) > 128 || len(a.Dedup) > 128 || a.Queue != doorbell.Triggers {
		t.Errorf("%+v", a)
	}
}

// G52: a Source that is not set up answers 404.
func TestG52_NotConfigured(t *testing.T) {
	t.Parallel()
	rec := httptest.NewRecorder()
	NotConfigured().ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/hooks/feishu", nil))
	if rec.Code != 404 {
		t.Error(rec.Code)
	}
}
