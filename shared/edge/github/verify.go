package github

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/delivery"
)

const (
	headerSignature = "X-Hub-Signature-256"
	headerEvent     = "X-GitHub-Event"
	headerDelivery  = "X-GitHub-Delivery"
	headerType      = "Content-Type"
)

// only gives the one value of a header, whatever the case of its name (B46).
// n is the number of values found: a header sent twice is not split up and
// tried piece by piece.
func only(h http.Header, name string) (value string, n int) {
	for k, vs := range h {
		if strings.EqualFold(k, name) {
			n += len(vs)
			if len(vs) > 0 {
				value = vs[0]
			}
		}
	}
	return value, n
}

// verify checks the signature over the bytes as they came, in constant time.
// The SHA-1 header is never looked at.
func (r *Receiver) verify(h http.Header, body []byte) *delivery.Refusal {
	sig, n := only(h, headerSignature)
	switch {
	case n == 0:
		return delivery.BadSignature("no " + headerSignature + " header")
	case n > 1:
		return delivery.BadSignature(headerSignature + " was sent more than once")
	}
	given, ok := strings.CutPrefix(sig, "sha256=")
	if !ok || len(given) != hex.EncodedLen(sha256.Size) {
		return delivery.BadSignature(headerSignature + " is not sha256= and 64 hex digits")
	}
	want, err := hex.DecodeString(given)
	if err != nil {
		return delivery.BadSignature(headerSignature + " is not hex")
	}
	for _, secret := range r.secrets {
		if hmac.Equal(sum(secret, body), want) {
			return nil
		}
	}
	return delivery.BadSignature("signature does not match")
}

func sum(secret, body []byte) []byte {
	m := hmac.New(sha256.New, secret)
	m.Write(body)
	return m.Sum(nil)
}

// Sign makes the headers of a delivery as GitHub sends them, signed with the
// webhook secret: for tests, replay and the demo. GitHub's headers carry no
// time, so there is none to give; event and delivery id are not covered by the
// signature.
func Sign(secret string, body []byte, event, id string) http.Header {
	h := http.Header{}
	h.Set(headerType, "application/json")
	h.Set(headerEvent, event)
	h.Set(headerDelivery, id)
	h.Set("User-Agent", "GitHub-Hookshot/postern")
	h.Set(headerSignature, "sha256="+hex.EncodeToString(sum([]byte(secret), body)))
	return h
}

// parseTime reads a platform's time stamp; zero if it is none.
func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
