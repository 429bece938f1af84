package feishu

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/postern-dev/postern/shared/domain/inbox"
)

var update = flag.Bool("update", false, "write the golden files anew")

const nasty = `<at id=all></at> **bold** [x](https://evil.test) </div> & "q" <b>`

func goldenCards() map[string]inbox.Card {
	approval := inbox.Card{
		Item: "abcdefghijkl", Kind: inbox.Approval, Code: "abcdef", Title: "Comment on acme/shop#7",
		Text: "Posts one comment on the issue.", Tool: "github_comment", Risk: "consequential",
		Arguments: json.RawMessage(`{"body":"Fixed in 1.2 <b>","number":7,"repo":"acme/shop"}`),
		Session:   "s-0001", Asked: "Ada",
		Mentions: []string{"feishu:cli_a/ou_ada", "feishu:cli_a/ou_bob", "slack:T1/U1"},
		Buttons: []inbox.CardButton{
			{Label: "Allow once", Value: "p1|abcdefghijkl|d|allow|m", Style: "primary"},
			{Label: "Deny", Value: "p1|abcdefghijkl|d|deny|m", Style: "danger"},
		},
		Link: "https://panel.example/items/abcdefghijkl?x=(1)", Version: 1,
	}
	settled := approval
	settled.Buttons, settled.Settled, settled.Version = nil, true, 2
	settled.Status = "allowed by Ada at 1 Mar 12:00 UTC (feishu); ran: ok"
	hidden := approval
	hidden.Text, hidden.Arguments, hidden.Asked, hidden.Mentions = "", nil, "", nil
	question := inbox.Card{
		Item: "question1", Kind: inbox.Question, Code: "questi", Title: "Which branch?", Text: "There are two.",
		Session: "s-0001", FreeText: true, Link: "https://panel.example/items/question1", Version: 1,
		Buttons: []inbox.CardButton{{Label: "main", Value: "v1"}, {Label: "release " + nasty, Value: "v2", Style: "odd"}},
	}
	words := question
	words.Buttons = nil
	evil := approval
	evil.Title, evil.Text, evil.Tool, evil.Risk = nasty, nasty+"\u202egnp.exe\x00", nasty, nasty
	evil.Session, evil.Asked, evil.Arguments = nasty, nasty, json.RawMessage(`{"x":"<at id=all></at>\u202e"}`)
	evil.Mentions = []string{"feishu:cli_a/ou_x></at><at id=all", "feishu:cli_a/all", "feishu:x", "nonsense"}
	evil.Link = "https://panel.example/i)[x](https://evil.test"
	note := inbox.Card{Item: "note1", Kind: inbox.Notification, Title: "", Text: "Done.", Link: "javascript:alert(1)", Version: 1}
	long := approval
	long.Text = strings.Repeat("界", 20<<10)
	long.Arguments = json.RawMessage(`{"body":"` + strings.Repeat(`\"\\`, 20<<10) + `"}`)
	return map[string]inbox.Card{
		"approval": approval, "settled": settled, "not-private": hidden, "question": question,
		"free-text": words, "hostile": evil, "notification": note, "long": long,
	}
}

