package feishu

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// fuzzContents are decrypted contents of every sort, whole and broken (Q3).
func fuzzContents() []string {
	good := []string{
		msg{}.event("e1"),
		msg{kind: "post", content: `{"title":"t","content":[[{"tag":"at","user_id":"@_user_1"},{"tag":"text","text":"x"}]]}`, mentions: atBot}.event("e2"),
		msg{senderType: "bot", root: "om_0", topic: "omt_1", chatType: "topic_group"}.event("e3"),
		clickPlain("e4", fmt.Sprintf(`{"postern":%q}`, testButton.Value(testLink))),
		clickPlain("e5", `"x"`),
		`{"type":"url_verification","token":"token-value","challenge":"c"}`,
		`{"uuid":"u","token":"token-value","type":"event_callback","event":{"type":"message"}}`,
		wrap("im.message.recalled_v1", "e6", `{}`),
	}
	out := append([]string{`{}`, `[]`, `null`, `"x"`, ``, `{"header":{"token":"token-value"}}`,
		`{"token":"token-value","event":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
		`{"token":"token-value","event":` + strings.Repeat(`{"a":`, 11000) + `1` + strings.Repeat(`}`, 11000) + `}`}, good...)
	for _, g := range good {
		out = append(out, g[:len(g)/3], g[:len(g)-1], strings.ReplaceAll(g, `"`, `'`), strings.ReplaceAll(g, `{"open_id"`, `[{"open_id"`))
	}
	return out
}

// Whatever a verified delivery holds: it is refused as unreadable or for its
// token, or it is exactly one of a reply, a Trigger, an answer and a drop.
func FuzzContent(f *testing.F) {
	for _, c := range fuzzContents() {
		f.Add(c)
	}
	r := testReceiver(f)
	f.Fuzz(func(t *testing.T, plain string) {
		h, body := seal(plain)
		if len(body) > MaxBody {
			return
		}
		d, err := r.Receive(h, body)
		readable := json.Valid([]byte(plain)) && strings.HasPrefix(strings.TrimLeft(plain, " \t\r\n"), "{")
		if err != nil {
			var ref *delivery.Refusal
			if !errors.As(err, &ref) || (ref.Code == "unreadable") == readable {
				t.Fatalf("%v; readable: %v", err, readable)
			}
			return
		}
		if !readable {
			t.Fatalf("read what is no JSON object: %+v", d)
		}
		outcomes := 0
		for _, is := range []bool{d.Reply != nil, d.Trigger != nil, d.Answer != nil, d.Drop != ""} {
			if is {
				outcomes++
			}
		}
		if outcomes != 1 {
			t.Fatalf("%d outcomes: %+v", outcomes, d)
		}
		if d.Reply != nil && !json.Valid(d.Reply.Body) {
			t.Fatalf("answered %s", d.Reply.Body)
		}
		if tr := d.Trigger; tr != nil {
			if len(tr.Text) > trigger.MaxText || !utf8.ValidString(tr.Text) || tr.ID == "" || tr.Thread.Thread == "" || tr.Sender.ID == "" || tr.At.IsZero() {
				t.Fatalf("%+v", tr)
			}
			if tr.Named == trigger.Mention && !strings.Contains(plain, "ou_bot") && !strings.Contains(plain, `\u`) {
				t.Fatalf("a mention out of nothing: %+v", tr)
			}
		}
	})
}

// No unsigned or wrongly signed request is ever more than an answered URL check.
func FuzzUnsigned(f *testing.F) {
	for _, c := range fuzzContents() {
		_, body := seal(c)
		f.Add("", "", "", body)
		f.Add("1772366400", "n", "54a919232f93be4bddf974d1e095cd9c7744fa05fdb017d015cd74c744aa20ab", body)
		f.Add("1772366400", "n", "", []byte(c))
	}
	r := testReceiver(f)
	f.Fuzz(func(t *testing.T, stamp, nonce, signature string, body []byte) {
		h := http.Header{}
		for k, v := range map[string]string{HeaderTimestamp: stamp, HeaderNonce: nonce, HeaderSignature: signature} {
			if v != "" {
				h.Set(k, v)
			}
		}
		d, err := r.Receive(h, body)
		if err == nil && (d.Reply == nil || d.Event != urlVerification) {
			t.Fatalf("took an unsigned request: %+v", d)
		}
		if err != nil && len(body) > 20 && bytes.Contains([]byte(err.Error()), body) {
			t.Fatal("the refusal holds the body")
		}
	})
}

// No value but one that we signed becomes an answer.
func FuzzButton(f *testing.F) {
	good := testButton.Value(testLink)
	for _, v := range []string{
		`{}`, `null`, `""`, `"{}"`, `"\"x\""`, `{"postern":"` + good + `"}`, `"` + good + `"`, `{"postern":{"postern":"x"}}`,
		`{"postern":"` + testButton.Value([]byte("other")) + `"}`, `{"postern":"p1|a|b|allow|00"}`, `{"postern":"` + strings.Repeat("|", 3000) + `"}`,
	} {
		f.Add([]byte(v))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, err := inbox.ParseButton(testLink, buttonValue(raw))
		if err == nil && b != testButton {
			t.Fatalf("%s became %+v", raw, b)
		}
	})
}

// Any text gives a message the platform would take, with nothing live in it.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "hi", nasty, "<", "<a", "</", "]", "](", "\x00\xff", strings.Repeat("\\", 40<<10)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		content := textContent(s)
		var c struct{ Text string }
		if err := json.Unmarshal([]byte(content), &c); err != nil || c.Text == "" || len(encode(content)) > 150<<10 {
			t.Fatalf("%d bytes, %v", len(content), err)
		}
		for i := 0; i+1 < len(c.Text); i++ {
			if n := c.Text[i+1]; (c.Text[i] == '<' && (n == '/' || letter(n))) || c.Text[i:i+2] == "](" {
				t.Fatalf("live at %d in %q", i, c.Text)
			}
		}
	})
}
