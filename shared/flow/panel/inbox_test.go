package panel_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/flow/panel"
	"github.com/postern-dev/postern/shared/flow/raise"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// Every answer carries the same headers, refusals and errors too (U8).
func TestU8_Headers(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	x := h.raise(h.session("s1", "work"), raise.Ask{Title: "t"})
	ada := h.person("panel:ada", panel.Approver)
	for path, status := range map[string]int{"/inbox": 200, "/inbox/" + x.ID: 200, "/sessions": 200, "/sessions/s1": 200, "/decisions": 200,
		"/": 303, "/inbox/" + x.ID + "/answer": 303, "/login": 200, "/nowhere": 404, "/inbox/nowhere": 404, "/sessions/nowhere": 404,
		"/inbox?cursor=guess": 404, "/inbox/" + strings.Repeat("x", 3000): 404, "/static/panel.css": 200, "/static/nowhere": 404} {
		a := ada.get(path)
		if a.Code != status {
			t.Errorf("%.60s: %d, want %d", path, a.Code, status)
		}
		csp, cache := a.Header().Get("Content-Security-Policy"), a.Header().Get("Cache-Control")
		if !strings.HasPrefix(csp, "default-src 'none'; script-src 'self'; style-src 'self';") || strings.Contains(csp, "unsafe") ||
			!strings.Contains(csp, "frame-ancestors 'none'") || a.Header().Get("X-Content-Type-Options") != "nosniff" ||
			a.Header().Get("Referrer-Policy") != "same-origin" || (cache != "no-store" && !strings.HasPrefix(path, "/static/")) {
			t.Errorf("%.60s: headers %v", path, a.Header())
		}
	}
	ada.send("HEAD", "/inbox", nil, nil).want(t, 200)
}

// No look changes anything, with or without a sign-in (I21, R20).
func TestI21_LooksChangeNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	x := h.raise(h.session("s1", "work"), raise.Ask{Title: "t"})
	ada := h.person("panel:ada", panel.Approver)
	before := h.changes()
	for _, path := range []string{"/inbox", "/inbox?tab=all", "/inbox/" + x.ID, "/inbox/" + x.ID + "/answer?choice=allow&form=" + ada.form,
		"/sessions", "/sessions/s1", "/decisions", "/login?key=x", "/logout", "/"} {
		for _, method := range []string{"GET", "HEAD"} {
			ada.send(method, path, nil, nil)
			(&browser{house: h}).send(method, path, nil, nil)
		}
	}
	if h.changes() != before || h.state(x) != inbox.Pending {
		t.Fatal("a look changed something")
	}
}

// A form is taken only with the token of its own page, and from this site (U8).
func TestU8_FormsOfOthers(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	x := h.raise(h.session("s1", "work"), raise.Ask{Title: "t"})
	ada, bob := h.person("panel:ada", panel.Approver), h.person("panel:bob", panel.Approver)
	bob.get("/inbox")
	ada.get("/inbox")
	good := url.Values{"form": {ada.form}, "digest": {x.Digest}, "once": {"1"}, "choice": {"allow"}}
	before := h.changes()
	for why, form := range map[string]string{"none": "", "guess": "guess", "bob's": bob.form} {
		v := url.Values{"form": {form}, "digest": {x.Digest}, "choice": {"allow"}}
		if a := ada.send("POST", "/inbox/"+x.ID+"/answer", v, nil); a.Code != 403 || !strings.Contains(a.text, "This form is stale") {
			t.Errorf("token %s: %d", why, a.Code)
		}
		ada.send("POST", "/logout", v, nil).want(t, 403)
	}
	for _, from := range []http.Header{{"Sec-Fetch-Site": {"cross-site"}}, {"Sec-Fetch-Site": {"same-site"}}, {"Origin": {"https://evil.test"}}} {
		ada.send("POST", "/inbox/"+x.ID+"/answer", good, from).want(t, 403, "This form came from another site")
		ada.send("POST", "/login", url.Values{"key": {"k"}}, from).want(t, 403, "This form came from another site")
	}
	if h.changes() != before {
		t.Fatal("a form that was refused changed something")
	}
	ada.send("POST", "/inbox/"+x.ID+"/answer", good, http.Header{"Sec-Fetch-Site": {"same-origin"}}).want(t, 200)
}

