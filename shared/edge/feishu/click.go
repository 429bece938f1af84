package feishu

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// buttonField is the one field of the object that our buttons carry.
const buttonField = "postern"

// click turns card.action.trigger, a tap on a card, into an answer. A tap that cannot be one of ours
// is told so at once: the platform does not repeat callbacks, and a person is
// looking at the card.
func (r *Receiver) click(d *delivery.Delivery, e event, plain []byte) {
	c := e.click
	b, err := inbox.ParseButton(r.link, buttonValue(c.value))
	switch {
	case err != nil:
		reply := r.Answered("This button is not valid any more. Please use the panel.", false, nil)
		d.Reply = &reply
		return
	case c.operator == "":
		reply := r.Answered("Feishu did not say who you are, so nothing was changed.", false, nil)
		d.Reply = &reply
		return
	}
	if d.ID == "" {
		// A click without an id is its own attempt, the same bytes the same one.
		sum := sha256.Sum256(plain)
		d.ID = "body-" + hex.EncodeToString(sum[:12])
	}
	d.Answer = &inbox.Answer{
		Item: b.Item, Digest: b.Digest, Choice: b.Choice,
		Actor:    actor.Actor{Provider: trigger.Feishu, Workspace: r.app, ID: c.operator, Kind: actor.Human},
		Via:      trigger.Feishu,
		Delivery: d.ID,
		ID:       "feishu:" + r.app + ":" + d.ID,
	}
	if c.message != "" {
		d.Answer.Shown = inbox.Reference{
			Place:   trigger.Place{Surface: trigger.Feishu, Account: r.app, Channel: c.chat},
			Message: c.message,
		}
	}
}

// buttonValue finds the signed value. We send an object; the platform may hand
// back an object, or a string that holds one, or the bare string.
func buttonValue(raw json.RawMessage) string {
	for range 2 {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			break
		}
		if len(s) == 0 || s[0] != '{' {
			return s
		}
		raw = json.RawMessage(s)
	}
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		return ""
	}
	var s string
	if json.Unmarshal(o[buttonField], &s) != nil {
		return ""
	}
	return s
}

// Answered is the HTTP answer to a click after it was resolved: a toast for
// the clicker and, if given, the card's present state in the same answer, so
// that the platform does not put the old one back (B30, B33). A later update
// must come after it.
func (*Receiver) Answered(words string, ok bool, card *inbox.Card) delivery.Reply {
	type toast struct {
		Type    string `json:"type"`
		Content string `json:"content"`
	}
	type raw struct {
		Type string          `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	var answer struct {
		Toast *toast `json:"toast,omitempty"`
		Card  *raw   `json:"card,omitempty"`
	}
	if words != "" {
		answer.Toast = &toast{Type: "warning", Content: cut(words, maxToast)}
		if ok {
			answer.Toast.Type = "success"
		}
	}
	if card != nil {
		answer.Card = &raw{Type: "raw", Data: RenderCard(*card)}
	}
	return delivery.Reply{Status: 200, ContentType: contentJSON, Body: encode(answer)}
}

// maxToast is the most bytes of a toast: more is not shown.
const maxToast = 300
