package slack_test

import (
	"net/http"
	"testing"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
	edge "github.com/postern-dev/postern/shared/edge/slack"
	"github.com/postern-dev/postern/shared/local/standin/slack"
)

// A person's message arrives as Slack sends it: twice for a mention, with one
// identity, in either order (B05).
func TestPeopleWriteAndMention(t *testing.T) {
	t.Parallel()
	for _, mentionFirst := range []bool{false, true} {
		w := start(t)
		m, answers, err := w.Say(bg, w.hook, slack.Line{User: "U0ADA", Channel: "C0OPS", Text: "if a < b && <@U0BOB>", Mention: true, MentionFirst: mentionFirst})
		if err != nil || len(answers) != 2 || answers[0].Status != 200 || (answers[0].Event == "app_mention") != mentionFirst {
			t.Fatalf("%+v, %v", answers, err)
		}
		a, b := w.got[0].Trigger, w.got[1].Trigger
		if a == nil || b == nil || a.ID != b.ID || a.Named != trigger.Mention || b.Named != trigger.Mention ||
			a.Sender.Ref() != "slack:T0DEV/U0ADA" || a.Text != "<@U0AGENT> if a < b && <@U0BOB>" || a.Message != m.TS {
			t.Fatalf("\n%+v\n%+v", a, b)
		}
		_, answers, err = w.Say(bg, w.hook, slack.Line{User: "U0BOB", Channel: "C0OPS", Thread: m.TS, Text: "me too"})
		if err != nil || len(answers) != 1 || w.got[2].Trigger.Thread != a.Thread || w.got[2].Trigger.Named != trigger.NotAt {
			t.Fatalf("%+v, %v", w.got[2], err)
		}
		if _, _, err := w.Say(bg, w.hook, slack.Line{User: "U0BOB", Channel: "D0BOB", Text: "hi"}); err != nil || w.got[3].Trigger.Named != trigger.Direct {
			t.Fatalf("%+v, %v", w.got[3], err)
		}
	}
}

// The whole way of a card: posted by our client, clicked here, and read back by
// our receiver as the answer to that item, with the message that was clicked.
func TestACardIsClicked(t *testing.T) {
	t.Parallel()
	w := start(t)
	client, err := edge.NewClient(slack.DevSecrets(), w.url, http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	place := trigger.Place{Surface: "slack", Account: "T0DEV", Channel: "C0APPROVALS"}
	deny := inbox.Button{Item: "item1", Digest: "d1", Choice: inbox.Deny}
	ts, err := client.Post(bg, place, inbox.Card{Kind: inbox.Approval, Title: "x", Buttons: []inbox.CardButton{
		{Label: "Allow", Value: "theirs"}, {Label: "Deny", Value: deny.Value(linkKey)},
	}}, "k")
	if err != nil {
		t.Fatal(err)
	}
	a, err := w.Press(bg, w.hook, "U0BOB", "C0APPROVALS", ts, 1)
	if err != nil || a.Status != 200 || len(a.Body) != 0 {
		t.Fatalf("%+v, %v", a, err)
	}
	got := w.got[0].Answer
	if got == nil || got.Item != "item1" || got.Digest != "d1" || got.Choice != "deny" || got.Actor.Ref() != "slack:T0DEV/U0BOB" ||
		got.Shown != (inbox.Reference{Place: place, Message: ts}) {
		t.Fatalf("%+v", w.got[0])
	}
	if _, err := w.Press(bg, w.hook, "U0BOB", "C0APPROVALS", ts, 0); err != nil || w.got[1].Drop == "" {
		t.Fatalf("%+v, %v", w.got[1], err)
	}
	p := w.Presses()
	if len(p) != 2 || p[0].User != "U0BOB" || p[0].Label != "Deny" || p[0].Status != 200 || p[0].TS != ts {
		t.Fatalf("%+v", p)
	}
	for _, n := range []int{-1, 2} {
		if _, err := w.Press(bg, w.hook, "U0BOB", "C0APPROVALS", ts, n); err == nil {
			t.Errorf("button %d was pressed", n)
		}
	}
	if _, err := w.Press(bg, w.hook, "U0BOB", "C0APPROVALS", "1.1", 0); err == nil {
		t.Error("a message that is not there was pressed")
	}
}

func TestChallengeAndOwnBodies(t *testing.T) {
	t.Parallel()
	w := start(t)
	if a, err := w.Challenge(bg, w.hook, `c"1`); err != nil || a.Status != 200 || string(a.Body) != `c"1` {
		t.Fatalf("%+v, %v", a, err)
	}
	if a, err := w.Deliver(bg, w.hook, []byte("not json")); err != nil || a.Status != 400 {
		t.Fatalf("%+v, %v", a, err)
	}
	w.hook.URL = "http://127.0.0.1:1/"
	if m, _, err := w.Say(bg, w.hook, slack.Line{User: "U0ADA", Channel: "C0OPS", Text: "hi"}); err == nil || m.TS == "" || len(w.Messages()) != 1 {
		t.Fatalf("%+v, %v", m, err)
	}
}
