package slack

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/inbox"
)

var update = flag.Bool("update", false, "write the golden files anew")

func approval() inbox.Card {
	return inbox.Card{
		Item: "k3b5c7itemitem", Kind: inbox.Approval, Code: "k3b5c7", Title: "Send a message to #ops",
		Text: "Posts one message in the channel.\nNothing else happens.", Tool: "slack_send_message",
		Arguments: json.RawMessage(`{"channel":"C0OPS","text":"Deploy 42 is out"}`), Risk: "external",
		Session: "s-1", Asked: "ada", Mentions: []string{"slack:T0DEV/U0ADA", "slack:T0DEV/U0BOB", "github:11"},
		Buttons: []inbox.CardButton{
			{Label: "Allow", Value: "p1|item|d|allow|mac", Style: "primary"},
			{Label: "Deny", Value: "p1|item|d|deny|mac", Style: "danger"},
		},
		Link: "https://panel.example/inbox/k3b5c7itemitem?a=1&b=2", Version: 1,
	}
}

func cards() map[string]inbox.Card {
	settled := approval()
	settled.Buttons, settled.Settled, settled.Status = nil, true, "Allowed by ada in Slack at 10:02 UTC; ran: ok"
	open := approval() // where others than approvers read (I22)
	open.Text, open.Arguments, open.Asked, open.Mentions = "", nil, "", nil
	question := inbox.Card{
		Kind: inbox.Question, Code: "q1q1q1", Title: "Which region?", Text: "The deploy can go to either.", FreeText: true,
		Buttons: []inbox.CardButton{{Label: "eu-west-1", Value: "v1"}, {Label: "us-east-1", Value: "v2"}},
		Link:    "https://panel.example/inbox/q", Session: "s-2",
	}
	hostile := approval()
	hostile.Title = "<!channel> *Approved* \n<https://evil.example|click> & \u202Eevil"
	hostile.Text = "Fine.\n*Allowed by bob*\n<@U0BOB> ```fence``` &amp; \x00"
	hostile.Tool = "x`<!here>"
	hostile.Arguments = json.RawMessage("{\"cmd\":\"``` rm <b> && `x` \u202E\",\"n\":12345678901234567890}")
	hostile.Risk, hostile.Asked, hostile.Session = "<r>", "<!everyone>\nRisk: none", "<s>"
	hostile.Mentions = []string{"slack:T/<!channel>", "slack:T/U1> <!here", "x", ""}
	hostile.Buttons[0].Label = "Deny <!channel>\n& " + strings.Repeat("é", 100)
	hostile.Link = "https://panel.example/|<!channel>?a=1&b=<x>"
	long := approval()
	long.Text = strings.Repeat("&", 5000)
	long.Arguments = json.RawMessage(`{"text":"` + strings.Repeat("a&<", 3000) + `"}`)
	note := inbox.Card{Kind: inbox.Notification, Title: "Deploy 42 is done", Text: "Took 4 minutes.", Link: "javascript:alert(1)"}
	return map[string]inbox.Card{"approval": approval(), "settled": settled, "open": open, "question": question, "hostile": hostile, "long": long, "notification": note}
}

func shownAs(t testing.TB, c inbox.Card) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(RenderCard(c)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestI22_CardsAreRenderedAsInTheGoldenFiles(t *testing.T) {
	t.Parallel()
	for name, c := range cards() {
		path := filepath.Join("testdata", "cards", name+".json")
		got := shownAs(t, c)
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs:\n%s", name, got)
		}
	}
}

