package slack

import (
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

func TestI21_ClickBecomesAnAnswer(t *testing.T) {
	t.Parallel()
	got := answerOf(t, clicked(nil))
	want := inbox.Answer{
		Item: "itemitemitem", Digest: "d1", Choice: "allow",
		Actor: actor.Actor{Provider: "slack", Workspace: "T1", ID: "U1", Name: "ada", Kind: actor.Human},
		Via:   "slack", Delivery: "C1:2.2:U1:3.3", ID: "slack:C1:2.2:U1:3.3:allow",
		Shown: inbox.Reference{
			Place:   trigger.Place{Surface: "slack", Account: "T1", Channel: "C1", Thread: "1.1"},
			Message: "2.2",
		},
	}
	if got != want {
		t.Fatalf("\n got %+v\nwant %+v", got, want)
	}
	d := receive(t, form(t, clicked(nil)))
	if d.Event != "block_actions" || d.ID != want.Delivery {
		t.Fatalf("%+v", d)
	}
}

// B17: a repeated request is the same attempt; another person, another press
// and another choice are attempts of their own.
func TestB17_AttemptsAreTold(t *testing.T) {
	t.Parallel()
	deny := button()
	deny.Choice = inbox.Deny
	act := func(b inbox.Button, ts any) []any {
		return []any{obj{"value": b.Value(testLinkKey), "action_ts": ts}}
	}
	base := answerOf(t, clicked(nil))
	if again := answerOf(t, clicked(obj{"trigger_id": "another"})); again.ID != base.ID {
		t.Errorf("a repeated click is %s", again.ID)
	}
	seen := map[string]bool{base.ID: true}
	for _, more := range []obj{
		{"user": obj{"id": "U2", "team_id": "T1"}},
		{"actions": act(button(), "3.4")},
		{"actions": act(deny, "3.3")},
		{"actions": act(deny, nil)},
		{"actions": act(button(), nil)},
	} {
		a := answerOf(t, clicked(more))
		if seen[a.ID] {
			t.Errorf("%v: %s was seen", more, a.ID)
		}
		seen[a.ID] = true
	}
}

// B18: a click is read without anything kept from before; two receivers that
// never met say the same.
func TestB18_FreshProcessReadsTheClick(t *testing.T) {
	t.Parallel()
	if a, b := answerOf(t, clicked(nil)), answerOf(t, clicked(nil)); a != b {
		t.Fatalf("%+v, %+v", a, b)
	}
}

// B19: the team in a click is the viewer's. It is in no id.
func TestB19_ClickKeysHoldNoTeam(t *testing.T) {
	t.Parallel()
	a := answerOf(t, clicked(nil))
	b := answerOf(t, clicked(obj{"team": obj{"id": "TPARTNER"}, "user": obj{"id": "U1", "team_id": "TPARTNER"}}))
	if a.ID != b.ID || a.Delivery != b.Delivery {
		t.Errorf("%s, %s", a.ID, b.ID)
	}
	if b.Shown.Place.Account != "T1" || b.Actor.Ref() != "slack:TPARTNER/U1" {
		t.Errorf("shown in %+v by %s", b.Shown.Place, b.Actor.Ref())
	}
	// Somebody of the other company clicks where the team said is ours.
	c := answerOf(t, clicked(obj{"user": obj{"id": "U1", "team_id": "TPARTNER"}}))
	if c.Actor.Ref() != "slack:TPARTNER/U1" {
		t.Errorf("by %s", c.Actor.Ref())
	}
	org := answerOf(t, clicked(obj{"is_enterprise_install": true, "enterprise": obj{"id": "E1"}}))
	if org.Shown.Place.Account != "E1" {
		t.Errorf("%+v", org.Shown.Place)
	}
}

func TestB24_ClickInAThreadBelongsToTheThread(t *testing.T) {
	t.Parallel()
	cases := []struct {
		container, message obj
		thread             string
	}{
		{obj{"message_ts": "2.2", "thread_ts": "1.1", "channel_id": "C1"}, obj{"ts": "2.2"}, "1.1"},
		{obj{"message_ts": "2.2", "channel_id": "C1"}, obj{"ts": "2.2", "thread_ts": "1.1"}, "1.1"},
		{obj{"message_ts": "2.2", "channel_id": "C1"}, obj{"ts": "2.2"}, ""},
		// A card at the top that got replies is still a card at the top.
		{obj{"message_ts": "2.2", "thread_ts": "2.2", "channel_id": "C1"}, obj{"ts": "2.2", "thread_ts": "2.2"}, ""},
	}
	for _, c := range cases {
		got := answerOf(t, clicked(obj{"container": c.container, "message": c.message})).Shown
		if got.Place.Thread != c.thread || got.Message != "2.2" || got.Place.Channel != "C1" {
			t.Errorf("%v: %+v", c.container, got)
		}
	}
}

// A click whose message cannot be told still answers its item.
func TestI23_ClickWithoutAMessageStillAnswers(t *testing.T) {
	t.Parallel()
	got := answerOf(t, clicked(obj{"container": "x", "message": 5, "channel": nil}))
	if got.Item != "itemitemitem" || got.Shown != (inbox.Reference{}) {
		t.Fatalf("%+v", got)
	}
}

func TestI21_OnlyOurButtonsAnswer(t *testing.T) {
	t.Parallel()
	good := button().Value(testLinkKey)
	for _, actions := range []any{
		nil, []any{}, "x", []any{5},
		[]any{obj{"type": "button", "action_id": "theirs", "value": "approve"}},
		[]any{obj{"type": "button", "action_id": "open"}}, // a link button carries no value
		[]any{obj{"type": "static_select", "selected_option": obj{"value": good}}},
		[]any{obj{"value": button().Value([]byte("another key of sixteen bytes"))}},
		[]any{obj{"value": strings.Replace(good, "allow", "deny", 1)}},
		[]any{obj{"value": strings.Replace(good, "itemitemitem", "itemitemiten", 1)}},
		[]any{obj{"value": good + "|"}}, []any{obj{"value": good[1:]}}, []any{obj{"value": strings.Repeat("x", 3000)}},
	} {
		d := receive(t, form(t, clicked(obj{"actions": actions})))
		if d.Drop != "not one of our buttons" {
			t.Errorf("%v: %+v", actions, d)
		}
	}
	// Ours beside another's is found.
	two := []any{obj{"value": "theirs"}, obj{"value": good, "action_ts": "3.3"}}
	if got := answerOf(t, clicked(obj{"actions": two})); got.Delivery != "C1:2.2:U1:3.3" {
		t.Errorf("%+v", got)
	}
}

func TestI13_ClickNeedsAPerson(t *testing.T) {
	t.Parallel()
	for _, more := range []obj{
		{"user": nil}, {"user": obj{"id": "U1/x", "team_id": "T1"}}, {"user": obj{"id": "U1", "team_id": "T1/U9"}},
		{"user": obj{"id": "U1"}, "team": nil},
	} {
		if d := receive(t, form(t, clicked(more))); d.Drop != "names no sender" {
			t.Errorf("%v: %+v", more, d)
		}
	}
}

func TestOtherInteractionsAreDropped(t *testing.T) {
	t.Parallel()
	for _, kind := range []any{"view_submission", "view_closed", "shortcut", "message_action", "block_suggestion", "new", nil, 5} {
		if d := receive(t, form(t, clicked(obj{"type": kind}))); d.Drop != "unknown interaction" {
			t.Errorf("%v: %+v", kind, d)
		}
	}
}

// Slack shows nothing of the answer to a click: it is empty in every case.
func TestAnsweredIsEmpty(t *testing.T) {
	t.Parallel()
	for _, card := range []*inbox.Card{nil, {Title: "x", Settled: true}} {
		r := receiver(t).Answered("words", card == nil, card)
		if r.Status != 200 || len(r.Body) != 0 {
			t.Errorf("%+v", r)
		}
	}
}
