package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/postern-dev/postern/shared/domain/inbox"
)

// A link signs in by its button, once; looking at it spends nothing (U8, R20).
func TestU8_SignInByLink(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	key := b.h.key(t, "panel:ada", "approver")
	for range 2 { // a preview, and the person
		b.open("/login?key=" + key)
		b.says("This link signs this browser in, once.")
	}
	if got := b.open("/inbox"); got != 401 {
		t.Fatalf("looking at a link signed in: %d", got)
	}
	b.open("/login?key=" + key)
	b.until(chosen + `.tagName === "BUTTON"`) // it has the focus
	if got := b.leads(chromedp.KeyEvent(kb.Enter)); got != 200 {
		t.Fatalf("signing in was answered %d", got)
	}
	b.says("Inbox", "Ada · approver")
	if js[string](b, "document.cookie") != "" {
		t.Error("scripts can read the cookie")
	}
	other := newTab(t)
	other.open("/login?key=" + key)
	if got := other.click("main button"); got != 403 {
		t.Errorf("a spent link was answered %d", got)
	}
	other.says("This link is spent")
	if got := b.click(".who button"); got != 200 {
		t.Errorf("signing out was answered %d", got)
	}
	if got := b.open("/inbox"); got != 401 {
		t.Errorf("signed out, and the Inbox was answered %d", got)
	}
}

// The main job by mouse: see it, open it, allow it; the turn goes on at
// exactly that call.
func TestU6_AllowByMouse(t *testing.T) {
	t.Parallel()
	b := personAlone(t, "panel:ada", "approver")
	x := b.h.approval(t, "allowed by mouse")
	b.open("/inbox")
	b.click("#i-" + x.ID)
	b.says("github_comment", "allowed by mouse", "external", "Arguments")
	if got := b.click(`button[value="allow"]`); got != 200 {
		t.Fatalf("answered %d", got)
	}
	b.says("Recorded: allowed by Ada")
	b.says("ran: ok") // without a reload
	b.open("/sessions/" + x.Session)
	b.says("github_comment", "allowed by mouse", "result of github_comment", "scripted model", "idle", "Audit", "ran github_comment", "panel:ada")
	b.open("/inbox?tab=all")
	b.says("allowed by Ada")
	b.open("/decisions")
	b.says("accepted", "slack:T0DEV/U0ADA")
}

// chosen is what has the focus.
const chosen = "document.activeElement"

// goTo presses j, or k where that goes too far, until a row has the focus.
func (b *tab) goTo(id string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`document.getElementById(%q)`, id))
	at := fmt.Sprintf(`(() => { const all = Array.from(document.querySelectorAll("[data-row]"));
		return all.findIndex(x => x.id === %q) - all.indexOf(%s); })()`, id, chosen)
	for range 100 {
		switch n := js[int](b, at); {
		case n == 0:
			return
		case n > 0:
			b.keys("j")
		default:
			b.keys("k")
		}
	}
	b.t.Fatalf("j and k never came to %s", id)
}

// The same without a mouse: no answer by a slip of one key (U5).
func TestU5_AllowByKeyboardOnly(t *testing.T) {
	t.Parallel()
	b := personAlone(t, "panel:ada", "approver")
	first, second := b.h.approval(t, "keyboard one"), b.h.approval(t, "keyboard two")
	b.open("/inbox")
	b.keys(kb.Tab)
	b.until(chosen + `.className === "skip" && ` + chosen + `.getBoundingClientRect().left >= 0`) // it is seen while it has the focus
	b.keys(kb.Enter)
	b.until(chosen + `.id === "main"`)
	b.keys("?")
	b.until(`document.getElementById("keys").open`)
	b.keys("a") // means nothing here
	b.keys(kb.Escape)
	b.until(`!document.getElementById("keys").open`)
	b.goTo("i-" + first.ID)
	b.keys("k")
	b.keys("j")
	b.goTo("i-" + first.ID)
	if got := b.leads(chromedp.KeyEvent(kb.Enter)); got != 200 {
		t.Fatalf("opened: %d", got)
	}
	b.says("keyboard one")
	b.keys("d")
	b.until(chosen + `.value === "deny"`)
	b.keys("a")
	b.until(chosen + `.value === "allow"`)
	if s := b.h.now(t, first.ID).State; s != inbox.Pending {
		t.Fatalf("one key answered: %s", s)
	}
	if got := b.leads(chromedp.KeyEvent(kb.Enter)); got != 200 {
		t.Fatalf("answered %d", got)
	}
	b.says("Recorded: allowed by Ada")
	b.leads(chromedp.KeyEvent("u"))
	b.goTo("i-" + second.ID)
	b.leads(chromedp.KeyEvent(kb.Enter))
	// What is typed into the reason is text, not keys.
	b.do(chromedp.Focus(chromedp.ID("text")), chromedp.KeyEvent("a day? juk"))
	if got := js[string](b, chosen+".value"); got != "a day? juk" {
		t.Fatalf("typed: %q", got)
	}
	b.keys(kb.Tab) // Allow
	b.keys(kb.Tab) // Deny
	b.until(chosen + `.value === "deny"`)
	b.leads(chromedp.KeyEvent(kb.Enter))
	b.says("Recorded: denied by Ada", "a day? juk")
}

