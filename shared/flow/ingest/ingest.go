// Package ingest is the HTTP entrance of one platform: raw bytes, verify,
// parse, then either enqueue a Trigger or resolve a click, and answer (O1).
//
// It writes no row for a message: the gate does, in the transaction that
// judges it. It never echoes a body, and starts nothing that outlives the
// answer.
package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/flow/resolve"
)

// Receiver verifies and reads one platform's deliveries. Its errors are
// *delivery.Refusal.
type Receiver interface {
	Receive(h http.Header, body []byte) (delivery.Delivery, error)
	// Answered is the HTTP answer after a click was resolved.
	Answered(words string, ok bool, card *inbox.Card) delivery.Reply
}

// Queue rings a doorbell.
type Queue interface {
	Send(ctx context.Context, m doorbell.Message) error
}

// Resolver takes an answer. *resolve.Resolver is one.
type Resolver interface {
	Resolve(ctx context.Context, a inbox.Answer) (resolve.Outcome, error)
	// Open takes a click that answers nothing and asks for a sign-in link (I22).
	Open(ctx context.Context, a inbox.Answer) (resolve.Outcome, error)
}

// Carder makes the card of an item as it is now, for platforms whose click is
// answered with it. nil means the platform's answer carries none.
type Carder func(ctx context.Context, item inbox.Item, at trigger.Place) (*inbox.Card, error)

// Handler is one platform's entrance.
type Handler struct {
	Platform string
	Receiver Receiver
	Queue    Queue
	Resolver Resolver
	Card     Carder
	Log      *slog.Logger
	Count    func(name, label string) // metrics (D8)
	MaxBody  int64
}

// NotConfigured answers for a Source that is not set up: 404, and nothing
// else minds (G52).
func NotConfigured() http.Handler { return http.NotFoundHandler() }

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.MaxBody))
	if err != nil {
		h.refuse(w, r, readError(err))
		return
	}
	d, err := h.Receiver.Receive(r.Header, body)
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	h.Count("deliveries", h.Platform)
	log := h.Log.With("delivery", d.ID, "event", d.Event)
	switch {
	case d.Reply != nil:
		write(w, *d.Reply)
	case d.Trigger != nil:
		if err := h.Queue.Send(r.Context(), Message(*d.Trigger)); err != nil {
			// Not accepted: the platform tries again, or the reconciler asks
			// for it (GitHub sends nothing twice by itself).
			log.Error("trigger not queued", "error", err)
			http.Error(w, "try again", http.StatusServiceUnavailable)
			return
		}
		log.Info("trigger queued", "thread", d.Trigger.Thread.Key(), "trigger", d.Trigger.ID, "correlation", d.Trigger.Correlation())
		w.WriteHeader(http.StatusOK)
	case d.Answer != nil:
		h.answer(w, r, log, *d.Answer)
	default:
		h.Count("dropped", d.Drop)
		log.Info("dropped", "reason", d.Drop)
		w.WriteHeader(http.StatusOK)
	}
}

// answer resolves a click within the request: platforms wait at most three
// seconds, and one transaction is what it takes.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, log *slog.Logger, a inbox.Answer) {
	take := h.Resolver.Resolve
	if a.Choice == inbox.Open {
		take = h.Resolver.Open
	}
	out, err := take(r.Context(), a)
	if err != nil {
		log.Error("answer not recorded", "item", a.Item, "error", err)
		write(w, h.Receiver.Answered("Not recorded. Please tap again.", false, nil))
		return
	}
	if out.Item != nil {
		log = log.With("correlation", out.Item.Correlation)
	}
	log.Info("answer", "item", a.Item, "result", out.Result, "actor", a.Actor.Ref())
	h.Count("answers", string(out.Result))
	var card *inbox.Card
	if h.Card != nil && out.Item != nil {
		if card, err = h.Card(r.Context(), *out.Item, out.Item.PlaceOf(a.Shown)); err != nil {
			log.Warn("card of the answer", "item", a.Item, "error", err) // deliver shows it
			card = nil
		}
	}
	write(w, h.Receiver.Answered(out.Words, out.Result == inbox.Won || out.Result == inbox.Opened, card))
}

func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var ref *delivery.Refusal
	if !errors.As(err, &ref) {
		ref = delivery.Unreadable("unexpected: " + err.Error())
	}
	h.Count("refused", ref.Code)
	h.Log.Warn("delivery refused", "code", ref.Code, "detail", ref.Detail)
	http.Error(w, ref.Code, ref.Status)
}

func readError(err error) error {
	var big *http.MaxBytesError
	if errors.As(err, &big) {
		return delivery.TooLarge("body over the limit")
	}
	return delivery.Unreadable("body could not be read")
}

func write(w http.ResponseWriter, reply delivery.Reply) {
	if reply.ContentType != "" {
		w.Header().Set("Content-Type", reply.ContentType)
	}
	if reply.Status == 0 {
		reply.Status = http.StatusOK
	}
	w.WriteHeader(reply.Status)
	_, _ = w.Write(reply.Body) // the sender is gone: nothing to do
}

// Message makes the ring of a Trigger: in order within its Thread, and twice
// within five minutes only if it names the agent in another way (B05: a
// mention and the message that holds it arrive as two events).
func Message(t trigger.Trigger) doorbell.Message {
	body, _ := json.Marshal(t) // plain data: cannot fail
	return doorbell.Message{
		Queue: doorbell.Triggers, Body: string(body),
		Group: short(t.Thread.Key()), Dedup: short(t.ID + "|" + string(t.Named)),
	}
}

// short makes an id of at most 64 characters out of any text.
func short(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
