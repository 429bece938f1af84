// Package github is the edge to GitHub: it verifies what GitHub sends and
// takes it apart into a Trigger or an answer, and it writes comments there.
//
// It judges nobody: who may start work is the gate's to say, who may answer an
// item is resolve's. It never logs, and no error or answer it makes holds a
// body or a secret. Parsing and verification are by hand on purpose; the rules
// are those of webhooks and of bug reports B43 to B51, each with its test.
package github

import (
	"net/http"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
)

// MaxBody is the most bytes of a delivery that are taken: what Lambda hands
// over. GitHub itself sends up to 25 MB (B50).
const MaxBody = 6 << 20

// Receiver verifies and reads deliveries. It holds no state and may be used by
// many goroutines.
type Receiver struct {
	secrets [][]byte
	slug    string
	appID   number
	now     func() time.Time
}

// NewReceiver makes a Receiver, or says which secret is missing (Q8). The key
// of buttons is not used, as GitHub has none; it is taken so that the three
// platforms are wired alike. now is asked only where a delivery tells no time.
func NewReceiver(cfg Secrets, _ []byte, now func() time.Time) (*Receiver, error) {
	if err := cfg.inbound(); err != nil {
		return nil, err
	}
	r := &Receiver{
		secrets: [][]byte{[]byte(cfg.WebhookSecret)},
		slug:    cfg.Slug,
		appID:   cfg.AppID,
		now:     now,
	}
	if strings.TrimSpace(cfg.WebhookSecretPrevious) != "" {
		r.secrets = append(r.secrets, []byte(cfg.WebhookSecretPrevious))
	}
	return r, nil
}

// Receive verifies one delivery and reads it. body is the bytes as they came.
// An error is a *delivery.Refusal: 413 over MaxBody, 401 by signature, 400 if
// what verified cannot be read. Everything else is a Delivery and earns 2xx,
// what is not handled among it: GitHub never sends again what it counts as
// failed (B47).
func (r *Receiver) Receive(h http.Header, body []byte) (delivery.Delivery, error) {
	if len(body) > MaxBody {
		return delivery.Delivery{}, delivery.TooLarge("over 6 MB")
	}
	if refusal := r.verify(h, body); refusal != nil {
		return delivery.Delivery{}, refusal
	}
	event, _ := only(h, headerEvent)
	id, _ := only(h, headerDelivery)
	if !isWord(event) {
		return delivery.Delivery{}, delivery.Unreadable("no usable " + headerEvent + " header")
	}
	if !isWord(id) {
		return delivery.Delivery{}, delivery.Unreadable("no usable " + headerDelivery + " header")
	}
	d := delivery.Delivery{Platform: "github", Event: event, ID: id}
	classify, known := kinds[event]
	if !known {
		d.Drop = "unknown event"
		return d, nil
	}
	kind, _ := only(h, headerType)
	p, refusal := parse(kind, body)
	if refusal != nil {
		return delivery.Delivery{}, refusal
	}
	classify(r, &d, &p)
	return d, nil
}

// Answered is the HTTP answer after an answer was resolved: GitHub shows none
// of it to anybody, so it is empty.
func (r *Receiver) Answered(string, bool, *inbox.Card) delivery.Reply {
	return delivery.Reply{Status: http.StatusOK}
}

// isWord accepts the names and ids that GitHub puts into headers. The headers
// are not signed, so nothing else gets from them into a record.
func isWord(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !isAlnum(c) && c != '_' && c != '-' {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// isLogin accepts a login or a slug. "_" is in those of managed users.
func isLogin(s string) bool { return isWord(s) && !strings.HasPrefix(s, "-") }