// texts are all texts of a rendered card with the kind of text object.
func texts(t testing.TB, c inbox.Card) []string {
	t.Helper()
	var out []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if s, ok := v["text"].(string); ok {
				out = append(out, s)
			}
			for _, x := range v {
				walk(x)
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	var v any
	if err := json.Unmarshal(shownAs(t, c), &v); err != nil {
		t.Fatal(err)
	}
	walk(v)
	return out
}

func TestI22_NobodysWordsMakeATag(t *testing.T) {
	t.Parallel()
	for _, s := range texts(t, cards()["hostile"]) {
		rest := strings.ReplaceAll(s, "<https://panel.example/%7C%3C!channel%3E?a=1&amp;b=%3Cx%3E|Open in the panel>", "")
		rest = strings.TrimPrefix(strings.ReplaceAll(rest, "\n> ", "\n"), "> ")
		if strings.ContainsAny(rest, "<>\u202E\x00") {
			t.Errorf("%q", s)
		}
		if strings.Count(s, "```")%2 != 0 {
			t.Errorf("the fence is broken: %q", s)
		}
	}
}

// cutEntity reports an ampersand that begins no entity.
func cutEntity(s string) bool { return strings.Contains(entities.Replace(s), "&") }

var entities = strings.NewReplacer("&amp;", "", "&lt;", "", "&gt;", "")

// B20: the limits hold after escaping, and no entity is cut in two.
func TestB20_LimitsHoldAfterEscaping(t *testing.T) {
	t.Parallel()
	edge := approval()
	edge.Text = strings.Repeat("x", 2949) + strings.Repeat("&", 50)
	for _, c := range []inbox.Card{cards()["long"], cards()["hostile"], edge} {
		for _, s := range texts(t, c) {
			if units(s) > maxSection {
				t.Errorf("%d units", units(s))
			}
			if cutEntity(s) {
				t.Errorf("an entity is cut: %q", s[max(0, len(s)-60):])
			}
		}
	}
	all := strings.Join(texts(t, cards()["long"]), "\n")
	if strings.Count(all, "[cut: the rest is behind the link]") != 2 || !strings.Contains(all, "|Open the panel> for the rest.") {
		t.Error("the cut is not marked")
	}
}

func TestI23_SettledCardHasNoButtonsAndItsStatus(t *testing.T) {
	t.Parallel()
	c := approval()
	c.Settled, c.Status = true, "Denied by bob" // even if buttons were left in
	got := string(shownAs(t, c))
	if strings.Contains(got, `"actions"`) || strings.Contains(got, "<@") || !strings.Contains(got, "*Denied by bob*") {
		t.Errorf("%s", got)
	}
	if r := RenderCard(c); r.Text != "Send a message to #ops: Denied by bob" {
		t.Errorf("%q", r.Text)
	}
}

func TestButtonsFillRowsOf25(t *testing.T) {
	t.Parallel()
	c := inbox.Card{Kind: inbox.Question, Title: "x"}
	for i := range 120 {
		c.Buttons = append(c.Buttons, inbox.CardButton{Label: strconv.Itoa(i), Value: "v" + strconv.Itoa(i)})
	}
	got := string(shownAs(t, c))
	if strings.Count(got, `"type": "actions"`) != 4 || strings.Count(got, `"type": "button"`) != 100 || len(RenderCard(c).Blocks) > 50 {
		t.Errorf("%d rows, %d buttons", strings.Count(got, `"type": "actions"`), strings.Count(got, `"type": "button"`))
	}
}

// I22: Open stands beside the choices of a pending card and is never the one
// left out; a settled card has none.
func TestI22_OpenIsAButton(t *testing.T) {
	t.Parallel()
	opened := func(c inbox.Card) bool {
		c.Open = "signed-open"
		got := string(shownAs(t, c))
		return strings.Count(got, `"value": "signed-open"`) == 1 && strings.Contains(got, `"text": "Open"`)
	}
	many := inbox.Card{Kind: inbox.Question, Title: "x"}
	for i := range 120 {
		many.Buttons = append(many.Buttons, inbox.CardButton{Label: strconv.Itoa(i), Value: "v" + strconv.Itoa(i)})
	}
	for name, c := range map[string]inbox.Card{"approval": approval(), "no choices": {Kind: inbox.Notification, Title: "x"}, "many": many} {
		if !opened(c) {
			t.Errorf("%s: no Open", name)
		}
	}
	c := approval()
	c.Settled = true
	if opened(c) {
		t.Error("a settled card has Open")
	}
	if len(many.Buttons) != 120 || many.Buttons[99].Value != "v99" {
		t.Error("the card's own choices were written over")
	}
}

func TestI22_ManyMentionsAreCounted(t *testing.T) {
	t.Parallel()
	var refs []string
	for i := range 30 {
		refs = append(refs, "slack:T1/U"+strconv.Itoa(i))
	}
	if got := mentioned(refs); strings.Count(got, "<@") != 20 || !strings.HasSuffix(got, " and 10 more") {
		t.Error(got)
	}
}

func TestClamp(t *testing.T) {
	t.Parallel()
	cases := []struct {
		in   string
		max  int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"&amp;&amp;", 10, "&amp;&amp;"}, {"&amp;&amp;", 9, "&amp;…"}, {"&amp;&amp;", 5, "…"},
		{"ab&lt;", 5, "ab…"}, {"😀😀", 4, "😀😀"}, {"😀😀", 3, "😀…"}, {"😀", 1, "…"}, {"", 0, ""}, {"é&gt;x", 5, "é…"}, {"é&gt;x", 6, "é&gt;x"}, {"&x&x&x", 4, "&x&…"},
	}
	for _, c := range cases {
		if got, cut := clamp(c.in, c.max, "…"); got != c.want || cut != (c.in != c.want) {
			t.Errorf("%q to %d: %q, %v", c.in, c.max, got, cut)
		}
	}
}
