package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// One is the people of the three platforms, side by side (U3): the whole main
// job by clicks, with nothing loaded again but by one's own.
func TestU3_BeingThePeople(t *testing.T) {
	t.Parallel()
	b := personAlone(t, "panel:owner", "owner")
	b.click(`nav a[href^="/platforms/ui"]`)
	b.says("Slack", "Feishu", "GitHub", "#ops", "#approvals", "Nothing was said yet.")
	b.shot("standins-empty")

	// Bob opens an issue.
	b.clickText("nav.being a", "Bob")
	b.do(chromedp.SendKeys(chromedp.CSS(".github input[name=title]"), "Old bug"), chromedp.SetValue(chromedp.CSS(".github textarea[name=body]"), "It hurts."))
	b.click(".github form button")
	b.says("#1 Old bug", "It hurts.")

	// Ada asks in #ops.
	b.clickText("nav.being a", "Ada")
	b.do(chromedp.SendKeys(chromedp.ID("text-slack"), "comment on acme/shop#1: looking into it"))
	b.click("#say-slack button")
	b.says("@agent comment on acme/shop#1", "On it. Ticket", "Allow once")

	// Mallory may not, and is told so privately.
	b.clickText("nav.being a", "Mallory")
	b.clickText(".slack .note button", "Allow once")
	b.says("Only you can see this", "not among those who may answer")
	b.shot("standins-mallory")

	// Bob may. He sees nothing of what Mallory was told.
	b.clickText("nav.being a", "Bob")
	if strings.Contains(b.text(), "Only you can see this") {
		t.Error("Bob reads what Mallory was told")
	}
	b.clickText(".slack .note button", "Allow once")
	b.says("allowed by bob", "ran: ok", "looking into it", "postern-agent[bot]", "Done: commented on acme/shop#1")
	if js[bool](b, `!!document.querySelector(".slack .note button")`) {
		t.Error("the settled card still has buttons")
	}

	// Ada replies in the thread, asks in Feishu and answers there.
	b.clickText("nav.being a", "Ada")
	b.clickText(".slack .reply a", "Reply in thread")
	b.says("In answer to “@agent comment on acme/shop#1")
	b.do(chromedp.Focus(chromedp.ID("text-slack")), chromedp.KeyEvent("thank you"), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab))
	b.leads(chromedp.KeyEvent(kb.Enter))
	b.says("@agent thank you")
	b.do(chromedp.SendKeys(chromedp.ID("text-feishu"), "ask me may I restart it? [Yes | No]"))
	b.click("#say-feishu button")
	b.until(`Array.from(document.querySelectorAll(".feishu .note button")).some(x => x.innerText === "Yes")`)
	b.clickText(".feishu .note button", "Yes")
	b.until(`document.querySelector(".feishu .toast:not(.bad)")`)
	b.until(`document.querySelector(".feishu .feed").innerText.includes("Done: asked you: Yes")`)
	b.shot("standins-full")

	// On a phone, one platform at a time.
	b.do(chromedp.EmulateViewport(375, 740, chromedp.EmulateMobile))
	for _, name := range []string{"Feishu", "GitHub", "Slack"} {
		b.clickText("nav.platforms a", name)
		if got := js[string](b, `Array.from(document.querySelectorAll(".platform h2")).filter(x => x.offsetParent).map(x => x.innerText).join()`); got != name {
			t.Errorf("the tab of %s shows %s", name, got)
		}
		b.fits("stand-ins, " + name)
		b.shot("standins-phone-" + strings.ToLower(name))
	}
}

// What is being typed is not lost when the columns refresh.
func TestU3_TypingIsKept(t *testing.T) {
	t.Parallel()
	b := person(t, "panel:owner", "owner")
	b.open("/platforms/ui/?as=mallory")
	b.do(chromedp.SendKeys(chromedp.ID("text-slack"), "half a sentence"))
	b.h.say(t, "this comes meanwhile")
	b.says("this comes meanwhile")
	if got := js[string](b, `document.getElementById("text-slack").value`); got != "half a sentence" {
		t.Errorf("typed %q", got)
	}
}
