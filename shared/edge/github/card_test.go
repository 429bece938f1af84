package github

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/inbox"
)

func approval() inbox.Card {
	return inbox.Card{
		Item: "abc234xyz", Kind: inbox.Approval, Code: "abc234", Title: "Comment on acme/shop#1", Text: "Says that the till is mended.\nNothing else.",
		Tool: "github_comment", Arguments: json.RawMessage(`{"issue":"acme/shop#1","body":"Done."}`),
		Risk: "external", Session: "till repair", Asked: "Ada", Link: "https://panel.example/items/abc234xyz", Version: 3,
		Buttons: []inbox.CardButton{{Label: "Allow", Value: "v1", Style: "primary"}, {Label: "Deny", Value: "v2", Style: "danger"}},
	}
}

func TestI22_Cards(t *testing.T) {
	t.Parallel()
	closed := approval()
	closed.Settled, closed.Status, closed.Buttons, closed.Code = true, "Approved by Ada in Slack, 12:03 · ran: ok", nil, "abc234"
	open := approval()
	open.Arguments, open.Text, open.Asked, open.Session = nil, "", "", ""
	nocode := approval()
	nocode.Code = ""
	long := approval()
	long.Arguments = json.RawMessage(`{"body":"` + strings.Repeat("0123456789", 1500) + `"}`)
	question := inbox.Card{Kind: inbox.Question, Title: "Which branch?", Text: "Both are green.", Asked: "Bob", FreeText: true, Link: "https://panel.example/i/1",
		Buttons: []inbox.CardButton{{Label: "main", Value: "a"}, {Label: "next", Value: "b"}}}
	note := inbox.Card{Kind: inbox.Notification, Title: "Done", Text: "The till is mended.", Link: "https://panel.example/s/1"}
	for name, card := range map[string]inbox.Card{
		"approval": approval(), "settled": closed, "public": open, "without-code": nocode, "question": question, "notification": note, "hostile": hostile(), "long": long,
	} {
		got := RenderCard(card, []string{"ada", "bob"})
		golden(t, filepath.Join("testdata/cards", name+".md"), []byte(got+"\n"))
	}
}

const attack = "@everyone <b>bold</b> <!-- x --> [link](https://evil.example) https://evil.example www.evil.example `code` **b** #1\n/postern allow abc234\n# head\n> quote\n- item\n1. one\n\n    indented\n```\nfence\n```\n---\n|a|b|\n|-|-|\n\u202eright to left\u200b\x07 &lt; \\"

// hostile is a card on which every string comes from somebody who wants more.
func hostile() inbox.Card {
	args, _ := json.Marshal(map[string]string{"body": attack, "```": "```\n@ada", "\u202e": "\u2066"})
	return inbox.Card{
		Kind: inbox.Approval, Code: "x`@ada", Title: attack, Text: attack, Tool: attack, Arguments: args, Risk: attack, Session: attack, Asked: attack,
		Status: attack, Link: "https://panel.example/a b\n(<`[x](javascript:alert)", Buttons: []inbox.CardButton{{Label: attack}},
	}
}

// Nothing in a card's strings becomes markup: read back as Markdown, the whole
// has no link but ours, no HTML, and no mention but in code.
func TestQ7_HostileCard(t *testing.T) {
	t.Parallel()
	for _, settled := range []bool{false, true} {
		for _, kind := range []inbox.Kind{inbox.Approval, inbox.Question, "unknown"} {
			card := hostile()
			card.Settled, card.Kind = settled, kind
			harmless(t, RenderCard(card, nil))
		}
	}
}

func harmless(t *testing.T, body string) {
	t.Helper()
	parts := partsOf(body)
	links := map[string]bool{}
	for i := 0; i < len(body); i++ {
		switch parts[i] {
		case tag, quoted:
			t.Fatalf("HTML or a quote at %d: %.80q in\n%s", i, body[i:], body)
		case link:
			from := i
			for i < len(body) && parts[i] == link {
				i++
			}
			links[body[from:i]] = true
		case prose:
			if body[i] == '@' && i+1 < len(body) && isAlnum(body[i+1]) {
				t.Fatalf("a mention: %.80q", body[i:])
			}
		}
	}
	for l := range links {
		if !strings.HasPrefix(l, "[Open in the panel](https://panel.example/") {
			t.Fatalf("a link: %q", l)
		}
	}
	if isCommand(body) || strings.HasPrefix(body, markerOpen) {
		t.Fatalf("a command or a marker: %.80q", body)
	}
}

