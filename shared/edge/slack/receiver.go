// Package slack is the edge to Slack: it turns a signed request of the Events
// API or of interactivity into a delivery, and shows cards and replies through
// the Web API.
//
// Inbound is parsed by hand, since one unknown block element makes the SDK's
// own parser lose a whole click (B23). Nothing here decides who may do what,
// stores anything or keeps a raw body: it verifies, reads the few fields the
// street needs, and says in the product's own words what came in.
package slack

import (
	"bytes"
	"net/http"
	"net/url"
	"time"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// MaxBody is the most bytes of a body that is looked at. Slack's own bodies are
// far smaller.
const MaxBody = 1 << 20

// Receiver verifies and takes apart what Slack sends. It holds no state: which
// delivery was seen before is the table's business (G47).
type Receiver struct {
	secrets [][]byte
	linkKey []byte
	now     func() time.Time
}

// NewReceiver makes a Receiver. linkKey is the key that signed the buttons of
// our cards. A missing secret or key is an error that says what to set (Q8).
func NewReceiver(cfg Secrets, linkKey []byte, now func() time.Time) (*Receiver, error) {
	if err := cfg.signing(); err != nil {
		return nil, err
	}
	if len(linkKey) < minLinkKey {
		return nil, errLinkKey
	}
	r := &Receiver{secrets: [][]byte{[]byte(cfg.SigningSecret)}, linkKey: bytes.Clone(linkKey), now: now}
	if cfg.SigningSecretPrevious != "" {
		r.secrets = append(r.secrets, []byte(cfg.SigningSecretPrevious))
	}
	return r, nil
}

// Receive takes one request: size, signature over the raw bytes, age, and only
// then its content. A verified request with an event, a button or a field that
// we do not know is a Delivery with Drop set, never an error, since Slack
// disables a subscription that answers with errors. Every error is a
// *delivery.Refusal and repeats nothing of the body.
//
// Retry headers are not looked at: a repeated delivery gives the same
// Trigger.ID, and the one who stores it sees that (B01, B03, B04).
func (r *Receiver) Receive(h http.Header, body []byte) (delivery.Delivery, error) {
	none := delivery.Delivery{Platform: trigger.Slack}
	if len(body) > MaxBody {
		return none, delivery.TooLarge("body over 1 MB")
	}
	if refusal := r.verify(h, body); refusal != nil {
		return none, refusal
	}
	text := bytes.TrimLeft(body, " \t\r\n")
	if len(text) == 0 {
		return none, delivery.Unreadable("empty body")
	}
	if text[0] == '{' {
		return r.event(text)
	}
	return r.form(text)
}

// form reads what Slack sends as a form: clicks, slash commands and the check
// of a certificate.
func (r *Receiver) form(body []byte) (delivery.Delivery, error) {
	d := delivery.Delivery{Platform: trigger.Slack}
	// What can be parsed is used, the rest is as if it were not there.
	values, _ := url.ParseQuery(string(body))
	switch {
	case values.Has("payload"):
		return r.interaction([]byte(values.Get("payload")))
	case values.Get("ssl_check") == "1":
		d.Event, d.Reply = "ssl_check", &delivery.Reply{Status: http.StatusOK}
	case values.Has("command"):
		d.Event, d.Drop = "slash_command", "slash commands are not used"
	default:
		return d, delivery.Unreadable("neither a JSON object nor a form that Slack sends")
	}
	return d, nil
}

// Answered is the HTTP answer after a click was resolved. Slack shows none of
// it: what a clicker is told goes out as a private message (O1), and the card
// is settled by deliver (I23).
func (r *Receiver) Answered(words string, ok bool, card *inbox.Card) delivery.Reply {
	return delivery.Reply{Status: http.StatusOK}
}
