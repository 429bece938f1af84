package feishu

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
	edge "github.com/postern-dev/postern/shared/edge/feishu"
)

var linkKey = []byte("dev-link-key-000000000000000000000")

// receiving is a webhook address that reads what comes with the real receiver.
type receiving struct {
	Hook
	got []delivery.Delivery
	// answer is what a click is answered with.
	answer func(delivery.Delivery) delivery.Reply
}

func (w world) receive(t *testing.T) *receiving {
	t.Helper()
	r, err := edge.NewReceiver(DevSecrets(), linkKey, w.clock.now)
	if err != nil {
		t.Fatal(err)
	}
	rc := &receiving{}
	srv := httptest.NewServer(http.HandlerFunc(func(hw http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		d, err := r.Receive(req.Header, body)
		if err != nil {
			hw.WriteHeader(401)
			return
		}
		rc.got = append(rc.got, d)
		reply := d.Reply
		if d.Answer != nil && rc.answer != nil {
			a := rc.answer(d)
			reply = &a
		}
		if reply != nil {
			hw.Header().Set("Content-Type", reply.ContentType)
			hw.WriteHeader(reply.Status)
			hw.Write(reply.Body)
		}
	}))
	t.Cleanup(srv.Close)
	rc.Hook = Hook{URL: srv.URL, Client: srv.Client()}
	return rc
}

func (rc *receiving) last(t *testing.T) delivery.Delivery {
	t.Helper()
	if len(rc.got) == 0 {
		t.Fatal("nothing arrived")
	}
	return rc.got[len(rc.got)-1]
}

func TestPersonSpeaks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rc := w.receive(t)
	w.AddChat(Chat{ID: "oc_topics", Kind: TopicGroup})
	say := func(sp Speech) (*trigger.Trigger, Result) {
		t.Helper()
		res, err := w.Say(w.ctx, rc.Hook, sp)
		if err != nil || res.Status != 200 {
			t.Fatalf("%+v: %d, %v", sp, res.Status, err)
		}
		d := rc.last(t)
		if d.Trigger == nil {
			t.Fatalf("%+v: %+v", sp, d)
		}
		return d.Trigger, res
	}

	tr, first := say(Speech{Person: "ou_ada", Chat: "oc_ops", Text: "look at the build", Mention: true})
	if tr.Named != trigger.Mention || tr.Text != "@Postern look at the build" || tr.Sender.ID != "ou_ada" || tr.Thread.Thread != first.Message {
		t.Errorf("mention: %+v", tr)
	}
	tr, _ = say(Speech{Person: "ou_bob", Chat: "oc_ops", Text: "me too", ReplyTo: first.Message})
	if tr.Named != trigger.NotAt || tr.Thread.Thread != first.Message || tr.Thread.Topic {
		t.Errorf("reply: %+v", tr)
	}
	tr, _ = say(Speech{Person: "ou_ada", Text: "hi"})
	if tr.Named != trigger.Direct || tr.Kind != "direct" || tr.Thread.Channel != w.DirectChat("ou_ada") {
		t.Errorf("direct: %+v", tr)
	}
	top, res := say(Speech{Person: "ou_ada", Chat: "oc_topics", Text: "a topic"})
	if tr, _ = say(Speech{Person: "ou_bob", Chat: "oc_topics", Text: "in it", ReplyTo: res.Message}); !tr.Thread.Topic || tr.Thread.Key() != top.Thread.Key() {
		t.Errorf("topic: %+v after %+v", tr.Thread, top.Thread)
	}
	if tr, _ = say(Speech{Person: "ou_ci", Chat: "oc_ops", Text: "build failed", FromBot: true}); tr.Sender.Kind != "bot" {
		t.Errorf("bot: %+v", tr.Sender)
	}

	// The same delivery again, as after a lost answer (G47).
	again, err := w.Again(w.ctx, rc.Hook, first.EventID)
	if err != nil || again.Status != 200 || rc.last(t).Trigger.ID != rc.got[0].Trigger.ID || rc.last(t).ID != rc.got[0].ID {
		t.Errorf("again: %+v, %v", again, err)
	}
	if _, err := w.Say(w.ctx, rc.Hook, Speech{Person: "ou_ada", Chat: "oc_nowhere", Text: "x"}); err == nil {
		t.Error("spoke in a chat that is not there")
	}
	if _, err := w.Say(w.ctx, rc.Hook, Speech{Person: "ou_ada", Chat: "oc_ops", Text: "x", ReplyTo: "om_none"}); err == nil {
		t.Error("answered a message that is not there")
	}
}

func TestURLCheck(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rc := w.receive(t)
	res, err := w.Check(w.ctx, rc.Hook, `c"1`)
	if err != nil || res.Status != 200 || string(res.Body) != `{"challenge":"c\"1"}` {
		t.Errorf("%d %s %v", res.Status, res.Body, err)
	}
}

