package playground_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/infra/policy"
	domain "github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/edge/llm/scripted"
	"github.com/postern-dev/postern/shared/flow/turn"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/local/playground"
)

// house is a running Postern with the page beside it.
type house struct {
	*local.World
	t   *testing.T
	url string
	rt  *local.Runtime
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{World: local.NewWorld(clock.Real{}.Now), t: t}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	h.url = server.URL
	played := http.NewServeMux()
	h.Routes(played)
	mux.Handle("/platforms/", http.StripPrefix("/platforms", played))
	p, err := domain.Parse("dev.yaml", policy.Dev)
	if err != nil {
		t.Fatal(err)
	}
	cfg := local.Config{Clock: clock.Real{}, Log: slog.New(slog.DiscardHandler), LinkKey: []byte("a key of this test, 32 bytes or more"),
		PublicURL: h.url, ModelName: "scripted:dev", Policy: p, Source: string(policy.Dev), StandIns: playground.Path,
		Model: func(string) (turn.Model, string, error) { return scripted.New(), "dev", nil }}
	h.Connect(&cfg, h.url+"/platforms")
	if h.rt, err = local.Open(cfg); err != nil {
		t.Fatal(err)
	}
	mux.Handle("/", h.rt.Handler)
	mux.Handle(playground.Path, (&playground.Page{Slack: h.Slack, Feishu: h.Feishu, GitHub: h.GitHub, Hooks: h.url + "/hooks",
		Client: server.Client(), Panel: h.rt.Panel, Log: cfg.Log}).Routes())
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.rt.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended; server.Close(); _ = h.rt.Close() })
	return h
}

// browser is one browser; form is the token of its sign-in.
type browser struct {
	*house
	client *http.Client
	form   string
}

func (h *house) browser(role string) *browser {
	h.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		h.t.Fatal(err)
	}
	b := &browser{house: h, client: &http.Client{Jar: jar}}
	if role == "" {
		return b
	}
	key, err := h.rt.LoginKey(h.t.Context(), "panel:owner", "Owner", role)
	if err != nil {
		h.t.Fatal(err)
	}
	_, page, _ := b.send("POST", "/login", url.Values{"key": {key}}, nil)
	m := regexp.MustCompile(`name="form" value="([^"]+)"`).FindStringSubmatch(page)
	if m == nil {
		h.t.Fatal("no sign-in: ", page)
	}
	b.form = m[1]
	return b
}

func (b *browser) send(method, path string, form url.Values, header http.Header) (int, string, http.Header) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	for k, v := range header {
		req.Header[k] = v
	}
	if h := header.Get("Host"); h != "" {
		req.Host = h
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := b.client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return resp.StatusCode, string(body), resp.Header
}

// act submits one of the page's forms.
func (b *browser) act(path string, fields ...string) (int, string) {
	b.t.Helper()
	v := url.Values{"form": {b.form}}
	for i := 0; i < len(fields); i += 2 {
		v.Set(fields[i], fields[i+1])
	}
	status, page, _ := b.send("POST", playground.Path+path, v, nil)
	return status, page
}

