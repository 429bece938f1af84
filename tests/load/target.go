package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	edge "github.com/postern-dev/postern/shared/edge/slack"
	standin "github.com/postern-dev/postern/shared/local/standin/slack"
)

// target is a deployment that says when a message was judged.
type target struct {
	name     string // for the picture
	made     string // by which command
	url      string
	host     string // Host header, where an emulator wants one
	client   *http.Client
	receiver *edge.Receiver // tells the identity of what is sent
	secret   string
	seq      int
	// judged says when a message was judged, if it was.
	judged func(ctx context.Context, id string) (time.Time, bool, error)
	look   time.Duration // how long between two looks
	close  func()
}

// linkKey signs nothing that is sent; a receiver wants one.
var linkKey = []byte("load-link-key-000000000000000000")

func newTarget() (*target, error) {
	t := &target{secret: standin.DevSecrets().SigningSecret, close: func() {},
		client: &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 512, MaxConnsPerHost: 512}}}
	var err error
	t.receiver, err = edge.NewReceiver(standin.DevSecrets(), linkKey, time.Now)
	return t, err
}

// webhook makes one signed message that names the agent, in a thread of its
// own. Every tenth is by Ada, who is listed, and starts an agent that answers;
// the others are by somebody who is not, and are recorded.
func (t *target) webhook() (body []byte, header http.Header, id string, err error) {
	t.seq++
	now := time.Now()
	user := "U0MALLORY"
	if t.seq%10 == 0 {
		user = "U0ADA"
	}
	ts := fmt.Sprintf("%d.%06d", now.Unix(), t.seq)
	body, err = json.Marshal(map[string]any{"type": "event_callback", "token": "unused", "team_id": "T0DEV", "api_app_id": "A0DEV",
		"event_id": fmt.Sprintf("EvLoad%08d", t.seq), "event_time": now.Unix(),
		"authorizations": []any{map[string]any{"team_id": "T0DEV", "user_id": "U0AGENT", "is_bot": true}},
		"event": map[string]any{"type": "app_mention", "user": user, "channel": "C0OPS", "team": "T0DEV", "ts": ts, "event_ts": ts,
			"text": "<@U0AGENT> hello, this is message " + fmt.Sprint(t.seq)}})
	if err != nil {
		return nil, nil, "", err
	}
	header = edge.Sign(t.secret, body, now)
	d, err := t.receiver.Receive(header, body)
	if err != nil || d.Trigger == nil {
		return nil, nil, "", fmt.Errorf("the webhook is not one: %s: %w", d.Drop, err)
	}
	return body, header, d.Trigger.ID, nil
}
