package browser

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/postern-dev/postern/shared/domain/inbox"
)

// A stale form changes nothing, and says what to do (U8).
func TestU8_StaleFormIsRefused(t *testing.T) {
	t.Parallel()
	b := person(t, "panel:ada", "approver")
	x := b.h.approval(t, "a stale form")
	b.open("/inbox/" + x.ID)
	b.do(chromedp.SetValue(chromedp.CSS("form.answer input[name=form]"), "of yesterday"))
	if got := b.click(`button[value="allow"]`); got != 403 {
		t.Errorf("a stale form was answered %d", got)
	}
	b.says("This form is stale", "Nothing was changed.")
	b.open("/inbox/" + x.ID)
	b.do(chromedp.SetValue(chromedp.CSS("form.answer input[name=digest]"), "of other arguments"))
	if got := b.click(`button[value="allow"]`); got != 422 {
		t.Errorf("another digest was answered %d", got)
	}
	b.says("Not recorded: the card shows other arguments")
	if s := b.h.now(t, x.ID).State; s != inbox.Pending {
		t.Errorf("it is %s", s)
	}
}

// Another site's form is refused even with the right token (U8).
func TestU8_CrossOriginPostIsRefused(t *testing.T) {
	t.Parallel()
	b := person(t, "panel:ada", "approver")
	x := b.h.approval(t, "another site's form")
	b.open("/inbox/" + x.ID)
	token := js[string](b, `document.querySelector("form.answer input[name=form]").value`)
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<title>Win</title><form method="post" action="%s/inbox/%s/answer"><input name="form" value="%s"><input name="digest" value="%s"><input name="choice" value="allow"><button>Win</button></form>`,
			b.h.url, x.ID, html.EscapeString(token), x.Digest)
	}))
	t.Cleanup(evil.Close)
	b.leads(chromedp.Navigate(evil.URL))
	if got := b.click("button"); got != 403 {
		t.Errorf("another site's form was answered %d", got)
	}
	b.says("This form came from another site")
	if s := b.h.now(t, x.ID).State; s != inbox.Pending {
		t.Errorf("it is %s", s)
	}
}

// What agents and people write is text on every page (U8).
func TestU8_AgentsTextIsText(t *testing.T) {
	t.Parallel()
	b := person(t, "panel:owner", "owner")
	const evil = `<script>window.pwned=1</script><img src=x onerror="window.pwned=2"><a href="javascript:window.pwned=3">go</a> [go](javascript:window.pwned=4)`
	x := b.h.approval(t, evil)
	b.h.say(t, "ask me "+evil+" which? [<b>one</b> | <script>window.pwned=5</script>]")
	q := b.h.item(t, evil+" which?")
	for _, path := range []string{"/inbox", "/inbox/" + x.ID, "/inbox/" + q.ID, "/sessions", "/sessions/" + x.Session, "/decisions", "/platforms/ui/?as=ada"} {
		b.open(path)
		b.until(`document.readyState === "complete"`)
		if js[bool](b, `"pwned" in window || !!document.querySelector("main img, main script, main iframe, a[href^='javascript:']")`) {
			t.Errorf("%s made markup of text", path)
		}
	}
	b.open("/inbox/" + x.ID)
	b.says("<script>window.pwned=1</script><img src=x onerror=")
	b.click(`button[value="allow"]`)
	b.says("ran: ok")
	b.open("/platforms/ui/?tab=github") // the comment, as GitHub shows it
	if js[bool](b, `"pwned" in window || !!document.querySelector("main img, main script, a[href^='javascript:']")`) {
		t.Error("the comment made markup of text")
	}
	b.open("/inbox/" + q.ID)
	b.says("<b>one</b>", "<script>window.pwned=5</script>")
}

// The policy holds: a script that got into a page does not run, and these
// tests hear of it. That no page breaks it is watched by every test.
func TestU8_PolicyHoldsAndIsHeard(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	b.expected = "Content Security Policy"
	b.open("/login")
	b.do(chromedp.Evaluate[chromedp.Void](`(() => {
		const s = document.createElement("script"); s.textContent = "window.pwned = 1"; document.body.append(s);
		const i = document.createElement("img"); i.src = "https://example.invalid/x.png"; document.body.append(i);
		document.body.setAttribute("style", "color: red");
	})()`))
	if js[bool](b, `"pwned" in window`) {
		t.Error("an inline script ran")
	}
	b.until(`getComputedStyle(document.body).color !== "rgb(255, 0, 0)"`)
	b.h.eventually(t, "the browser's complaints", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		all := strings.Join(b.trouble, "\n")
		return strings.Contains(all, "script-src") && strings.Contains(all, "img-src")
	})
}
