package github

import (
	"encoding/hex"
	"strings"

	"github.com/postern-dev/postern/shared/domain/trigger"
)

// markerOpen begins the hidden first line of every comment that we write: by
// it a retry finds what was already posted, and we know our own comments.
const markerOpen = "<!-- postern:"

// markerCard is the first line of a card that was changed: nothing looks for
// its key any more, since its comment's id is known.
const markerCard = markerOpen + "card -->\n"

// marker is the hidden line for a key on a place. It is a keyed hash: nobody
// can write it before us to keep a card from being posted, and a key with
// markup in it stays inside.
func marker(secret string, place trigger.Place, key string) string {
	s := sum([]byte(secret), []byte("marker|"+place.Key()+"|"+key))
	return markerOpen + hex.EncodeToString(s[:16]) + " -->\n"
}

// withoutMarker is a comment as people see it.
func withoutMarker(body string) string {
	if !strings.HasPrefix(body, markerOpen) {
		return body
	}
	_, rest, _ := strings.Cut(body, "-->")
	return strings.TrimLeft(rest, "\r\n")
}
