package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long anything in a page may take.
const patience = time.Minute

// closers end the browser and the house, last first.
var closers []func()

func TestMain(m *testing.M) {
	code := m.Run()
	for i := len(closers) - 1; i >= 0; i-- {
		closers[i]()
	}
	os.Exit(code)
}

var errNone = errors.New("left out: browser tests (no chromium on this machine; make browser brings it)")

// chromium starts the one browser.
var chromium = sync.OnceValues(func() (context.Context, error) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return nil, errNone
	}
	dir, err := os.MkdirTemp("", "postern-chromium-")
	if err != nil {
		return nil, err
	}
	all := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(dir), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), all...)
	ctx, quit := chromedp.NewContext(ctx)
	closers = append(closers, func() { quit(); stop(); _ = os.RemoveAll(dir) })
	return ctx, chromedp.Do(ctx)
})

// tab is one person's browser, with cookies of its own.
type tab struct {
	t   *testing.T
	h   *world
	ctx context.Context

	mu       sync.Mutex
	trouble  []string // violations of the CSP, exceptions, errors on the console
	expected string   // trouble that a test makes on purpose
}

// newTab opens a tab of the shared world in which nobody is signed in.
func newTab(t *testing.T) *tab {
	t.Helper()
	need(t)
	h, err := house()
	if err != nil {
		t.Fatal(err)
	}
	return newTabIn(t, h)
}

// need gives the browser, or leaves the test out where there is none.
func need(t *testing.T) context.Context {
	t.Helper()
	base, err := chromium()
	if errors.Is(err, errNone) && os.Getenv("POSTERN_REQUIRE_BROWSER") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return base
}

func newTabIn(t *testing.T, h *world) *tab {
	t.Helper()
	base := need(t)
	b := &tab{t: t, h: h}
	ctx, cancel := chromedp.NewContext(base, chromedp.WithNewBrowserContext(), chromedp.WithListener(b.hear))
	t.Cleanup(cancel)
	b.ctx = ctx
	t.Cleanup(b.calm)
	if err := chromedp.Do(ctx); err != nil { // a tab lives as long as the context it was opened in
		t.Fatal(err)
	}
	b.do(chromedp.EmulateViewport(1280, 900))
	return b
}

// person opens a tab in which somebody is signed in, by a link's button.
func person(t *testing.T, ref, role string) *tab {
	t.Helper()
	return newTab(t).signIn(ref, role)
}

// personAlone is person in a world of his own, for tests that look at lists.
func personAlone(t *testing.T, ref, role string) *tab {
	t.Helper()
	need(t)
	w, err := newWorld()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.end)
	return newTabIn(t, w).signIn(ref, role)
}

func (b *tab) signIn(ref, role string) *tab {
	b.t.Helper()
	b.open("/login?key=" + b.h.key(b.t, ref, role))
	b.click("main button")
	b.says("Sign out")
	return b
}

// hear collects what the browser complains about.
func (b *tab) hear(ev any) {
	what := ""
	switch ev := ev.(type) {
	case *log.EventEntryAdded:
		// An answer of 403 is no trouble, nor is a remark.
		if ev.Entry.Source != log.EntrySourceNetwork && (ev.Entry.Level == log.EntryLevelError || ev.Entry.Level == log.EntryLevelWarning) {
			what = fmt.Sprintf("%s %s: %s", ev.Entry.Source, ev.Entry.Level, ev.Entry.Text)
		}
	case *runtime.EventExceptionThrown:
		what = "exception: " + ev.ExceptionDetails.Text
		if e := ev.ExceptionDetails.Exception; e != nil {
			what += " " + e.Description
		}
	case *runtime.EventConsoleAPICalled:
		if ev.Type == runtime.ConsoleAPICalledTypeError || ev.Type == runtime.ConsoleAPICalledTypeWarning {
			what = fmt.Sprintf("console %s: %s", ev.Type, ev.Args[0].Value)
		}
	}
	if what == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trouble = append(b.trouble, what)
}

// calm fails a test in which a page broke its own rules.
func (b *tab) calm() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, x := range b.trouble {
		if b.expected == "" || !strings.Contains(x, b.expected) {
			b.t.Errorf("the browser complains: %s", x)
		}
	}
}

func (b *tab) within() (context.Context, context.CancelFunc) {
	return context.WithTimeout(b.ctx, patience)
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := b.within()
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

func run[T any](b *tab, a chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := b.within()
	defer cancel()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// leads does something that loads another page, and gives its status.
func (b *tab) leads(steps ...chromedp.Action[chromedp.Void]) int64 {
	b.t.Helper()
	ctx, cancel := b.within()
	defer cancel()
	r, err := chromedp.RunResponse(ctx, steps...)
	if err != nil {
		b.t.Fatal(err)
	}
	if r == nil {
		b.t.Fatal("no page was loaded")
	}
	return r.Status
}

// open opens a page of Postern and gives its status.
func (b *tab) open(path string) int64 {
	b.t.Helper()
	return b.leads(chromedp.Navigate(b.h.url + path))
}

// click clicks what leads to another page, and gives its status.
func (b *tab) click(css string) int64 {
	b.t.Helper()
	return b.leads(chromedp.Click(chromedp.CSS(css), chromedp.NodeVisible))
}

// clickText clicks the first of some elements that says exactly that, and
// gives the status of the page it leads to.
func (b *tab) clickText(css, words string) int64 {
	b.t.Helper()
	find := fmt.Sprintf("Array.from(document.querySelectorAll(%q)).find(x => x.innerText.trim() === %q)", css, words)
	b.until(find)
	return b.leads(chromedp.Click(chromedp.JSPath(find)))
}

// keys presses keys, without a mouse.
func (b *tab) keys(keys string) { b.t.Helper(); b.do(chromedp.KeyEvent(keys)) }

// text is what a person reads on the page.
func (b *tab) text() string {
	b.t.Helper()
	return run(b, chromedp.Evaluate[string]("document.body.innerText"))
}

// js is the value of an expression in the page.
func js[T any](b *tab, expression string) T {
	b.t.Helper()
	return run(b, chromedp.Evaluate[T](expression))
}

// until waits until an expression in the page holds. A page may leave while it
// is asked; then the next one is.
func (b *tab) until(expression string) {
	b.t.Helper()
	ctx, cancel := b.within()
	defer cancel()
	for {
		_, err := chromedp.Run(ctx, chromedp.Poll[bool]("!!("+expression+")", chromedp.WithPollingMutation()))
		switch {
		case err == nil:
			return
		case ctx.Err() != nil || !strings.Contains(err.Error(), "(-32000)"):
			b.t.Fatalf("never: %s: %v; the page says: %s", expression, err, b.text())
		}
	}
}

// says waits until the page says something.
func (b *tab) says(words ...string) {
	b.t.Helper()
	for _, w := range words {
		b.until(fmt.Sprintf("document.body.innerText.includes(%q)", w))
	}
}

// dark makes the browser prefer dark pages.
func (b *tab) dark(is bool) {
	b.t.Helper()
	scheme := "light"
	if is {
		scheme = "dark"
	}
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return err
	}))
}

// shot keeps a picture of the page for people to look at, in
// POSTERN_SCREENSHOTS or a folder of the test's own.
func (b *tab) shot(name string) {
	b.t.Helper()
	dir := os.Getenv("POSTERN_SCREENSHOTS")
	if dir == "" {
		dir = b.t.TempDir()
	}
	png := run(b, chromedp.FullScreenshot(100))
	if len(png) < 2000 {
		b.t.Errorf("the picture of %s has only %d bytes", name, len(png))
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
		b.t.Fatal(err)
	}
}
