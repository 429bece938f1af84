package replay

import (
	"context"
	"net/http"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/flow/ingest"
	"github.com/postern-dev/postern/shared/flow/resolve"
)

// tap stands around a receiver and keeps what it made of the last request. It
// is also the queue and the resolver behind the entrance: they take what comes
// and do nothing, since the history goes on in this process.
type tap struct {
	ingest.Receiver
	got     *delivery.Delivery // what was verified and read; nil if it was refused
	refused error
}

func (t *tap) Receive(h http.Header, body []byte) (delivery.Delivery, error) {
	d, err := t.Receiver.Receive(h, body)
	t.got, t.refused = nil, err
	if err == nil {
		t.got = &d
	}
	return d, err
}

func (t *tap) Send(context.Context, doorbell.Message) error { return nil }

// Resolve answers every click as one on an item that is not here.
func (t *tap) Resolve(context.Context, inbox.Answer) (resolve.Outcome, error) {
	return resolve.Outcome{Result: inbox.NoItem, Words: "replayed"}, nil
}

// Open does the same with a click that asks for a link.
func (t *tap) Open(ctx context.Context, a inbox.Answer) (resolve.Outcome, error) {
	return t.Resolve(ctx, a)
}
