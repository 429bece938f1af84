package feishu

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	larkcore "github.com/larksuite/oapi-sdk-go/v3/core"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// maxSay is the most bytes of a text message. The platform takes 150 KB of
// request; in the worst case each byte becomes four there.
const maxSay = 32 << 10

// Post shows a card at a place and gives the message's id. key makes a repeat
// within an hour the same message (the platform's uuid).
func (c *Client) Post(ctx context.Context, place trigger.Place, card inbox.Card, key string) (string, error) {
	// Another app's open_ids mean nothing here, and the platform would refuse
	// the whole card for them.
	card.Mentions = slices.DeleteFunc(slices.Clone(card.Mentions), func(ref string) bool {
		a, ok := actor.ParseRef(ref)
		return !ok || a.Workspace != c.app
	})
	return c.send(ctx, "post card", place, "interactive", string(RenderCard(card)), key)
}

// Say answers in a thread, in the topic if it is one, or writes to the chat if
// the place names no thread. Post and Say never fall back from a reply to a new
// message: in a topic group that opens a new topic (B40).
func (c *Client) Say(ctx context.Context, place trigger.Place, text, key string) (string, error) {
	return c.send(ctx, "say", place, "text", textContent(text), key)
}

// Tell writes to one person alone, in their direct chat with the bot. The same
// words to the same person within an hour are told once: a retry is the usual
// reason for them.
func (c *Client) Tell(ctx context.Context, place trigger.Place, user actor.Actor, text string) error {
	const op = "tell"
	if user.Provider != trigger.Feishu || user.Workspace != c.app {
		return refuse(op, "wrong_person", "the person is not known to this app")
	}
	direct := trigger.Place{Surface: trigger.Feishu, Account: c.app, Channel: user.ID}
	_, err := c.send(ctx, op, direct, "text", textContent(text), "tell|"+place.Key()+"|"+text)
	return err
}

// Update makes a card's message show the card's present state, whole (B36). It
// is a PATCH; the PUT of text edits does nothing to cards (B34).
func (c *Client) Update(ctx context.Context, ref inbox.Reference, card inbox.Card) error {
	const op = "update card"
	if !isID(ref.Message, "om_") { // B42: neither a topic's id nor a callback's token
		return refuse(op, "99992354", meaning[99992354])
	}
	card.Mentions = nil // mentioned once, when posted (I10)
	return c.do(ctx, op, larkcore.ApiReq{
		HttpMethod: http.MethodPatch,
		ApiPath:    "/open-apis/im/v1/messages/:message_id",
		PathParams: larkcore.PathParams{"message_id": ref.Message},
		Body:       map[string]string{"content": string(RenderCard(card))},
	}, nil)
}

// message is the body of create and reply.
type message struct {
	To      string `json:"receive_id,omitempty"`
	Type    string `json:"msg_type"`
	Content string `json:"content"`
	UUID    string `json:"uuid,omitempty"`
	Topic   bool   `json:"reply_in_thread,omitempty"`
}

func (c *Client) send(ctx context.Context, op string, place trigger.Place, kind, content, key string) (string, error) {
	if place.Surface != trigger.Feishu || place.Account != c.app {
		return "", refuse(op, "wrong_place", "the place is not one of this app's")
	}
	m := message{Type: kind, Content: content, UUID: uuid(place, kind, key)}
	req := larkcore.ApiReq{HttpMethod: http.MethodPost, QueryParams: larkcore.QueryParams{}}
	switch {
	case place.Thread != "":
		if !isID(place.Thread, "om_") {
			return "", refuse(op, "99992354", meaning[99992354])
		}
		req.ApiPath = "/open-apis/im/v1/messages/:message_id/reply"
		req.PathParams = larkcore.PathParams{"message_id": place.Thread}
		m.Topic = place.Topic
	case isID(place.Channel, "oc_"):
		req.ApiPath, m.To = "/open-apis/im/v1/messages", place.Channel
		req.QueryParams.Set("receive_id_type", "chat_id")
	case isID(place.Channel, "ou_"):
		req.ApiPath, m.To = "/open-apis/im/v1/messages", place.Channel
		req.QueryParams.Set("receive_id_type", "open_id")
	default:
		return "", refuse(op, "230001", "neither a chat's nor a person's id")
	}
	req.Body = m
	var out struct {
		Data struct {
			ID string `json:"message_id"`
		} `json:"data"`
	}
	if err := c.do(ctx, op, req, &out); err != nil {
		return "", err
	}
	if out.Data.ID == "" {
		return "", answerError(op, http.StatusOK, nil, noCode)
	}
	return out.Data.ID, nil
}

// uuid makes an idempotency key fit: the platform takes 50 characters, and
// would give one place's message for another's if the key alone counted.
func uuid(place trigger.Place, kind, key string) string {
	if key == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(place.Key() + "|" + kind + "|" + key))
	return hex.EncodeToString(sum[:20])
}

func textContent(text string) string {
	text = plain(strings.TrimSpace(text))
	if len(text) > maxSay {
		text = text[:edge(text, maxSay)] + "\n[cut]"
	}
	if text == "" {
		text = "(no text)"
	}
	return string(encode(map[string]string{"text": text}))
}