// Enter in the reason's field is a new line: it must not press the form's first
// button, which allows.
func TestU5_EnterInTheReasonAnswersNothing(t *testing.T) {
	t.Parallel()
	b := person(t, "panel:ada", "approver")
	x := b.h.approval(t, "enter in the reason")
	b.open("/inbox/" + x.ID)
	b.do(chromedp.Focus(chromedp.ID("text")), chromedp.KeyEvent("no, because"), chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent("of that"))
	b.until(chosen + `.value === "no, because\nof that"`)
	if s := b.h.now(t, x.ID).State; s != inbox.Pending {
		t.Fatalf("Enter in the field answered: %s", s)
	}
}

// A denial's reason is what the agent reads (I9, P27).
func TestI9_DenyWithReason(t *testing.T) {
	t.Parallel()
	b := person(t, "panel:ada", "approver")
	x := b.h.approval(t, "denied with a reason")
	b.open("/inbox/" + x.ID)
	b.do(chromedp.SendKeys(chromedp.ID("text"), "not on a Friday"))
	b.click(`button[value="deny"]`)
	b.says("Recorded: denied by Ada", "not on a Friday", "denied")
	b.open("/sessions/" + x.Session)
	b.says("not on a Friday", "idle")
	if strings.Contains(b.text(), "ran github_comment") {
		t.Error("a denied call ran")
	}
}

func TestI9_Questions(t *testing.T) {
	t.Parallel()
	b := person(t, "panel:ada", "approver")
	b.h.say(t, "ask me which of the two shall it be? [Firefox | Chrome]")
	x := b.h.item(t, "which of the two")
	b.open("/inbox/" + x.ID)
	b.keys("2")
	b.until(chosen + `.innerText === "Chrome"`)
	b.leads(chromedp.KeyEvent(kb.Enter))
	b.says("Recorded: answered by Ada", "The answer", "Chrome")
	b.open("/sessions/" + x.Session)
	b.says("result of ask_user", "Chrome", "asked you: Chrome")

	b.h.say(t, "ask me what is the reason for all this?")
	x = b.h.item(t, "the reason for all this")
	b.open("/inbox/" + x.ID)
	if got := b.click("button.primary"); got != 422 {
		t.Errorf("an empty answer was answered %d", got)
	}
	b.says("Not recorded: the answer is empty")
	b.do(chromedp.SendKeys(chromedp.ID("text"), "because <b>I</b> say so\nand so on"))
	b.click("button.primary")
	b.says("Recorded: answered by Ada", "because <b>I</b> say so")
	b.open("/sessions/" + x.Session)
	b.says("because <b>I</b> say so")
}

// The loser of a race is told who won, when and where (I5).
func TestI5_LoserIsTold(t *testing.T) {
	t.Parallel()
	b := person(t, "panel:ada", "approver")
	x := b.h.approval(t, "a race")
	b.open("/inbox/" + x.ID)
	b.do(chromedp.Evaluate[chromedp.Void]("window.htmx.trigger = function () {}")) // as if the answer came this very moment
	b.h.pressAllow(t, x)
	if got := b.click(`button[value="deny"]`); got != 409 {
		t.Fatalf("answered %d", got)
	}
	b.says("Not recorded: allowed by bob", "(slack)", "approved")
	if js[bool](b, `!!document.querySelector("form.answer")`) {
		t.Error("a settled item has a form")
	}
	if s := b.h.now(t, x.ID); s.State != inbox.Approved || s.By.Name != "bob" {
		t.Errorf("the item is %s by %s", s.State, s.By.Name)
	}
}

// pressAllow lets Bob press Allow on the item's card in #approvals.
func (w *world) pressAllow(t *testing.T, x inbox.Item) {
	t.Helper()
	w.eventually(t, "a card of "+x.ID, func() bool {
		for _, m := range w.Slack.Posted("C0APPROVALS") {
			if bs := m.Buttons(); len(bs) == 3 && strings.Contains(bs[0].Value, x.ID) {
				a, err := w.Slack.Press(t.Context(), w.slackHook(), "U0BOB", m.Channel, m.TS, 0)
				if err != nil || a.Status != http.StatusOK {
					t.Fatalf("Bob's press: %d %v", a.Status, err)
				}
				return true
			}
		}
		return false
	})
}

// Who may only look sees that (U9).
func TestU9_ViewerAndAuditor(t *testing.T) {
	t.Parallel()
	v := person(t, "panel:vic", "viewer")
	x := v.h.approval(t, "not for viewers")
	v.open("/inbox/" + x.ID)
	v.says("You may look, and not answer.", "github_comment")
	if text := v.text(); strings.Contains(text, "not for viewers") || js[bool](v, `!!document.querySelector("form.answer")`) {
		t.Errorf("a viewer sees too much: %s", text)
	}
	if got := v.open("/sessions/" + x.Session); got != 404 {
		t.Errorf("a viewer's session: %d", got)
	}
	a := person(t, "panel:aud", "auditor")
	if got := a.open("/inbox/" + x.ID); got != 403 {
		t.Errorf("an auditor's item: %d", got)
	}
	a.says("Your role reads the audit only")
}
