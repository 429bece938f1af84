package browser

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// axe is the text of axe-core, which infra/tools/chromium.sh brings; empty if
// it is not here.
var axe = sync.OnceValues(func() (string, error) {
	path := os.Getenv("POSTERN_AXE")
	if path == "" {
		path = filepath.Join("..", "..", ".tools", "axe-core", "axe.min.js")
	}
	b, err := os.ReadFile(path)
	if os.IsNotExist(err) && os.Getenv("POSTERN_REQUIRE_BROWSER") == "" {
		return "", nil
	}
	return string(b), err
})

// needAxe leaves a test out where there is no axe-core.
func needAxe(t *testing.T) {
	t.Helper()
	text, err := axe()
	if err != nil {
		t.Fatal(err)
	}
	if text == "" {
		t.Skip("left out: accessibility tests (no axe-core in .tools; make browser brings it)")
	}
}

// violation is what axe-core finds wrong.
type violation struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// What to look for: WCAG 2.2 A and AA with axe-core's own best practices, or
// contrast alone, which is all that another colour scheme changes.
const (
	everything = `{type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}`
	contrast   = `{type: "rule", values: ["color-contrast"]}`
)

// look runs axe-core on the page as it is.
func (b *tab) look(only string) []violation {
	b.t.Helper()
	text, err := axe()
	if err != nil || text == "" {
		b.t.Fatal("no axe-core: ", err)
	}
	if js[string](b, "typeof axe") == "undefined" {
		b.do(chromedp.Evaluate[chromedp.Void](text + ";0"))
	}
	raw := run(b, chromedp.Evaluate[string](`axe.run(document, {resultTypes: ["violations"], runOnly: `+only+`}).then(r => JSON.stringify(r.violations))`,
		func(p *runtime.EvaluateParams) { p.AwaitPromise = new(true) }))
	var out []violation
	if err := json.Unmarshal([]byte(raw), &out); err != nil {
		b.t.Fatal(err)
	}
	return out
}

// accessible fails for each violation, in both colour schemes.
func (b *tab) accessible(name string) {
	b.t.Helper()
	found := b.look(everything)
	b.dark(true)
	found = append(found, b.look(contrast)...)
	b.dark(false)
	for _, v := range found {
		for _, n := range v.Nodes {
			b.t.Errorf("%s: %s: %s\n%s\n%s", name, v.ID, v.Help, n.HTML, strings.TrimSpace(n.Summary))
		}
	}
}

// Every page is usable by everybody (U5: WCAG AA; Q5).
func TestQ5_NoPageBreaksAccessibility(t *testing.T) {
	t.Parallel()
	b := person(t, "panel:owner", "owner")
	needAxe(t)
	h := b.h
	open := h.approval(t, "axe looks at this")
	h.say(t, "ask me axe asks which one? [Firefox | Chrome]")
	question := h.item(t, "axe asks which one")
	done := h.approval(t, "axe looks at what is settled")
	b.open("/inbox/" + done.ID)
	b.click(`button[value="deny"]`)
	b.accessible("answered")
	settled := "/inbox/" + done.ID
	for name, path := range map[string]string{"inbox": "/inbox", "all": "/inbox?tab=all", "approval": "/inbox/" + open.ID, "question": "/inbox/" + question.ID,
		"settled": settled, "sessions": "/sessions", "session": "/sessions/" + open.Session, "decisions": "/decisions", "not here": "/nowhere",
		"stand-ins": "/platforms/ui/?as=ada", "stand-ins as Bob": "/platforms/ui/?as=bob&tab=github", "sign in": "/login", "link": "/login?key=x"} {
		b.open(path)
		b.accessible(name)
	}
	b.open("/inbox")
	b.keys("?")
	b.until(`document.getElementById("keys").open`)
	b.accessible("keys")
	b.do(chromedp.EmulateViewport(375, 740, chromedp.EmulateMobile))
	for _, path := range []string{"/inbox", "/inbox/" + open.ID, "/sessions/" + open.Session, "/platforms/ui/"} {
		b.open(path)
		b.accessible("phone " + path)
	}
	viewer := person(t, "panel:vic", "viewer")
	viewer.open("/inbox/" + open.ID)
	viewer.accessible("viewer")
	auditor := person(t, "panel:aud", "auditor")
	auditor.accessible("auditor")
}

// The look itself finds what is wrong.
func TestQ5_AxeSees(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	needAxe(t)
	b.open("/login?key=x")
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("main button").textContent = ""`))
	if v := b.look(everything); len(v) == 0 {
		t.Fatal("a button without a name was not found")
	}
	b.dark(true)
	b.do(chromedp.Evaluate[chromedp.Void](`document.styleSheets[0].insertRule("h1 { color: #222 !important }", document.styleSheets[0].cssRules.length)`))
	if v := b.look(contrast); len(v) != 1 {
		t.Fatalf("dark on dark was not found: %v", v)
	}
}
