package attacks

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/edge/slack"
	slackstandin "github.com/postern-dev/postern/shared/local/standin/slack"
)

// A click by somebody who is not listed changes nothing: by somebody in the
// channel, and by somebody of a connected workspace whose id is on the list of
// ours.
func TestQ7_ClicksByTheWrongPerson(t *testing.T) {
	t.Parallel()
	s := open(t)
	x, card := s.asked("Comment on acme/shop#1")
	for _, who := range []string{"U0MALLORY", "U9EVE"} {
		for n := range 2 {
			if a, err := s.world.Slack.Press(s.ctx, s.slack(), who, card.Channel, card.TS, n); err != nil || a.Status != 200 {
				t.Fatal(who, a, err)
			}
			if got := s.item(x.ID); got.State != inbox.Pending {
				t.Fatalf("%s answered: %+v", who, got)
			}
		}
	}
	if _, err := s.world.Slack.Press(s.ctx, s.slack(), "U0ADA", card.Channel, card.TS, 0); err != nil {
		t.Fatal(err)
	}
	if got := s.item(x.ID); got.State != inbox.Approved || got.By.Ref() != "slack:T0DEV/U0ADA" {
		t.Errorf("%+v", got)
	}
}

// A second click, and one on a card as it was before, change nothing.
func TestQ7_StaleCardsAndSecondClicks(t *testing.T) {
	t.Parallel()
	s := open(t)
	x, card := s.asked("Comment on acme/shop#1")
	if _, err := s.world.Slack.Press(s.ctx, s.slack(), "U0ADA", card.Channel, card.TS, 1); err != nil {
		t.Fatal(err)
	}
	denied := s.item(x.ID)
	if denied.State != inbox.Denied {
		t.Fatalf("%+v", denied)
	}
	for n := range 2 {
		if _, err := s.world.Slack.PressOld(s.ctx, s.slack(), "U0ADA", card, n); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.item(x.ID); got.State != inbox.Denied || got.Resolution != denied.Resolution {
		t.Errorf("%+v", got)
	}
	late, card := s.asked("Comment on acme/shop#2")
	s.clock.Advance(2 * time.Hour)
	if _, err := s.world.Slack.PressOld(s.ctx, s.slack(), "U0ADA", card, 0); err != nil {
		t.Fatal(err)
	}
	if got := s.item(late.ID); got.State != inbox.Expired {
		t.Errorf("an expired item is %s", got.State)
	}
}

// A button that we did not make answers nothing, though Slack signed the click
// and its person is an approver: another item's id, other arguments, another
// choice, a signature of another key.
func TestQ7_ForgedButtons(t *testing.T) {
	t.Parallel()
	s := open(t)
	x, card := s.asked("Comment on acme/shop#1")
	good := card.Buttons()[0].Value
	other := inbox.Button{Item: x.ID, Digest: x.Digest, Choice: inbox.Allow}.Value([]byte("another-key-0000000000"))
	for name, value := range map[string]string{
		"another item":    strings.Replace(good, x.ID, "other", 1),
		"other arguments": strings.Replace(good, x.Digest, "sha256:e", 1),
		"another choice":  strings.Replace(good, inbox.Allow, "allow_always", 1),
		"another key":     other,
		"no signature":    good[:strings.LastIndexByte(good, '|')],
		"empty":           "",
		"JSON":            `{"item":"` + x.ID + `","choice":"allow"}`,
	} {
		if value == good {
			t.Fatalf("%s is the good value", name)
		}
		s.click("U0ADA", card, value)
		if got := s.item(x.ID); got.State != inbox.Pending {
			t.Fatalf("%s: %+v", name, got)
		}
	}
	s.click("U0ADA", card, good)
	if got := s.item(x.ID); got.State != inbox.Approved {
		t.Errorf("the good value does not count, so the others say nothing: %+v", got)
	}
}

// click sends a click with any value, signed as Slack signs.
func (s *street) click(user string, card slackstandin.Message, value string) {
	s.Helper()
	payload, err := json.Marshal(map[string]any{
		"type": "block_actions", "api_app_id": "A0DEV", "team": map[string]string{"id": "T0DEV"},
		"user":      map[string]string{"id": user, "team_id": "T0DEV"},
		"container": map[string]string{"type": "message", "message_ts": card.TS, "channel_id": card.Channel},
		"channel":   map[string]string{"id": card.Channel}, "message": map[string]any{"ts": card.TS, "text": "x"},
		"actions": []any{map[string]string{"type": "button", "action_id": card.Buttons()[0].ActionID, "block_id": "b", "value": value, "action_ts": "1.1"}}})
	if err != nil {
		s.Fatal(err)
	}
	body := []byte(url.Values{"payload": {string(payload)}}.Encode())
	req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.url+"/hooks/slack", bytes.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	req.Header = slack.Sign(slackstandin.DevSecrets().SigningSecret, body, s.clock.Now())
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := httpClient.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		s.Fatalf("the click was answered %d", resp.StatusCode)
	}
}