func TestGoldenCards(t *testing.T) {
	t.Parallel()
	for name, c := range goldenCards() {
		got := RenderCard(c)
		checkCard(t, name, c, got)
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, got, "", "  "); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		pretty.WriteByte('\n')
		file := filepath.Join("testdata", "card-"+name+".json")
		if *update {
			if err := os.WriteFile(file, pretty.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(pretty.Bytes(), want) {
			t.Errorf("%s differs from %s; run with -update and look at the difference", name, file)
		}
	}
}

// checkCard holds for every card: it fits, may be updated (B33), settles
// without buttons (I23), carries the buttons' values as they are, and holds no
// foreign markup (Q7).
func checkCard(t interface{ Errorf(string, ...any) }, name string, c inbox.Card, raw []byte) {
	var card struct {
		Schema   string
		Config   map[string]bool
		Elements []any
	}
	if err := json.Unmarshal(raw, &card); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if !card.Config["update_multi"] {
		t.Errorf("%s: not update_multi", name)
	}
	if card.Schema != "" { // B32: a second structure is not taken as a click's answer
		t.Errorf("%s: schema %s", name, card.Schema)
	}
	if n := len(encode(string(raw))); n > maxCard {
		t.Errorf("%s: %d bytes within a request", name, n)
	}
	var values []string
	walk(card.Elements, func(n map[string]any) {
		content, _ := n["content"].(string)
		switch n["tag"] {
		case "plain_text":
			if content == "" {
				t.Errorf("%s: empty text", name)
			}
		case "lark_md":
			if strings.HasPrefix(content, "[Open in the panel](http") {
				if strings.Count(content, "(") != 1 || strings.Count(content, ")") != 1 || strings.ContainsAny(content[len("[Open in the panel]"):], "<>[] \n") {
					t.Errorf("%s: link %q", name, content)
				}
				break
			}
			for _, at := range strings.Fields(strings.ReplaceAll(content, "<at id=", "<at|id=")) {
				id, ok := strings.CutPrefix(at, "<at|id=")
				id, ok2 := strings.CutSuffix(id, "></at>")
				if !ok || !ok2 || !isID(id, "ou_") {
					t.Errorf("%s: markup %q", name, content)
				}
			}
		case "button":
			values = append(values, n["value"].(map[string]any)[buttonField].(string))
		}
	})
	if c.Settled && len(values) > 0 {
		t.Errorf("%s: a settled card with buttons", name)
	}
	if !c.Settled {
		for i, v := range values {
			if v != c.Buttons[i].Value {
				t.Errorf("%s: button %d carries %q", name, i, v)
			}
		}
	}
}

// I22: Open stands beside the choices of a pending card and is never the one
// left out; a settled card has none.
func TestI22_OpenIsAButton(t *testing.T) {
	t.Parallel()
	opened := func(c inbox.Card) bool {
		c.Open = "signed-open"
		return strings.Count(string(RenderCard(c)), `"value":{"postern":"signed-open"}`) == 1
	}
	approval, many := goldenCards()["approval"], inbox.Card{Kind: inbox.Question, Title: "x"}
	for range 30 {
		many.Buttons = append(many.Buttons, inbox.CardButton{Label: "a", Value: "v"})
	}
	for name, c := range map[string]inbox.Card{"approval": approval, "no choices": {Kind: inbox.Notification, Title: "x"}, "many": many} {
		if !opened(c) {
			t.Errorf("%s: no Open", name)
		}
	}
	approval.Settled = true
	if opened(approval) {
		t.Error("a settled card has Open")
	}
}

func walk(v any, visit func(map[string]any)) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			walk(e, visit)
		}
	case map[string]any:
		visit(v)
		for _, e := range v {
			walk(e, visit)
		}
	}
}

// Whatever text comes, the card holds to its rules.
func TestAnyCard(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Just(nasty), rapid.Map(rapid.IntRange(1, 40<<10), func(n int) string { return strings.Repeat("\"", n) }))
		c := inbox.Card{
			Kind: inbox.Approval, Title: text.Draw(t, "title"), Text: text.Draw(t, "text"), Tool: text.Draw(t, "tool"),
			Risk: text.Draw(t, "risk"), Session: text.Draw(t, "session"), Asked: text.Draw(t, "asked"), Status: text.Draw(t, "status"),
			Mentions:  []string{"feishu:cli_a/ou_" + text.Draw(t, "mention")},
			Arguments: json.RawMessage(text.Draw(t, "arguments")),
			Settled:   rapid.Bool().Draw(t, "settled"),
			Link:      "https://panel.example/" + rapid.StringN(0, 50, 200).Draw(t, "link"),
		}
		for range rapid.IntRange(0, 25).Draw(t, "buttons") {
			c.Buttons = append(c.Buttons, inbox.CardButton{Label: "x" + text.Draw(t, "label"), Value: "v", Style: text.Draw(t, "style")})
		}
		checkCard(t, "any", c, RenderCard(c))
	})
}

// I22: what is cut says so and where the rest is.
func TestI22LongArgumentsAreCut(t *testing.T) {
	t.Parallel()
	got := string(RenderCard(goldenCards()["long"]))
	if strings.Count(got, "bytes more, the rest behind the link]") != 2 {
		t.Errorf("no marker in %d bytes", len(got))
	}
	if strings.Contains(got, "\uFFFD") {
		t.Error("cut within a character")
	}
}

// What a reader would not see is made visible.
func TestHiddenCharacters(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\nb\tc": "a\nb\tc", "pay\u202egnp": `pay\u202egnp`, "x\x00y\x7f": `x\u0000y\u007f`, "\u200Bz\uFEFF": `\u200bz\ufeff`,
		"👩\u200d💻": "👩\u200d💻", "\xff": "\uFFFD",
	} {
		if got := visible(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}
