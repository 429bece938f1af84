// Package delivery is one verified inbound delivery of a platform, taken apart
// into what the street needs: a Trigger, an answer to an item, or a reason to
// drop it. Edges make it, flow/ingest carries it on.
//
// It never holds a raw body or a secret, so nothing downstream can log one.
package delivery

import (
	"net/http"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// Delivery is what one verified request said. At most one of Reply, Trigger,
// Answer and Drop is set.
type Delivery struct {
	Platform string
	Event    string // the platform's name of the event
	ID       string // the platform's id of this delivery

	Reply   *Reply           // answer at once and do nothing else (url_verification, ping, ssl_check)
	Trigger *trigger.Trigger // a message or event for the gate
	Answer  *inbox.Answer    // a click, for flow/resolve
	Drop    string           // why it is ignored: "unknown event", "own message", ...
}

// Reply is an HTTP answer.
type Reply struct {
	Status      int // 200 unless said otherwise
	ContentType string
	Body        []byte
}

// Refusal is a delivery that is not accepted: a value of its own kind, so that
// ingest answers with its status and nothing of the body. It is an error.
type Refusal struct {
	Code   string // stable: bad_signature, stale, unreadable, too_large, not_configured
	Status int
	Detail string // for the log: what was wrong, never a body or a secret
}

func (r *Refusal) Error() string { return r.Code + ": " + r.Detail }

// The refusals a receiver gives.
func BadSignature(detail string) *Refusal {
	return &Refusal{Code: "bad_signature", Status: http.StatusUnauthorized, Detail: detail}
}

// Stale is a time stamp too old or too far ahead.
func Stale(detail string) *Refusal {
	return &Refusal{Code: "stale", Status: http.StatusUnauthorized, Detail: detail}
}

// Unreadable is a body that verified and cannot be read.
func Unreadable(detail string) *Refusal {
	return &Refusal{Code: "unreadable", Status: http.StatusBadRequest, Detail: detail}
}

// TooLarge is a body over the size limit.
func TooLarge(detail string) *Refusal {
	return &Refusal{Code: "too_large", Status: http.StatusRequestEntityTooLarge, Detail: detail}
}
