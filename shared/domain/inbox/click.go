package inbox

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// Button is what one button of a card stands for.
type Button struct {
	Item   string
	Digest string // the item's digest as the card showed it
	Choice string
}

// ErrButton is a button value that we did not make.
var ErrButton = errors.New("button value is not one of ours")

// Value signs a button for a card (I21): the platform's own signature proves
// who sent the click, ours that the value comes from a card we made. It is
// under 200 bytes, far below Slack's limit of 2,000.
func (b Button) Value(key []byte) string {
	body := strings.Join([]string{"p1", b.Item, b.Digest, b.Choice}, "|")
	return body + "|" + mac(key, body)
}

// ParseButton reads what Value wrote. Anything else is ErrButton.
func ParseButton(key []byte, value string) (Button, error) {
	i := strings.LastIndexByte(value, '|')
	if len(key) == 0 || i < 0 || len(value) > 2000 {
		return Button{}, ErrButton
	}
	if !hmac.Equal([]byte(mac(key, value[:i])), []byte(value[i+1:])) {
		return Button{}, ErrButton
	}
	f := strings.Split(value[:i], "|")
	if len(f) != 4 || f[0] != "p1" {
		return Button{}, ErrButton
	}
	return Button{Item: f[1], Digest: f[2], Choice: f[3]}, nil
}

func mac(key []byte, body string) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(body))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// ItemID derives an item's id from session, number of the model's message in
// the transcript, position of the call, and digest of its arguments (I3).
func ItemID(session string, step int64, pos int, digest string) string {
	return derive(fmt.Sprintf("%s|%d|%d|%s", session, step, pos, digest))
}

// ItemIDElsewhere derives the id for an agent that runs elsewhere, from its
// idempotency key (I3).
func ItemIDElsewhere(session, key string) string { return derive(session + "|key|" + key) }

func derive(s string) string {
	sum := sha256.Sum256([]byte(s))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:15]))
}
