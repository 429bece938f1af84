package slack

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/delivery"
)

const (
	headerTime      = "X-Slack-Request-Timestamp"
	headerSignature = "X-Slack-Signature"

	// maxSkew is how far a request's time stamp may be from our clock, either way.
	maxSkew = 300 // seconds
)

// verify checks the signature over the raw bytes, then the age. Both refusals
// are a 401; the order makes "stale" mean a request that Slack really signed.
func (r *Receiver) verify(h http.Header, body []byte) *delivery.Refusal {
	stamp, ok := single(h, headerTime)
	if !ok {
		return delivery.BadSignature("no single time stamp header")
	}
	seconds, ok := unixSeconds(stamp)
	if !ok {
		return delivery.BadSignature("time stamp is not a number")
	}
	given, ok := single(h, headerSignature)
	if !ok {
		return delivery.BadSignature("no single signature header")
	}
	hexed, ok := strings.CutPrefix(given, "v0=")
	if !ok || len(hexed) != 2*sha256.Size {
		return delivery.BadSignature("signature is not of version 0")
	}
	var sum [sha256.Size]byte
	if _, err := hex.Decode(sum[:], []byte(hexed)); err != nil {
		return delivery.BadSignature("signature is not hexadecimal")
	}
	if !r.signed(stamp, body, sum[:]) {
		return delivery.BadSignature("signature does not match")
	}
	if d := r.now().Unix() - seconds; d > maxSkew || d < -maxSkew {
		return delivery.Stale("time stamp is more than 5 minutes off")
	}
	return nil
}

// signed tries each secret in constant time: two are accepted during rotation.
func (r *Receiver) signed(stamp string, body, sum []byte) bool {
	ok := false
	for _, secret := range r.secrets {
		ok = hmac.Equal(sum, digest(secret, stamp, body)) || ok
	}
	return ok
}

func digest(secret []byte, stamp string, body []byte) []byte {
	m := hmac.New(sha256.New, secret)
	m.Write([]byte("v0:"))
	m.Write([]byte(stamp))
	m.Write([]byte(":"))
	m.Write(body)
	return m.Sum(nil)
}

// Sign makes the headers of a request as Slack would send it with this body at
// this time: for tests, replay, stand-ins and the demo.
func Sign(secret string, body []byte, at time.Time) http.Header {
	stamp := strconv.FormatInt(at.Unix(), 10)
	h := http.Header{}
	h.Set("Content-Type", "application/x-www-form-urlencoded")
	if len(body) > 0 && body[0] == '{' {
		h.Set("Content-Type", "application/json")
	}
	h.Set(headerTime, stamp)
	h.Set(headerSignature, "v0="+hex.EncodeToString(digest([]byte(secret), stamp, body)))
	return h
}

// single finds the one value of a header, whatever the case of its name: an
// entrance may hand names on as it got them (B04). Two values are none.
func single(h http.Header, name string) (string, bool) {
	value, found := "", false
	for k, vs := range h {
		if !strings.EqualFold(k, name) {
			continue
		}
		if found || len(vs) != 1 {
			return "", false
		}
		value, found = vs[0], true
	}
	return value, found && value != ""
}

// unixSeconds reads plain digits, at most 12 of them, so that no difference of
// two times can overflow.
func unixSeconds(s string) (int64, bool) {
	if s == "" || len(s) > 12 {
		return 0, false
	}
	var n int64
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}
