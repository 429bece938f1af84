package feishu

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

var testButton = inbox.Button{Item: "item1", Digest: "d1", Choice: inbox.Allow}

func clickPlain(id, value string) string {
	return wrap(eventClick, id, `{"operator":{"open_id":"ou_ada","tenant_key":"t_1"},"token":"c-abc","action":{"tag":"button","value":`+value+`},"host":"im_message","context":{"open_message_id":"om_card","open_chat_id":"oc_1"}}`)
}

func toastOf(t *testing.T, r *delivery.Reply) (kind, words string) {
	t.Helper()
	if r == nil {
		t.Fatal("no reply")
	}
	var out struct {
		Toast struct{ Type, Content string }
	}
	if err := json.Unmarshal(r.Body, &out); err != nil {
		t.Fatal(err)
	}
	return out.Toast.Type, out.Toast.Content
}

func TestClick(t *testing.T) {
	t.Parallel()
	d := receive(t, testReceiver(t), clickPlain("e9", fmt.Sprintf(`{"postern":%q}`, testButton.Value(testLink))))
	want := inbox.Answer{
		Item: "item1", Digest: "d1", Choice: "allow", Via: "feishu", Delivery: "e9", ID: "feishu:cli_a:e9",
		Actor: actor.Actor{Provider: "feishu", Workspace: "cli_a", ID: "ou_ada", Kind: actor.Human},
		Shown: inbox.Reference{Place: trigger.Place{Surface: "feishu", Account: "cli_a", Channel: "oc_1"}, Message: "om_card"},
	}
	if d.Answer == nil || *d.Answer != want {
		t.Fatalf("got  %+v\nwant %+v", d.Answer, want)
	}
}

// B30: a second tap is another attempt on the same item, and the same delivery
// twice is the same attempt (I5).
func TestB30SecondClick(t *testing.T) {
	t.Parallel()
	r := testReceiver(t)
	value := fmt.Sprintf(`{"postern":%q}`, testButton.Value(testLink))
	first := receive(t, r, clickPlain("e1", value)).Answer
	again := receive(t, r, clickPlain("e1", value)).Answer
	second := receive(t, r, clickPlain("e2", value)).Answer
	if first.ID != again.ID || first.ID == second.ID || first.Item != second.Item {
		t.Errorf("ids %s, %s, %s", first.ID, again.ID, second.ID)
	}
	a, b := receive(t, r, clickPlain("", value)).Answer, receive(t, r, clickPlain("", value)).Answer
	if a.ID != b.ID || a.ID == "feishu:cli_a:" {
		t.Errorf("without an event id: %s, %s", a.ID, b.ID)
	}
}

// Fact 2.6: a button's value comes as an object or as a string.
func TestButtonValueForms(t *testing.T) {
	t.Parallel()
	v := testButton.Value(testLink)
	object := fmt.Sprintf(`{"postern":%q}`, v)
	quoted, _ := json.Marshal(object)
	for _, form := range []string{object, fmt.Sprintf("%q", v), string(quoted)} {
		if d := receive(t, testReceiver(t), clickPlain("e1", form)); d.Answer == nil || d.Answer.Item != "item1" {
			t.Errorf("%s: %+v", form, d)
		}
	}
}

// I21, Q7: only values that we signed are answers; anything else is told so
// and changes nothing.
func TestForeignButtons(t *testing.T) {
	t.Parallel()
	good := testButton.Value(testLink)
	other := testButton.Value([]byte("another key"))
	changed := strings.Replace(good, "allow", "deny", 1)
	for _, value := range []string{
		`{}`, `null`, `""`, `7`, `[]`, `{"postern":7}`, `{"postern":""}`, `{"other":"x"}`, `"{"`, `"{\"postern\":{}}"`,
		fmt.Sprintf(`{"postern":%q}`, other), fmt.Sprintf(`{"postern":%q}`, changed), fmt.Sprintf(`{"postern":%q}`, good+"0"),
	} {
		d := receive(t, testReceiver(t), clickPlain("e1", value))
		if d.Answer != nil {
			t.Errorf("%s became an answer", value)
		}
		if kind, _ := toastOf(t, d.Reply); kind != "warning" || d.Reply.Status != 200 {
			t.Errorf("%s: reply %+v", value, d.Reply)
		}
	}
	plain := strings.Replace(clickPlain("e1", fmt.Sprintf(`{"postern":%q}`, good)), "ou_ada", "", 1)
	if d := receive(t, testReceiver(t), plain); d.Answer != nil || d.Reply == nil {
		t.Errorf("nobody clicked: %+v", d)
	}
}

// R19, B33: the answer carries the toast and the settled card.
func TestAnswered(t *testing.T) {
	t.Parallel()
	card := inbox.Card{Kind: inbox.Approval, Title: "Comment", Settled: true, Status: "Allowed by Ada"}
	rc := testReceiver(t)
	r := rc.Answered("Recorded: allowed", true, &card)
	var out struct {
		Toast struct{ Type, Content string }
		Card  struct {
			Type string
			Data struct {
				Config map[string]bool
			}
		}
	}
	if err := json.Unmarshal(r.Body, &out); err != nil {
		t.Fatal(err)
	}
	if r.Status != 200 || out.Toast.Type != "success" || out.Toast.Content != "Recorded: allowed" || out.Card.Type != "raw" || !out.Card.Data.Config["update_multi"] {
		t.Errorf("%s", r.Body)
	}
	if got := string(rc.Answered("", true, nil).Body); got != "{}" {
		t.Errorf("nothing to say: %s", got)
	}
	if got := string(rc.Answered("Too late", false, nil).Body); got != `{"toast":{"type":"warning","content":"Too late"}}` {
		t.Errorf("refused: %s", got)
	}
	if kind, words := toastOf(t, &delivery.Reply{Body: rc.Answered(strings.Repeat("界", 500), false, nil).Body}); kind != "warning" || len(words) > maxToast {
		t.Errorf("toast of %d bytes", len(words))
	}
}
