package feishu

import (
	"bytes"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/delivery"
)

// MaxBody is the most bytes of a delivery that are looked at (webhook fact 0).
const MaxBody = 1 << 20

// MaxAge is how old a signed delivery may be. The platform's own retries end
// after seven hours and the dedupe rows of messages are kept for at least this
// long, so that what the clock lets through the table catches.
const MaxAge = 24 * time.Hour

// MaxAhead is how far a delivery's time stamp may lie in the future.
const MaxAhead = 5 * time.Minute

// Receiver verifies and reads the deliveries of one app. It holds no state
// beside its keys, does no I/O of its own and is safe for concurrent use.
type Receiver struct {
	app    string
	keys   []key
	tokens []string
	link   []byte
	now    func() time.Time
	bot    func() string
}

// NewReceiver makes a receiver. linkKey is the key of card buttons (I21). A
// missing secret is an error that says what to set (Q8): above all the Encrypt
// Key, without which nothing that arrives is signed.
func NewReceiver(cfg Secrets, linkKey []byte, now func() time.Time) (*Receiver, error) {
	if err := cfg.inbound(); err != nil {
		return nil, err
	}
	if len(linkKey) == 0 {
		return nil, errors.New("feishu: the key of card buttons is empty; set the deployment's link key")
	}
	if now == nil {
		return nil, errors.New("feishu: a receiver needs a clock")
	}
	r := &Receiver{app: cfg.AppID, link: linkKey, now: now, bot: func() string { return cfg.BotOpenID }}
	for _, k := range []string{cfg.EncryptKey, cfg.EncryptKeyBefore} {
		if k != "" {
			r.keys = append(r.keys, newKey(k))
		}
	}
	for _, t := range []string{cfg.VerificationToken, cfg.VerificationTokenBefore} {
		if t != "" {
			r.tokens = append(r.tokens, t)
		}
	}
	return r, nil
}

// WithBot gives a receiver that asks lookup for the bot's own open_id when the
// secret does not hold it (Client.BotOpenID fits). It is asked only for
// messages that mention somebody or come from a bot; an empty answer means not
// known, and then nothing counts as a mention and bots are dropped (B39).
func (r *Receiver) WithBot(lookup func() string) *Receiver {
	c := *r
	known := r.bot
	c.bot = func() string {
		if id := known(); id != "" {
			return id
		}
		return lookup()
	}
	return &c
}

// Receive reads one request: size, signature, age, decryption, token, then a
// tolerant parse. The error is always a *delivery.Refusal. Once a delivery is
// verified and readable it is never refused: what we do not know is dropped
// with a reason, since the platform repeats for hours what is not answered 200.
func (r *Receiver) Receive(h http.Header, body []byte) (delivery.Delivery, error) {
	if len(body) > MaxBody {
		return delivery.Delivery{}, delivery.TooLarge("body over 1 MB")
	}
	stamp, n1 := header(h, HeaderTimestamp)
	nonce, n2 := header(h, HeaderNonce)
	signature, n3 := header(h, HeaderSignature)
	if n1+n2+n3 == 0 {
		return r.urlCheck(body)
	}
	if n1 != 1 || n2 != 1 || n3 != 1 {
		return delivery.Delivery{}, delivery.BadSignature("signature headers missing or repeated")
	}
	k, ok := r.signer(stamp, nonce, signature, body)
	if !ok {
		return delivery.Delivery{}, delivery.BadSignature("signature does not match")
	}
	if refusal := r.stale(stamp); refusal != nil {
		return delivery.Delivery{}, refusal
	}
	text, ok := encrypted(body)
	if !ok {
		return delivery.Delivery{}, delivery.Unreadable("the body is not an encrypted envelope")
	}
	plain, err := k.decrypt(text)
	if err != nil {
		return delivery.Delivery{}, delivery.Unreadable(err.Error())
	}
	e, ok := readEvent(plain)
	if !ok {
		return delivery.Delivery{}, delivery.Unreadable("the decrypted content is not a JSON object")
	}
	if !r.ours(e) {
		return delivery.Delivery{}, delivery.BadSignature("verification token does not match")
	}
	return r.sort(e, plain), nil
}

// urlCheck is the one request that comes unsigned (B37): the check of a newly
// entered address. It must decrypt, be of that type and hold the token. Every
// failure gives the same answer, so it tells nothing about the key.
func (r *Receiver) urlCheck(body []byte) (delivery.Delivery, error) {
	refused := delivery.BadSignature("no signature")
	text, ok := encrypted(body)
	if !ok {
		return delivery.Delivery{}, refused
	}
	for _, k := range r.keys {
		plain, err := k.decrypt(text)
		if err != nil {
			continue
		}
		if e, ok := readEvent(plain); ok && e.kind == urlVerification && r.ours(e) {
			return challenge(e), nil
		}
	}
	return delivery.Delivery{}, refused
}

// signer finds the key that signed the body: the present one or, during a
// rotation, the one before.
func (r *Receiver) signer(stamp, nonce, signature string, body []byte) (key, bool) {
	for _, k := range r.keys {
		if k.signed(stamp, nonce, signature, body) {
			return k, true
		}
	}
	return key{}, false
}

func (r *Receiver) stale(stamp string) *delivery.Refusal {
	at, ok := instant(stamp)
	if !ok {
		return delivery.Stale("the time stamp is not a number")
	}
	switch age := r.now().Sub(at); {
	case age > MaxAge:
		return delivery.Stale("the time stamp is more than 24 hours old")
	case age < -MaxAhead:
		return delivery.Stale("the time stamp is in the future")
	}
	return nil
}

// ours compares the token inside the content, a cheap second factor.
func (r *Receiver) ours(e event) bool {
	token := e.header.token
	if token == "" {
		token = e.token // the URL check and version 1 have it outside the header
	}
	found := 0
	for _, t := range r.tokens {
		found |= subtle.ConstantTimeCompare([]byte(t), []byte(token))
	}
	return found == 1
}

// header gives a header's only value and how many there are, whatever the case
// of the map's keys: adapters differ. A value joined from two by a comma is
// one value here, and then matches nothing.
func header(h http.Header, name string) (value string, count int) {
	if vs := h[name]; len(vs) == 1 {
		value, count = vs[0], 1
	} else {
		count = len(vs)
	}
	for k, vs := range h {
		if k != name && strings.EqualFold(k, name) {
			count += len(vs)
			if len(vs) == 1 {
				value = vs[0]
			}
		}
	}
	return value, count
}

// encrypted gives the base64 text of an envelope. Envelopes come in one form,
// which is cut out without a copy; any other JSON of that meaning is read too.
func encrypted(body []byte) ([]byte, bool) {
	if rest, ok := bytes.CutPrefix(body, []byte(`{"encrypt":"`)); ok {
		if text, ok := bytes.CutSuffix(rest, []byte(`"}`)); ok && bytes.IndexByte(text, '"') < 0 && bytes.IndexByte(text, '\\') < 0 {
			return text, len(text) > 0
		}
	}
	var e struct {
		Encrypt string `json:"encrypt"`
	}
	if err := json.Unmarshal(body, &e); err != nil || e.Encrypt == "" {
		return nil, false
	}
	return []byte(e.Encrypt), true
}