// R19: a tap, its toast and the settled card in one answer.
func TestClickSettles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rc := w.receive(t)
	rc.answer = func(d delivery.Delivery) delivery.Reply {
		c := settled()
		return (*edge.Receiver)(nil).Answered("Recorded: allowed", true, &c)
	}
	card := pending()
	card.Buttons[0].Value = inbox.Button{Item: "item1", Digest: "d", Choice: inbox.Allow}.Value(linkKey)
	id, err := w.client.Post(w.ctx, place(""), card, "k1")
	if err != nil {
		t.Fatal(err)
	}
	res, err := w.Click(w.ctx, rc.Hook, "ou_ada", id, 0)
	if err != nil || res.Status != 200 {
		t.Fatalf("%+v, %v", res, err)
	}
	a := rc.last(t).Answer
	if a == nil || a.Item != "item1" || a.Choice != inbox.Allow || a.Actor.Ref() != "feishu:cli_dev/ou_ada" || a.Shown.Message != id || a.Shown.Place.Channel != "oc_ops" {
		t.Fatalf("%+v", a)
	}
	m, _ := w.Message(id)
	if len(m.Buttons) != 0 || !strings.Contains(m.Text, "Allowed by Ada") {
		t.Errorf("%+v", m)
	}
	p := w.Presses()
	if len(p) != 1 || p[0].Toast != "Recorded: allowed" || p[0].ToastType != "success" || p[0].Trouble != "" || p[0].Button != "Allow" {
		t.Errorf("%+v", p)
	}
	if _, err := w.Click(w.ctx, rc.Hook, "ou_bob", id, 0); err == nil {
		t.Error("a settled card has no button to tap")
	}
}

// B33: a PATCH that overtakes the callback's answer is undone, unless the
// answer holds the card. The stand-in shows it, so that tests can see the bug.
func TestB33UpdateBeforeAnswer(t *testing.T) {
	t.Parallel()
	for _, withCard := range []bool{false, true} {
		w := newWorld(t)
		rc := w.receive(t)
		id := w.post(t, place(""), "k1")
		srv := httptest.NewServer(http.HandlerFunc(func(hw http.ResponseWriter, _ *http.Request) {
			if err := w.client.Update(context.WithoutCancel(w.ctx), inbox.Reference{Message: id}, settled()); err != nil {
				t.Error(err)
			}
			c := settled()
			reply := (*edge.Receiver)(nil).Answered("Recorded", true, nil)
			if withCard {
				reply = (*edge.Receiver)(nil).Answered("Recorded", true, &c)
			}
			hw.Write(reply.Body)
		}))
		t.Cleanup(srv.Close)
		rc.Hook = Hook{URL: srv.URL, Client: srv.Client()}
		if _, err := w.Click(w.ctx, rc.Hook, "ou_ada", id, 0); err != nil {
			t.Fatal(err)
		}
		if m, _ := w.Message(id); (len(m.Buttons) == 0) != withCard {
			t.Errorf("card in the answer %v: %d buttons", withCard, len(m.Buttons))
		}
	}
}

// What the person sees when a callback goes wrong.
func TestClickTrouble(t *testing.T) {
	t.Parallel()
	cases := []struct {
		trouble string
		status  int
		body    string
	}{
		{"", 200, `{}`},
		{"200671", 500, `{}`},
		{"200672", 200, `<html>`},
		{"200673", 200, `{"card":{"type":"raw","data":{"elements":[]}}}`},
	}
	for _, c := range cases {
		w := newWorld(t)
		id := w.post(t, place(""), "k1")
		srv := httptest.NewServer(http.HandlerFunc(func(hw http.ResponseWriter, _ *http.Request) {
			hw.WriteHeader(c.status)
			io.WriteString(hw, c.body)
		}))
		t.Cleanup(srv.Close)
		if _, err := w.Click(w.ctx, Hook{URL: srv.URL, Client: srv.Client()}, "ou_ada", id, 1); err != nil {
			t.Fatal(err)
		}
		p := w.Presses()[0]
		if m, _ := w.Message(id); p.Trouble != c.trouble || len(m.Buttons) != 2 {
			t.Errorf("%s: %+v, %d buttons", c.trouble, p, len(m.Buttons))
		}
		srv.Close()
		if _, err := w.Click(w.ctx, Hook{URL: srv.URL, Client: srv.Client()}, "ou_ada", id, 1); err == nil || w.Presses()[1].Trouble != "200341" {
			t.Errorf("no answer: %v", err)
		}
	}
}

// The stand-in refuses what the platform refuses.
func TestStandInIsStrict(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bad := []string{`{}`, `{"elements":[]}`, `{"elements":[{"tag":"div"}]}`, `{"elements":[{"tag":"div","text":{"tag":"plain_text","content":""}}]}`,
		`{"elements":[{"tag":"action","actions":[]}]}`, `{"elements":[{"tag":"surprise"}]}`, `[]`, `x`}
	for _, b := range bad {
		if _, _, good := readCard([]byte(b)); good {
			t.Errorf("took the card %s", b)
		}
	}
	m := Message{Kind: "text"}
	if m.set(`{"text":""}`) == 0 || m.set(`x`) == 0 || m.set(`{"text":"`+strings.Repeat("x", maxText)+`"}`) != 230025 {
		t.Error("took a bad text")
	}
	resp, err := http.Get(httpServer(t, w).URL + "/open-apis/contact/v3/users")
	if err != nil || resp.StatusCode != 404 {
		t.Errorf("unknown call: %v, %v", resp, err)
	}
	resp.Body.Close()
	resp, err = http.Post(httpServer(t, w).URL+"/open-apis/im/v1/messages?receive_id_type=chat_id", "application/json", strings.NewReader(`{}`))
	if err != nil || resp.StatusCode != 400 {
		t.Errorf("no token: %v, %v", resp, err)
	}
	resp.Body.Close()
}

func httpServer(t *testing.T, w world) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(w.Server)
	t.Cleanup(s.Close)
	return s
}