// The ways an answer ends are different answers (I4, I5, I9, U10).
func TestI5_AnswersDiffer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.session("s1", "work")
	ada, bob, eve := h.person("panel:ada", panel.Approver), h.person("panel:bob", panel.Approver), h.person("panel:eve", panel.Viewer)
	x := h.raise(s, raise.Ask{Title: "one"})
	bob.get("/inbox/" + x.ID)
	eve.get("/inbox/" + x.ID)
	eve.submit(x, "allow", "").want(t, 403, "Not recorded", "not among those who may answer")
	wrong := x
	wrong.Digest = "other"
	bob.submit(wrong, "allow", "").want(t, 422, "Not recorded", "other arguments")
	bob.submit(x, "maybe", "").want(t, 422, "Not recorded")
	if h.state(x) != inbox.Pending {
		t.Fatal("a refused answer changed the item")
	}
	ada.answer(x, "allow", "").want(t, 200, "Recorded: allowed by ada", "What else waits")
	ada.submit(x, "allow", "").want(t, 200, "Recorded: allowed by ada") // the same form again
	ada.submit(x, "deny", "").want(t, 409, "Not recorded: allowed by ada")
	bob.submit(x, "deny", "no").want(t, 409, "Not recorded: allowed by ada at 1 Dec 09:00 UTC (panel)")
	bob.submit(inbox.Item{ID: "nowhere"}, "allow", "").want(t, 404)
	bob.submit(inbox.Item{ID: strings.Repeat("x", 3000)}, "allow", "").want(t, 404)

	late := h.raise(s, raise.Ask{Title: "two"})
	bob.get("/inbox/" + late.ID)
	h.now = h.now.Add(7 * 24 * time.Hour)
	bob = h.person("panel:bob", panel.Approver)
	bob.get("/inbox/"+late.ID).want(t, 200, "expired").lacks(t, `class="answer"`)
	bob.submit(late, "allow", "").want(t, 410, "Not recorded: expired")
	if h.state(late) != inbox.Expired {
		t.Fatal("a late answer did not write the expiry (I10)")
	}
}

func TestI9_Questions(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s, ada := h.session("s1", "work"), h.person("panel:ada", panel.Approver)
	ask := func(b inbox.Body) inbox.Item {
		return h.raise(s, raise.Ask{Kind: inbox.Question, Title: "which?", Tool: "ask_user", Body: b})
	}
	two := []inbox.Option{{Value: "o1", Label: "Fire<b>fox"}, {Value: "o2", Label: "Chrome"}}
	one := ask(inbox.Body{Text: "which?", Options: two})
	ada.get("/inbox/"+one.ID).want(t, 200, "Fire&lt;b&gt;fox", `data-key="2"`).lacks(t, "<textarea", "github_comment")
	ada.submit(one, "", "other").want(t, 422)
	ada.submit(one, "o1,o2", "").want(t, 422)
	ada.submit(one, "o2", "").want(t, 200, "Recorded: answered by ada", "The answer", "Chrome")
	many := ask(inbox.Body{Text: "which?", Options: two, Multi: true})
	ada.get("/inbox/"+many.ID).want(t, 200, `type="checkbox"`)
	ada.submit(many, "o1,o2", "").want(t, 200, "Fire&lt;b&gt;fox, Chrome")
	free := ask(inbox.Body{Text: "why?", AllowText: true})
	ada.get("/inbox/"+free.ID).want(t, 200, "<textarea")
	ada.submit(free, "", " ").want(t, 422)
	ada.submit(free, "", "because <i>").want(t, 200, "because &lt;i&gt;")
}

// Who may only look sees that, and why; the rest is not for him (U9, S1, I22).
func TestU9_Roles(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.session("s1", "the secret plan")
	x := h.raise(s, raise.Ask{Title: "github_comment", Body: inbox.Body{Text: "inner text", Why: "inner why"}})
	full := []string{"inner text", "inner why", "&#34;body&#34;: &#34;hello&#34;", "slack:T1/U1"}

	ada := h.person("panel:ada", panel.Approver)
	ada.get("/inbox/"+x.ID).want(t, 200, append(full, `class="answer"`, "the secret plan")...)
	ada.get("/sessions/s1").want(t, 200, "the secret plan")

	owner := h.person("panel:owner", panel.Owner)
	owner.get("/inbox/"+x.ID).want(t, 200, append(full, "You may look, and not answer.", "queue default")...).lacks(t, `class="answer"`)
	owner.get("/sessions/s1").want(t, 200)

	lin := h.person("panel:lin", panel.Viewer) // listed by the Source
	lin.get("/inbox/"+x.ID).want(t, 200, full...).lacks(t, `class="answer"`)
	lin.get("/sessions/s1").want(t, 200)

	eve := h.person("panel:eve", panel.Viewer)
	eve.get("/inbox/"+x.ID).want(t, 200, "github_comment", "external", "You may look").lacks(t, append(full, "the secret plan", `class="answer"`)...)
	eve.get("/sessions/s1").want(t, 404)
	eve.get("/sessions").want(t, 200, "s1").lacks(t, "the secret plan")

	auditor := h.person("panel:aud", panel.Auditor)
	for _, path := range []string{"/inbox", "/inbox/" + x.ID, "/sessions", "/sessions/s1", "/decisions"} {
		auditor.get(path).want(t, 403, "audit only").lacks(t, "github_comment", "the secret plan")
	}
	auditor.submit(x, "allow", "").want(t, 403)
	if h.state(x) != inbox.Pending {
		t.Fatal("an auditor answered")
	}
}

