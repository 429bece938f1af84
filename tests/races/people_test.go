package races

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"

	"github.com/postern-dev/postern/shared/domain/inbox"
)

// click is a person's tap on the button of an item's card in Slack, as Slack
// sends it.
func (h *house) click(user int, x inbox.Item, choice, actionTS string) *http.Request {
	who := fmt.Sprintf("U%d", user)
	value := inbox.Button{Item: x.ID, Digest: x.Digest, Choice: choice}.Value(linkKey)
	payload, err := json.Marshal(map[string]any{
		"type": "block_actions", "user": map[string]string{"id": who, "team_id": team, "name": who}, "team": map[string]string{"id": team},
		"container": map[string]string{"type": "message", "message_ts": "1700000000.000001", "channel_id": "C0APPROVALS"},
		"channel":   map[string]string{"id": "C0APPROVALS"}, "message": map[string]string{"ts": "1700000000.000001", "team": team},
		"actions": []map[string]string{{"type": "button", "action_id": "a", "value": value, "action_ts": actionTS}},
	})
	if err != nil {
		h.t.Fatal(err)
	}
	body := []byte("payload=" + url.QueryEscape(string(payload)))
	at := fmt.Sprint(h.Clock.Now().Unix())
	mac := hmac.New(sha256.New, []byte(signing))
	fmt.Fprintf(mac, "v0:%s:%s", at, body)
	r := httptest.NewRequest(http.MethodPost, "/hooks/slack", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Slack-Request-Timestamp", at)
	r.Header.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
	return r
}

var formToken = regexp.MustCompile(`name="form" value="([^"]+)"`)

// signIn signs a person of the panel in, once.
func (h *house) signIn(user int, x inbox.Item) person {
	ref := fmt.Sprintf("panel:p%d", user)
	if p, ok := h.ids[ref]; ok {
		return p
	}
	key, err := h.LoginKey(context.Background(), ref, ref, "approver")
	if err != nil {
		h.t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/login", strings.NewReader(url.Values{"key": {key}}.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	rec := h.serve(r)
	cookies := rec.Result().Cookies()
	if len(cookies) != 1 {
		h.t.Fatalf("signing in was answered %d with %d cookies", rec.Code, len(cookies))
	}
	page := httptest.NewRequest(http.MethodGet, "/inbox/"+x.ID, nil)
	page.AddCookie(cookies[0])
	m := formToken.FindStringSubmatch(h.serve(page).Body.String())
	if m == nil {
		h.t.Fatal("the item's page has no form")
	}
	h.ids[ref] = person{cookie: cookies[0], form: m[1]}
	return h.ids[ref]
}
