package slack

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// FuzzReceive: whatever comes signed gives one outcome or a refusal, and what
// becomes a Trigger is whole and holds no separator in its keys.
func FuzzReceive(f *testing.F) {
	for _, v := range []any{
		envelopeOf(said(nil), nil),
		envelopeOf(said(obj{"type": "app_mention", "thread_ts": "1.1", "blocks": rich(section(obj{"type": "user", "user_id": "UB"}))}), nil),
		envelopeOf(said(obj{"bot_profile": obj{"app_id": "A9"}}), obj{"is_ext_shared_channel": true}),
		obj{"type": "url_verification", "challenge": "c"},
	} {
		f.Add(raw(f, v))
	}
	f.Add(form(f, clicked(nil)))
	f.Add([]byte("ssl_check=1"))
	f.Add([]byte(`{"type":"event_callback","event":[[[[{"elements":[{"elements":[]}]}]]]]}`))
	r := receiver(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := r.Receive(Sign(testSecret, body, testNow), body)
		if err != nil {
			var refusal *delivery.Refusal
			if !errors.As(err, &refusal) || refusal.Code == "bad_signature" || refusal.Code == "stale" {
				t.Fatalf("%v", err)
			}
			return
		}
		set := 0
		for _, is := range []bool{d.Reply != nil, d.Trigger != nil, d.Answer != nil, d.Drop != ""} {
			if is {
				set++
			}
		}
		if set != 1 {
			t.Fatalf("%d outcomes: %+v", set, d)
		}
		if d.Trigger != nil {
			whole(t, *d.Trigger)
		}
		// Unsigned, the same is refused.
		if _, err := r.Receive(Sign("another", body, testNow), body); err == nil {
			t.Fatal("an unsigned body was taken")
		}
	})
}

func whole(t *testing.T, g trigger.Trigger) {
	t.Helper()
	if strings.Count(g.ID, ":") != 4 || strings.Count(g.Thread.Key(), ":") != 3 || strings.ContainsAny(g.Sender.ID+g.Sender.Workspace, ":/ ") ||
		g.Sender.ID == "" || strings.TrimSpace(g.Text) == "" || len(g.Text) > trigger.MaxText || g.Named == "" || g.Kind == "" {
		t.Fatalf("%+v", g)
	}
}

// FuzzButton: only a value that we signed answers, and it answers for exactly
// the item, digest and choice that it was signed for.
func FuzzButton(f *testing.F) {
	good := button().Value(testLinkKey)
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add(strings.Replace(good, "allow", "deny", 1))
	f.Add("p1|a|b|c|d")
	f.Add("||||")
	r := receiver(f)
	f.Fuzz(func(t *testing.T, value string) {
		body := form(t, clicked(obj{"actions": []any{obj{"value": value, "action_ts": "3.3"}}}))
		d, err := r.Receive(Sign(testSecret, body, testNow), body)
		if err != nil {
			t.Fatal(err)
		}
		if d.Answer == nil {
			return
		}
		b := inbox.Button{Item: d.Answer.Item, Digest: d.Answer.Digest, Choice: d.Answer.Choice}
		if b.Value(testLinkKey) != value {
			t.Fatalf("%q answers for %+v", value, b)
		}
	})
}

// FuzzCard: no words make a tag or break a limit.
func FuzzCard(f *testing.F) {
	f.Add("title", "text", "tool", `{"a":"b"}`, "allow")
	h := cards()["hostile"]
	f.Add(h.Title, h.Text, h.Tool, string(h.Arguments), h.Buttons[0].Label)
	f.Add(strings.Repeat("&", 3000), strings.Repeat("😀", 3000), "```", "```", "\x00")
	f.Fuzz(func(t *testing.T, title, text, tool, args, label string) {
		c := inbox.Card{Kind: inbox.Approval, Title: title, Text: text, Tool: tool, Arguments: json.RawMessage(args), Risk: text, Status: title,
			Buttons: []inbox.CardButton{{Label: label, Value: "v"}}}
		for _, s := range texts(t, c) {
			if s == "" || units(s) > maxSection || cutEntity(s) {
				t.Fatalf("%q", s)
			}
			rest := strings.TrimPrefix(strings.ReplaceAll(s, "\n> ", "\n"), "> ")
			if strings.ContainsAny(rest, "<>") {
				t.Fatalf("%q", s)
			}
		}
	})
}

// FuzzMention: a mention needs a real tag, which typed text never has.
func FuzzMention(f *testing.F) {
	f.Add("<@UB> hi `x` ```y```")
	f.Add("&lt;@UB&gt; > ``` ` <@UB|n>")
	f.Fuzz(func(t *testing.T, s string) {
		if mentionsInText(escape(s), "UB") {
			t.Fatalf("typed text mentions: %q", s)
		}
		if mentionsInText(s, "UB") && !strings.Contains(s, "<@UB>") && !strings.Contains(s, "<@UB|") {
			t.Fatalf("no tag, but a mention: %q", s)
		}
	})
}