func TestI14_NobodyApprovesHisOwn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.session("s1", "work")
	s.Queue, s.Asked.Provider, s.Asked.Workspace, s.Asked.ID = "strict", "panel", "", "ada"
	x := h.raise(s, raise.Ask{Title: "t"})
	ada := h.person("panel:ada", panel.Approver)
	ada.get("/inbox/"+x.ID).want(t, 200, "nobody approves his own").lacks(t, `class="answer"`)
	ada.submit(x, "allow", "").want(t, 403, "Not recorded")
}

// What agents wrote is text, and what would not be seen is shown (U8, P25).
func TestU8_AgentsTextIsText(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	x := h.raise(h.session("s1", `<script>alert(1)</script>`), raise.Ask{Title: `<img src=x onerror=alert(2)>`,
		Body: inbox.Body{Text: "<b>bold</b> \u202Eevil", Why: `"><script>`, Arguments: json.RawMessage(`{"n":9007199254740993,"s":"<script>` + "\u202E" + `</script>"}`)}})
	ada := h.person("panel:ada", panel.Approver)
	for _, path := range []string{"/inbox", "/inbox/" + x.ID, "/sessions", "/sessions/s1"} {
		ada.get(path).lacks(t, "<script>", "<img", "<b>", "\u202E")
	}
	ada.get("/inbox/"+x.ID).want(t, 200, "9007199254740993", `&lt;script&gt;\u202e&lt;/script&gt;`, "&lt;b&gt;bold&lt;/b&gt; \uFFFDevil")
}

// More than a thousand is said so (I19).
func TestI19_ManyWait(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.session("s1", "work")
	var batch []table.Action
	for i := range 1001 {
		d := fmt.Sprint("d", i)
		batch = append(batch, raise.New(s, raise.Ask{ID: inbox.ItemID("s1", int64(i), 0, d), Kind: inbox.Approval, Title: d, Digest: d}, h.pol, h.id(), h.now).Actions...)
		if len(batch) > 90 || i == 1000 {
			h.do(batch...)
			batch = nil
		}
	}
	ada := h.person("panel:ada", panel.Approver)
	first := ada.get("/inbox")
	first.want(t, 200, "1000+", "Next page")
	ada.get("/sessions").want(t, 200, "1001+")
	next := linkTo(first.text, "Next page")
	second := ada.get(next)
	second.want(t, 200, "First page", `hx-get="`+strings.ReplaceAll(next, "&", "&amp;")) // page two stays page two
	if n := strings.Count(second.text, "data-row"); n != 50 {
		t.Fatalf("%d rows on a page", n)
	}
}

func linkTo(page, words string) string {
	at := strings.Index(page, ">"+words+"<")
	from := strings.LastIndex(page[:at], `href="`) + len(`href="`)
	return strings.ReplaceAll(page[from:from+strings.Index(page[from:], `"`)], "&amp;", "&")
}

// broken is a table that cannot be reached.
type broken struct{ table.Table }

var errBroken = errors.New("the table cannot be reached")

func (broken) Get(context.Context, table.Key) (table.Item, error) { return nil, errBroken }

// A failure is a page too, with the same headers, and tells nothing of what
// failed (Q8).
func TestQ8_FailureIsAPage(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ada := h.person("panel:ada", panel.Approver)
	h.panel.Store = store.New(broken{h.db})
	for _, path := range []string{"/inbox", "/inbox/abc", "/sessions", "/decisions"} {
		a := ada.get(path)
		a.want(t, 500, "That did not work", "Try again in a moment.").lacks(t, errBroken.Error())
		if a.Header().Get("Content-Security-Policy") == "" || a.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: headers %v", path, a.Header())
		}
	}
	ada.send("POST", "/login", url.Values{"key": {"x"}}, nil).want(t, 500, "That did not work")
}
