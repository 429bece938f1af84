package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store"
)

// A list grows and shrinks without a reload, and keeps the focus (U5).
func TestU5_ListIsLive(t *testing.T) {
	t.Parallel()
	b := personAlone(t, "panel:ada", "approver")
	first := b.h.approval(t, "live one")
	b.open("/inbox")
	b.do(chromedp.Evaluate[chromedp.Void]("window.sameDocument = true"))
	b.goTo("i-" + first.ID)
	second := b.h.approval(t, "live two")
	b.until(fmt.Sprintf("document.getElementById(%q)", "i-"+second.ID))
	if !js[bool](b, "window.sameDocument") {
		t.Error("the page was loaded again")
	}
	if got := js[string](b, chosen+".id"); got != "i-"+first.ID {
		t.Errorf("the focus went to %q", got)
	}
	if n := js[string](b, `document.getElementById("waiting").textContent`); !strings.Contains(n, "waiting for an answer") {
		t.Errorf("the number in the head says %q", n)
	}
	b.h.pressAllow(t, first)
	b.until(fmt.Sprintf("!document.getElementById(%q)", "i-"+first.ID))
	b.until(chosen + `.hasAttribute("data-row")`) // the focus went to a row beside it, not to nowhere
	if !js[bool](b, "window.sameDocument") {
		t.Error("the page was loaded again")
	}
}

// An open item says when somebody else has answered it.
func TestU5_ItemIsLive(t *testing.T) {
	t.Parallel()
	b := person(t, "panel:ada", "approver")
	x := b.h.approval(t, "answered elsewhere")
	b.open("/inbox/" + x.ID)
	b.do(chromedp.SendKeys(chromedp.ID("text"), "a reason half"))
	b.h.pressAllow(t, x)
	b.says("allowed by bob", "ran: ok")
	if js[bool](b, `!!document.querySelector("form.answer")`) {
		t.Error("the form is still there")
	}
}

// A session is followed while it works.
func TestU5_SessionIsLive(t *testing.T) {
	t.Parallel()
	b := person(t, "panel:owner", "owner")
	x := b.h.approval(t, "followed while it works")
	b.open("/sessions/" + x.Session)
	b.says("waits for a person", "Waits for an answer:")
	b.h.pressAllow(t, x)
	b.says("result of github_comment", "Done: commented on", "idle")
}

// Nothing changed is 304, and asks for nothing else (U5).
func TestU5_UnchangedIs304(t *testing.T) {
	t.Parallel()
	b := person(t, "panel:ada", "approver")
	x := b.h.approval(t, "nothing changes here")
	b.h.eventually(t, "the session at rest", func() bool {
		l, err := b.h.rt.Store.Lease(t.Context(), x.Session)
		return err == nil && l.State == session.Parked
	})
	b.open("/sessions/" + x.Session)
	seen := make(chan *network.Response, 64)
	if err := chromedp.Listen(b.ctx, func(ev any) {
		if r, ok := ev.(*network.EventResponseReceived); ok && !strings.Contains(r.Response.URL, "/static/") {
			select {
			case seen <- r.Response:
			default:
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	for {
		b.do(chromedp.Evaluate[chromedp.Void](`document.dispatchEvent(new Event("visibilitychange"))`))
		r := <-seen
		if !strings.HasSuffix(r.URL, "/sessions/"+x.Session) {
			t.Errorf("asked for %s", r.URL)
		}
		if r.Status == http.StatusNotModified {
			return
		}
		if r.Status != http.StatusOK { // another test may have changed the number in the head meanwhile
			t.Fatalf("answered %d", r.Status)
		}
	}
}

// A page whose sign-in ended says so instead of looking fresh.
func TestU5_SignedOutElsewhereIsSaid(t *testing.T) {
	t.Parallel()
	b := person(t, "panel:ada", "approver")
	form := js[string](b, `document.querySelector(".who input[name=form]").value`)
	r := run(b, chromedp.Evaluate[int](fmt.Sprintf(`fetch("/logout", {method: "POST", body: new URLSearchParams({form: %q})}).then(r => r.status)`, form), chromedp.EvalAwaitPromise))
	if r != 200 {
		t.Fatalf("signing out was answered %d", r)
	}
	b.says("This page no longer hears from Postern")
}

// A deleted session's item stays, and says that the session is gone (I11).
func TestI11_DeletedSession(t *testing.T) {
	t.Parallel()
	b := person(t, "panel:owner", "owner")
	x := b.h.approval(t, "soon deleted")
	s, err := b.h.rt.Store.Session(t.Context(), x.Session)
	if err != nil || s == nil {
		t.Fatal(err)
	}
	s.Deleted = true
	if lost, err := b.h.rt.Store.Do(t.Context(), "delete-"+s.ID, store.SaveSession(*s)); err != nil || lost != nil {
		t.Fatal(err, lost)
	}
	b.open("/inbox/" + x.ID)
	b.says("deleted")
	if js[bool](b, fmt.Sprintf(`!!document.querySelector('a[href="/sessions/%s"]')`, s.ID)) {
		t.Error("the item leads to a session that is gone")
	}
	if got := b.open("/sessions/" + s.ID); got != 410 {
		t.Errorf("a deleted session: %d", got)
	}
	b.says("This session was deleted")
}

// Link previews and everything else that only looks changes nothing (I21).
func TestI21_LooksChangeNothing(t *testing.T) {
	t.Parallel()
	b := person(t, "panel:ada", "approver")
	x := b.h.approval(t, "only looked at")
	b.open("/inbox/" + x.ID)
	b.open("/inbox/" + x.ID + "/answer?choice=allow&digest=" + url.QueryEscape(x.Digest))
	if got := js[string](b, "location.pathname"); got != "/inbox/"+x.ID {
		t.Errorf("led to %s", got)
	}
	b.do(chromedp.Evaluate[chromedp.Void](`Promise.all(Array.from(document.links).map(a => fetch(a.href)).concat(
		Array.from(document.forms).map(f => fetch(f.action + "?" + new URLSearchParams(new FormData(f))))))`, chromedp.EvalAwaitPromise))
	if s := b.h.now(t, x.ID); s.State != inbox.Pending || s.Version != x.Version {
		t.Errorf("a look made it %s", s.State)
	}
	if got := b.open("/inbox"); got != 200 {
		t.Errorf("a look signed out: %d", got)
	}
}

// The panel speaks the reader's language (U5).
func TestU5_Chinese(t *testing.T) {
	t.Parallel()
	b := person(t, "panel:ada", "approver")
	x := b.h.approval(t, "in Chinese")
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: "Mozilla/5.0", AcceptLanguage: "zh-CN,zh"})
		return err
	}))
	b.open("/inbox/" + x.ID)
	b.says("允许一次", "拒绝", "关于此请求", "in Chinese", "待处理")
	if js[string](b, "document.documentElement.lang") != "zh-Hans" {
		t.Error("the page does not say its language")
	}
	b.shot("item-chinese")
	b.click(`button[value="allow"]`)
	b.says("已记录：由 Ada 于")
}
