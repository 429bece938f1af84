package simulation

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/flow/ingest"
	"github.com/postern-dev/postern/shared/flow/resolve"
)

// hook is one platform's entrance: the real handler, behind a receiver that
// reads deliveries as the edges would have made them. Signatures and formats
// are proved elsewhere.
func (w *World) hook(platform string, log *slog.Logger, count func(name, label string)) http.Handler {
	h := &ingest.Handler{Platform: platform, Receiver: plain{}, Queue: w.queue, Resolver: w.people, Log: log, Count: count, MaxBody: 1 << 20}
	if platform == trigger.Feishu { // it shows the settled card in its answer
		h.Card = func(ctx context.Context, x inbox.Item, at trigger.Place) (*inbox.Card, error) {
			return w.deliver.Card(ctx, x.ID, at)
		}
	}
	return h
}

type plain struct{}

func (plain) Receive(_ http.Header, body []byte) (delivery.Delivery, error) {
	var d delivery.Delivery
	if err := json.Unmarshal(body, &d); err != nil {
		return d, delivery.Unreadable("not JSON")
	}
	return d, nil
}

// reply is what a click is answered.
type reply struct {
	Words string
	OK    bool
	Card  *inbox.Card
}

func (plain) Answered(words string, ok bool, card *inbox.Card) delivery.Reply {
	b, err := json.Marshal(reply{words, ok, card})
	if err != nil {
		panic(err)
	}
	return delivery.Reply{Body: b}
}

// call posts a delivery to a platform's entrance, within an invocation.
func (w *World) call(ctx context.Context, d delivery.Delivery) (reply, error) {
	b, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	rec := httptest.NewRecorder()
	w.hooks[d.Platform].ServeHTTP(rec, httptest.NewRequestWithContext(ctx, http.MethodPost, "/hooks/"+d.Platform, bytes.NewReader(b)))
	if rec.Code != http.StatusOK {
		return reply{}, fmt.Errorf("hook: %d", rec.Code)
	}
	var r reply
	if d.Answer != nil {
		if err := json.Unmarshal(rec.Body.Bytes(), &r); err != nil {
			panic(err)
		}
		if r.Words == "Not recorded. Please tap again." {
			return r, fmt.Errorf("hook: not recorded")
		}
	}
	return r, nil
}

// Open is a click on a card's Open (I22), remembered likewise.
func (p *people) Open(ctx context.Context, a inbox.Answer) (resolve.Outcome, error) {
	got := &answered{Answer: a}
	p.opens = append(p.opens, got)
	out, err := p.w.resolver.Open(ctx, a)
	if err == nil {
		got.known, got.result, got.words = true, out.Result, out.Words
	}
	return out, err
}

// Resolve is the resolver as the entrances know it; people remember what came
// of it.
func (p *people) Resolve(ctx context.Context, a inbox.Answer) (resolve.Outcome, error) {
	pol, err := p.w.clean.Policy(ctx)
	if err != nil {
		panic(err)
	}
	got := &answered{Answer: a, since: pol.Version}
	p.answers = append(p.answers, got)
	out, err := p.w.resolver.Resolve(ctx, a)
	if err == nil {
		got.known, got.result, got.words = true, out.Result, out.Words
		if out.Item != nil {
			got.state = out.Item.State
		}
	}
	return out, err
}
