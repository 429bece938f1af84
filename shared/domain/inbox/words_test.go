package inbox

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/trigger"
)

func terminal(s State) Item {
	x := waiting(func(x *Item) { x.Tool, x.Title = "deploy", "deploy → prod" })
	x.State, x.By, x.Via, x.Resolved, x.Reason, x.Version = s, bob, "slack", at, "too late", 2
	return x
}

// I5: what, by whom, when and where, in other words for each outcome.
func TestI5_Told(t *testing.T) {
	t.Parallel()
	seen := map[string]State{}
	for _, s := range []State{Approved, Denied, Answered, Expired, Cancelled, Superseded} {
		words := Told(terminal(s))
		if was, twice := seen[words]; twice {
			t.Errorf("%s and %s are told in the same words: %s", s, was, words)
		}
		seen[words] = s
		if !strings.Contains(words, "1 Mar 12:00 UTC") {
			t.Errorf("%s does not say when: %s", s, words)
		}
		byPerson := s == Approved || s == Denied || s == Answered || s == Superseded
		if byPerson != strings.Contains(words, "Bob") {
			t.Errorf("%s: %s", s, words)
		}
	}
	if got := Told(terminal(Denied)); got != "denied by Bob at 1 Mar 12:00 UTC (slack): too late" {
		t.Error(got)
	}
	x := terminal(Approved)
	x.By.Name = ""
	if got := Told(x); !strings.Contains(got, "slack:T1/U2") {
		t.Errorf("without a name: %s", got)
	}
}

// I4: what the agent is told differs for each outcome; an expiry is never read
// as a person's no.
func TestI4_ForAgent(t *testing.T) {
	t.Parallel()
	seen := map[string]State{}
	for _, s := range []State{Pending, Approved, Denied, Answered, Expired, Cancelled, Superseded} {
		words := ForAgent(terminal(s), Body{})
		if was, twice := seen[words]; twice {
			t.Errorf("%s and %s are told in the same words: %s", s, was, words)
		}
		seen[words] = s
	}
	if got := ForAgent(terminal(Expired), Body{}); !strings.Contains(got, "not a refusal") {
		t.Error(got)
	}
	if got := ForAgent(terminal(Denied), Body{}); !strings.Contains(got, "too late") {
		t.Errorf("the reason is for the agent: %s", got)
	}
	x := terminal(Answered)
	x.Choice, x.Reason = "o1,o2", "both"
	if got := ForAgent(x, options(true, true)); got != "Firefox, Chrome\nboth" {
		t.Errorf("the options' labels: %q", got)
	}
}

// I22: where others read, a card shows tool, risk and link, and nothing that
// anybody wrote; I23: a settled card has no buttons and its outcome.
func TestI22_Present(t *testing.T) {
	t.Parallel()
	b := Body{Text: "SECRET text", Arguments: json.RawMessage(`{"a":"SECRET"}`), Asked: ada}
	x := waiting(func(x *Item) { x.Tool, x.Risk, x.Title = "deploy", "external", "deploy → SECRET" })
	key := []byte("key")
	open := Present(x, b, false, "", nil, key, "https://panel/i1")
	closed := terminal(Denied)
	closed.Title, closed.Reason = x.Title, "SECRET reason"
	for name, c := range map[string]Card{"open": open, "closed": Present(closed, b, false, "", nil, key, "https://panel/i1")} {
		text, err := json.Marshal(c)
		if err != nil || strings.Contains(string(text), "SECRET") || !strings.Contains(string(text), "deploy") || c.Link == "" {
			t.Errorf("%s: %s %v", name, text, err)
		}
	}
	if v, err := ParseButton(key, open.Open); err != nil || v != (Button{Item: x.ID, Digest: x.Digest, Choice: Open}) {
		t.Errorf("its button Open: %+v %v", v, err)
	}
	if len(open.Buttons) != 2 || open.Settled || open.Status != "" {
		t.Errorf("a pending card: %+v", open)
	}
	private := Present(x, b, true, "", []string{ada.Ref()}, key, "")
	if private.Text != b.Text || string(private.Arguments) != string(b.Arguments) || private.Asked != "Ada" || len(private.Mentions) != 1 {
		t.Errorf("where only approvers read: %+v", private)
	}
}

// I23: recorded and ran are different words, and a settled card has no button.
func TestI23_Settled(t *testing.T) {
	t.Parallel()
	for ran, want := range map[string]string{"": "; recorded", "intended": "; recorded", "ok": "; ran: ok", "failed": "; ran: failed", "unknown": "; ran: not known, a person is asked"} {
		c := Present(terminal(Approved), Body{}, true, ran, []string{"x"}, []byte("k"), "")
		if !c.Settled || len(c.Buttons) != 0 || c.Open != "" || len(c.Mentions) != 0 || !strings.HasSuffix(c.Status, want) {
			t.Errorf("%q: %+v", ran, c)
		}
		ended := ran == "ok" || ran == "failed" || ran == "unknown"
		if newer := c.Version == 3; newer != ended {
			t.Errorf("%q: version %d", ran, c.Version)
		}
	}
	if c := Present(terminal(Denied), Body{}, true, "ok", nil, nil, ""); strings.Contains(c.Status, "ran") {
		t.Errorf("a denied call ran: %s", c.Status)
	}
}

// I21: each choice of a question is a button, and free text says where.
func TestI21_QuestionCard(t *testing.T) {
	t.Parallel()
	q := waiting(func(x *Item) { x.Kind = Question })
	c := Present(q, options(true, false), true, "", nil, []byte("k"), "")
	if len(c.Buttons) != 2 || c.Buttons[0].Label != "Firefox" || !c.FreeText {
		t.Errorf("%+v", c)
	}
	if c := Present(q, options(false, true), true, "", nil, []byte("k"), ""); len(c.Buttons) != 0 || c.FreeText {
		t.Errorf("several choices take a form, not buttons: %+v", c)
	}
	b, err := ParseButton([]byte("k"), c.Buttons[1].Value)
	if err != nil || b != (Button{Item: "i1", Digest: "d1", Choice: "o2"}) {
		t.Errorf("%+v %v", b, err)
	}
}

// I23: a click finds its item's own place, whatever the platform left out.
func TestI23_PlaceOf(t *testing.T) {
	t.Parallel()
	slack := trigger.Place{Surface: "slack", Account: "T1", Channel: "C1", Thread: "1.2"}
	github := trigger.Place{Surface: "github", Account: "a/b", Channel: "7"}
	x := Item{Places: []trigger.Place{slack, github}}
	for name, c := range map[string]struct{ shown, want trigger.Place }{
		"exactly":                        {slack, slack},
		"without its thread (Feishu)":    {trigger.Place{Surface: "slack", Account: "T1", Channel: "C1"}, slack},
		"by the viewer's team (Connect)": {trigger.Place{Surface: "slack", Account: "T9", Channel: "C1"}, slack},
		"another channel":                {trigger.Place{Surface: "slack", Account: "T1", Channel: "C9"}, trigger.Place{Surface: "slack", Account: "T1", Channel: "C9"}},
		"an issue of another repository": {trigger.Place{Surface: "github", Account: "x/y", Channel: "7"}, trigger.Place{Surface: "github", Account: "x/y", Channel: "7"}},
	} {
		if got := x.PlaceOf(Reference{Place: c.shown}); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
