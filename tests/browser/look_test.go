package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// fits fails if a page is wider than the screen.
func (b *tab) fits(name string) {
	b.t.Helper()
	if got := js[int](b, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); got > 0 {
		b.t.Errorf("%s is %d pixels too wide", name, got)
	}
}

// Each page on a desk and on a phone, light and dark: pictures for people to
// look at, and nothing wider than the screen (U5, Q5).
func TestQ5_PagesOnEveryScreen(t *testing.T) {
	t.Parallel()
	b := person(t, "panel:owner", "owner")
	x := b.h.approval(t, "a picture of AVeryLongWordThatNobodyWouldEverBreakByItselfBecauseItHasNoPlaceToBreakItAndGoesOnAndOn")
	b.h.say(t, "ask me which one for the picture? [Firefox | Chrome]")
	q := b.h.item(t, "for the picture")
	done := b.h.approval(t, "a picture of what is settled")
	b.h.pressAllow(t, done)
	pages := map[string]string{"inbox": "/inbox", "all": "/inbox?tab=all", "item": "/inbox/" + x.ID, "question": "/inbox/" + q.ID, "settled": "/inbox/" + done.ID,
		"sessions": "/sessions", "session": "/sessions/" + done.Session, "decisions": "/decisions", "not-here": "/nowhere", "standins": "/platforms/ui/?as=bob"}
	for _, screen := range []struct {
		name string
		size chromedp.Action[chromedp.Void]
		dark bool
	}{
		{"desk", chromedp.EmulateViewport(1280, 900), false},
		{"desk-dark", chromedp.EmulateViewport(1280, 900), true},
		{"phone", chromedp.EmulateViewport(375, 740, chromedp.EmulateMobile), false},
		{"phone-dark", chromedp.EmulateViewport(320, 640, chromedp.EmulateMobile), true},
	} {
		b.do(screen.size)
		b.dark(screen.dark)
		for name, path := range pages {
			b.open(path)
			b.fits(screen.name + " " + name)
			b.shot(name + "-" + screen.name)
		}
		background := js[string](b, "getComputedStyle(document.body).backgroundColor")
		if want := map[bool]string{false: "rgb(250, 248, 244)", true: "rgb(22, 25, 29)"}[screen.dark]; background != want {
			t.Errorf("%s: the background is %s, not %s", screen.name, background, want)
		}
	}
}