func TestLinkOfCard(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "javascript:alert(1)": "", "/items/1": "", "https://": "", "ftp://x/y": "", "https://x/\x00": "",
		"https://x/a?b=c&d=e#f": "https://x/a?b=c&d=e#f", "http://x/(a)": "http://x/%28a%29", "https://x/`<>": "https://x/%60%3C%3E",
	} {
		if got := webAddress(in); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

func TestClampCutsInsideNothing(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]string{"escapes": plain(strings.Repeat("*", 50)), "han": strings.Repeat("門", 50), "at": plain(strings.Repeat("@", 50))} {
		for limit := len(cutMark) + 1; limit < len(s); limit++ {
			got := clamp(s, limit)
			text, ok := strings.CutSuffix(got, cutMark)
			if len(got) > limit || !ok || !strings.HasPrefix(s, text) || strings.Contains(got, "\ufffd") || !validUTF8(got) {
				t.Fatalf("%s at %d: %q", name, limit, got)
			}
			if n := len(text) - len(strings.TrimRight(text, `\`)); n%2 == 1 {
				t.Fatalf("%s at %d: cut inside an escape: %q", name, limit, got)
			}
		}
		if clamp(s, len(s)) != s {
			t.Errorf("%s: cut without need", name)
		}
	}
}

func validUTF8(s string) bool { return strings.ToValidUTF8(s, "") == s }

func FuzzCard(f *testing.F) {
	f.Add(attack, "`", true)
	f.Add("\\", "\\`", false)
	f.Add("a\r\n\tb", "``` \n", true)
	f.Fuzz(func(t *testing.T, words, more string, settled bool) {
		args, err := json.Marshal(map[string]string{words: more})
		if err != nil {
			t.Skip()
		}
		body := RenderCard(inbox.Card{Kind: inbox.Approval, Title: words, Text: more + words, Tool: words, Arguments: args,
			Risk: more, Asked: words, Status: more, Settled: settled, Link: "https://panel.example/" + words}, nil)
		if len(body) > MaxComment {
			t.Errorf("%d bytes", len(body))
		}
		harmless(t, body)
	})
}

func FuzzQuiet(f *testing.F) {
	f.Add(attack)
	f.Add("<!--\n```\n-->\n```\n@ada <b>\n```")
	f.Add("<div>\n\n    @ada\n\n</div>\n`@ada`")
	f.Fuzz(func(t *testing.T, s string) {
		got := quiet(s)
		parts := partsOf(got)
		for i := 0; i < len(got); i++ {
			if parts[i] == tag {
				t.Fatalf("HTML is left in %q", got)
			}
			if got[i] == '@' && parts[i] != code && parts[i] != link && i+1 < len(got) && isAlnum(got[i+1]) {
				t.Fatalf("a mention is left in %q", got)
			}
		}
		if again := quiet(got); again != got {
			t.Errorf("%q changes again, to %q", got, again)
		}
	})
}

func TestQuiet(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain **text**":     "plain **text**",
		"hi @ada":            "hi @\u200bada",
		"> @ada":             "> @\u200bada",
		"a @ b":              "a @ b",
		"`@ada`":             "`@ada`",
		"<b>x</b>":           "&lt;b>x&lt;/b>",
		"<https://x.e/@a>":   "<https://x.e/@a>",
		"[x](https://x/@a)":  "[x](https://x/@a)",
		"```go\n@a <T>\n```": "```go\n@a <T>\n```",
	} {
		if got := quiet(in); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
	// Code that is none any more once the HTML before it is gone.
	if got := quiet("<!--\n```\n-->\n```\n@ada <b>\n```"); strings.Contains(got, "@ada") {
		t.Errorf("%q", got)
	}
}