// sees waits until a column, as somebody sees it, says all of that.
func (b *browser) sees(column, as string, words ...string) string {
	b.t.Helper()
	end := time.Now().Add(30 * time.Second)
	for {
		status, page, _ := b.send("GET", playground.Path+column+"?as="+as, nil, nil)
		if status != http.StatusOK {
			b.t.Fatalf("%s was answered %d", column, status)
		}
		missing := ""
		for _, w := range words {
			if !strings.Contains(page, w) {
				missing = w
			}
		}
		if missing == "" {
			return page
		}
		if time.Now().After(end) {
			b.t.Fatalf("%s never said %q to %s: %s", column, missing, as, page)
		}
		select {
		case <-b.t.Context().Done():
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func lacks(t *testing.T, page string, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(page, w) {
			t.Errorf("the page says %q: %s", w, page)
		}
	}
}

// pressing finds the first button with a label and gives what its form sends.
func pressing(t *testing.T, page, label string) []string {
	t.Helper()
	at := strings.Index(page, ">"+label+"</button>")
	if at < 0 {
		t.Fatalf("no button %q: %s", label, page)
	}
	form := page[strings.LastIndex(page[:at], "<form"):at]
	var out []string
	for _, m := range regexp.MustCompile(`name="([a-z]+)" value="([^"]*)"`).FindAllStringSubmatch(form, -1) {
		if m[1] != "form" && m[1] != "as" {
			out = append(out, m[1], m[2])
		}
	}
	return out
}

// An agent on the same machine cannot be a person here: the page wants the
// owner's sign-in, the form's token, this site, and a loopback name (U8).
func TestU8_OnlyTheOwnerPlays(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	owner := h.browser("owner")
	for _, path := range []string{"", "slack", "feishu", "github"} {
		if status, _, _ := h.browser("").send("GET", playground.Path+path, nil, nil); status != 401 {
			t.Errorf("%q without a sign-in: %d", path, status)
		}
		if status, _, _ := h.browser("approver").send("GET", playground.Path+path, nil, nil); status != 404 {
			t.Errorf("%q as an approver: %d", path, status)
		}
		for _, name := range []string{"postern.example", "evil.test:80", "10.0.0.1"} {
			if status, _, _ := owner.send("GET", playground.Path+path, nil, http.Header{"Host": {name}}); status != 403 {
				t.Errorf("%q by the name %s: %d", path, name, status)
			}
		}
		status, _, header := owner.send("GET", playground.Path+path, nil, nil)
		if status != 200 || !strings.HasPrefix(header.Get("Content-Security-Policy"), "default-src 'none'; script-src 'self'") || header.Get("Cache-Control") != "no-store" {
			t.Errorf("%q as the owner: %d %v", path, status, header)
		}
	}
	say := url.Values{"as": {"ada"}, "in": {"C0OPS"}, "text": {"comment on acme/shop#1: x"}, "mention": {"1"}}
	for why, b := range map[string]*browser{"nobody": h.browser(""), "no token": owner} {
		for _, path := range []string{"slack/say", "slack/press", "feishu/say", "feishu/tap", "github/open", "github/comment"} {
			if status, _, _ := b.send("POST", playground.Path+path, say, nil); status != 401 && status != 403 {
				t.Errorf("%s, %s: %d", why, path, status)
			}
		}
	}
	say.Set("form", owner.form)
	if status, _, _ := owner.send("POST", playground.Path+"slack/say", say, http.Header{"Origin": {"https://evil.test"}}); status != 403 {
		t.Error("another site's form was taken:", status)
	}
	if len(h.Slack.Messages()) != 0 {
		t.Error("somebody spoke")
	}
}

// The main job, as its people: ask in Slack, be refused as Mallory, answer as
// Bob (U3).
func TestU3_SlackAsItsPeople(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.browser("owner")
	if status, page := b.act("github/open", "as", "bob", "repo", "acme/shop", "title", "Old bug", "body", "it <b>hurts</b>"); status != 200 ||
		!strings.Contains(page, "Old bug") || strings.Contains(page, "<b>hurts") {
		t.Fatal(status, page)
	}
	b.act("slack/say", "as", "ada", "in", "C0OPS", "text", "comment on acme/shop#1: on <it> & well", "mention", "1")
	page := b.sees("slack", "ada", "@agent", "on &lt;it&gt; &amp; well", "Ticket", "github_comment", ">Allow once</button>")
	allow := pressing(t, page, "Allow once")
	b.act("slack/press", append(allow, "as", "mallory")...)
	b.sees("slack", "mallory", "Only you can see this", "not among those who may answer")
	lacks(t, b.sees("slack", "bob", "github_comment"), "Only you can see this")
	if status, _ := b.act("slack/press", append(allow, "as", "bob")...); status != 200 {
		t.Fatal(status)
	}
	lacks(t, b.sees("slack", "ada", "allowed by bob", "ran: ok", "edited"), ">Allow once</button>")
	b.sees("github", "ada", "postern-agent[bot]", "on")
	if status, page := b.act("slack/press", append(allow, "as", "ada")...); status != 422 || !strings.Contains(page, "That was not done") {
		t.Error("a button that is gone:", status)
	}
}

func TestU3_ThreadsAndDirectMessages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.browser("owner")
	b.act("slack/say", "as", "ada", "in", "C0OPS", "text", "good morning", "mention", "1")
	b.sees("slack", "ada", "Ticket")
	root := h.Slack.Messages()[0].TS
	_, page, _ := b.send("GET", playground.Path+"?as=ada&slack="+url.QueryEscape("C0OPS "+root), nil, nil)
	if !strings.Contains(page, "In answer to “@agent good morning”") || !strings.Contains(page, `name="to" value="`+root+`"`) {
		t.Fatal("not in the thread:", page)
	}
	b.act("slack/say", "as", "ada", "in", "C0OPS", "to", root, "text", "and one more")
	b.act("slack/say", "as", "ada", "in", "D0ADA", "text", "between us", "mention", "1")
	page = b.sees("slack", "ada", "and one more", "between us")
	if strings.Count(page, `<ol class="thread">`) != 2 || strings.Contains(page, "@agent</span> between us") {
		t.Error("threads:", page)
	}
	lacks(t, b.sees("slack", "bob", "good morning"), "between us", "Direct messages with the agent</h3>\n\n<ol")
	for _, c := range [][]string{{"slack/say", "as", "bob", "in", "D0ADA", "text", "x"}, {"slack/say", "as", "bob", "in", "C0NONE", "text", "x"},
		{"slack/say", "as", "nobody", "in", "C0OPS", "text", "x"}, {"slack/say", "as", "bob", "in", "C0OPS", "text", " "},
		{"slack/press", "as", "bob", "in", "C0OPS", "channel", "C0OPS", "ts", root, "n", "0"}, {"slack/press", "as", "bob", "n", "x"},
		{"feishu/say", "as", "bob", "in", "oc_p2p_ada", "text", "x"}, {"feishu/tap", "as", "bob", "message", "om_none", "n", "0"},
		{"github/comment", "as", "bob", "repo", "acme/shop", "issue", "99", "body", "x"}, {"github/open", "as", "bob", "repo", "acme/none", "title", "x"}} {
		if status, page := b.act(c[0], c[1:]...); status != 422 || !strings.Contains(page, `role="alert"`) {
			t.Errorf("%v: %d", c, status)
		}
	}
}

func TestU3_FeishuShowsCardAndToast(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.browser("owner")
	b.act("feishu/say", "as", "ada", "in", "oc_ops", "text", "ask me may I? [Yes | No]", "mention", "1")
	page := b.sees("feishu", "ada", "@Postern ask me may I?", ">Yes</button>", ">No</button>")
	yes := pressing(t, page, "Yes")
	b.act("feishu/tap", append(yes, "as", "mallory")...)
	b.sees("feishu", "mallory", `class="toast bad"`, ">Yes</button>")
	b.act("feishu/tap", append(yes, "as", "ada")...)
	page = b.sees("feishu", "ada", `class="toast"`, "answered by", "scripted model")
	lacks(t, page, ">Yes</button>")
}

func TestU3_GitHubByComment(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.browser("owner")
	b.act("github/open", "as", "ada", "repo", "acme/shop", "title", "Cart total is wrong", "body", "@postern-agent look")
	b.sees("github", "ada", "Cart total is wrong", "Ticket", "scripted model", "postern-agent[bot]")
	if status, page := b.act("github/comment", "as", "bob", "repo", "acme/shop", "issue", "1", "body", "me *too*, <img src=x>"); status != 200 || strings.Contains(page, "<img") {
		t.Fatal(status, page)
	}
	b.sees("github", "bob", "me <em>too</em>")
}

// The columns stay fresh by conditional requests (U5).
func TestU5_ColumnsAreConditional(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.browser("owner")
	for _, c := range []string{"slack", "feishu", "github"} {
		_, whole, _ := b.send("GET", playground.Path+"?as=ada", nil, nil)
		_, _, first := b.send("GET", playground.Path+c+"?as=ada", nil, nil)
		tag := first.Get("ETag")
		if tag == "" || !strings.Contains(whole, `data-tag="`+strings.ReplaceAll(tag, `"`, "&#34;")+`"`) {
			t.Errorf("%s: the page does not know tag %s", c, tag)
		}
		if status, body, _ := b.send("GET", playground.Path+c+"?as=ada", nil, http.Header{"If-None-Match": {tag}}); status != 304 || body != "" {
			t.Errorf("%s: unchanged, and answered %d", c, status)
		}
		b.act("github/open", "as", "bob", "repo", "acme/shop", "title", "new")
		b.act("slack/say", "as", "bob", "in", "C0OPS", "text", "new")
		b.act("feishu/say", "as", "bob", "in", "oc_ops", "text", "new")
		if status, _, _ := b.send("GET", playground.Path+c+"?as=ada", nil, http.Header{"If-None-Match": {tag}}); status != 200 {
			t.Errorf("%s: changed, and answered %d", c, status)
		}
	}
}

// What Postern refuses is said, and the page does not pretend.
func TestU3_RefusedWebhookIsSaid(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(401) }))
	t.Cleanup(refusing.Close)
	page := &playground.Page{Slack: h.Slack, Feishu: h.Feishu, GitHub: h.GitHub, Hooks: refusing.URL, Client: refusing.Client(),
		Panel: h.rt.Panel, Log: slog.New(slog.DiscardHandler)}
	b := h.browser("owner")
	s := httptest.NewServer(page.Routes())
	t.Cleanup(s.Close)
	was, err := url.Parse(b.url)
	if err != nil {
		t.Fatal(err)
	}
	now, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	b.client.Jar.SetCookies(now, b.client.Jar.Cookies(was))
	b.house = &house{World: h.World, t: t, url: s.URL, rt: h.rt}
	if status, text := b.act("slack/say", "as", "ada", "in", "C0OPS", "text", "hello", "mention", "1"); status != 502 ||
		!strings.Contains(text, "Postern answered the webhook with HTTP 401.") {
		t.Fatal(status, text)
	}
}
