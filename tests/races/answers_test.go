// Package races lets many goroutines do the same thing at once, on the real
// table engine and through the real entrances, and counts who won.
package races

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	policyfiles "github.com/postern-dev/postern/infra/policy"
	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/edge/llm/scripted"
	edgeslack "github.com/postern-dev/postern/shared/edge/slack"
	"github.com/postern-dev/postern/shared/flow/turn"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/local/standin/slack"
)

const atOnce = 50

var linkKey = []byte("races-link-key-0000000000000000")

// races is how many items are raced for: RACES, or a few.
func races(t *testing.T) int {
	t.Helper()
	if s := os.Getenv("RACES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("RACES=%q is no number", s)
		}
		return n
	}
	if testing.Short() {
		return 5
	}
	return 50
}

// TestR1_AnswersFromEverySurface races 50 answers for each item, from Slack's
// signed webhook, the panel's form and the API: one winner, one wake, and every
// loser is told who won (I4, I5, I7, R1).
func TestR1_AnswersFromEverySurface(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	n := races(t)
	for i := range n {
		h.race(i)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d races of %d answers: %d single winners, %d single wakes (%v)", n, atOnce, n, n, h.won)
}

type house struct {
	t      *testing.T
	r      *local.Runtime
	cookie *http.Cookie
	won    map[string]int
}

func newHouse(t *testing.T) *house {
	t.Helper()
	p, err := policy.Parse("dev.yaml", policyfiles.Dev)
	if err != nil {
		t.Fatal(err)
	}
	secrets := slack.DevSecrets()
	r, err := local.Open(local.Config{Clock: clock.Real{}, Log: slog.New(slog.DiscardHandler), Slack: &secrets, SlackAPI: "http://127.0.0.1:1",
		LinkKey: linkKey, PublicURL: "http://panel.example", Policy: p, ModelName: "scripted:x",
		Model: func(string) (turn.Model, string, error) { return scripted.New(), "x", nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	r.Turns.Tools["github_comment"] = func(context.Context, json.RawMessage, string) (string, error) { return "done", nil }
	r.Turns.Have["connector:github"] = true
	h := &house{t: t, r: r, won: map[string]int{}}
	h.signIn()
	return h
}

func (h *house) signIn() {
	key, err := h.r.LoginKey(h.t.Context(), "panel:owner", "Owner", "owner")
	if err != nil {
		h.t.Fatal(err)
	}
	w := h.form("/login", url.Values{"key": {key}})
	for _, c := range w.Result().Cookies() {
		h.cookie = c
	}
	if h.cookie == nil {
		h.t.Fatalf("signing in was answered %d without a cookie", w.Code)
	}
}

// raise has an agent ask for one approval, and park.
func (h *house) raise(i int) inbox.Item {
	ctx := h.t.Context()
	d, err := h.r.Gate.Judge(ctx, trigger.Trigger{
		Platform: "slack", Account: "T0DEV", Kind: "channel", Named: trigger.Mention, Text: fmt.Sprintf("comment on acme/shop#%d: race", i+1),
		Thread: trigger.Place{Surface: "slack", Account: "T0DEV", Channel: "C0OPS", Thread: fmt.Sprintf("1.%d", i)},
		Sender: actor.Actor{Provider: "slack", Workspace: "T0DEV", ID: "U0ADA", Kind: actor.Human},
		ID:     fmt.Sprintf("race-%d", i), Delivery: fmt.Sprintf("d%d", i), At: time.Now()})
	if err != nil || d.Ticket == "" {
		h.t.Fatalf("race %d: no ticket: %+v, %v", i, d, err)
	}
	tk, err := h.r.Store.Ticket(ctx, d.Ticket)
	if err != nil || tk == nil {
		h.t.Fatal(err)
	}
	if err := h.r.Turns.Turn(ctx, tk.Session); err != nil {
		h.t.Fatal(err)
	}
	l, err := h.r.Store.Lease(ctx, tk.Session)
	if err != nil || l.State != session.Parked {
		h.t.Fatalf("race %d: the session is %s, not parked: %v", i, l.State, err)
	}
	x, err := h.r.Store.Item(ctx, l.Item)
	if err != nil || x == nil {
		h.t.Fatal(err)
	}
	return *x
}

// answered is how one contender was answered.
type answered struct {
	via    string
	status int
	body   string
}

func (h *house) race(i int) {
	x := h.raise(i)
	form := h.itemForm(x.ID)
	start := make(chan struct{})
	got := make([]answered, atOnce)
	var wg sync.WaitGroup
	for c := range atOnce {
		wg.Go(func() {
			<-start
			choice := []string{inbox.Allow, inbox.Deny}[c%2]
			switch c % 3 {
			case 0:
				got[c] = h.bySlack(x, c, choice)
			case 1:
				v := url.Values{"form": form["form"], "digest": form["digest"], "once": {fmt.Sprint(c)}, "choice": {choice}}
				w := h.form("/inbox/"+x.ID+"/answer", v)
				got[c] = answered{"panel", w.Code, w.Body.String()}
			case 2:
				got[c] = h.byAPI(x, c, choice)
			}
		})
	}
	close(start)
	wg.Wait()
	h.judge(i, x, got)
}

func (h *house) judge(i int, was inbox.Item, got []answered) {
	ctx := h.t.Context()
	x, err := h.r.Store.Item(ctx, was.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	if !x.State.Terminal() {
		h.t.Fatalf("race %d: nobody won", i)
	}
	h.won[x.Via]++
	wins := 0
	if x.Via == "slack" {
		wins++
	}
	for _, a := range got {
		switch {
		case a.via == "slack" && a.status != http.StatusOK:
			h.t.Errorf("race %d: a click was answered %d", i, a.status)
		case a.via != "slack" && a.status == http.StatusOK:
			wins++
		case a.via != "slack" && a.status != http.StatusConflict:
			h.t.Errorf("race %d: a loser over %s was answered %d", i, a.via, a.status)
		case a.via != "slack" && !strings.Contains(a.body, "("+x.Via+")"):
			h.t.Errorf("race %d: a loser over %s is not told who won: %.200s", i, a.via, a.body)
		}
	}
	if wins != 1 {
		h.t.Errorf("race %d: %d winners", i, wins)
	}
	h.audited(i, *x)
	h.wakes(i, *x)
}

// audited: one row resolved, one refused for every loser (R1, I14).
func (h *house) audited(i int, x inbox.Item) {
	rows, err := h.r.Store.AuditOf(h.t.Context(), "session#"+x.Session)
	if err != nil {
		h.t.Fatal(err)
	}
	n := map[string]int{}
	for _, r := range rows {
		n[r.What]++
	}
	if n["resolved"] != 1 || n["refused"] != atOnce-1 {
		h.t.Errorf("race %d: the audit holds %d resolved and %d refused rows", i, n["resolved"], n["refused"])
	}
}

// wakes: one resolution in the mailbox, one result in the transcript (I7).
func (h *house) wakes(i int, x inbox.Item) {
	ctx := h.t.Context()
	mail, err := h.r.Store.Mail(ctx, x.Session)
	if err != nil {
		h.t.Fatal(err)
	}
	if len(mail) != 1 || mail[0].Kind != session.Resolution {
		h.t.Errorf("race %d: %d mails wake the session", i, len(mail))
	}
	var wg sync.WaitGroup
	for range 4 { // the doorbell rung four times at once
		wg.Go(func() {
			if err := h.r.Turns.Turn(ctx, x.Session); err != nil {
				h.t.Error(err)
			}
		})
	}
	wg.Wait()
	steps, err := h.r.Store.Transcript(ctx, x.Session)
	if err != nil {
		h.t.Fatal(err)
	}
	results := 0
	for _, s := range steps {
		if s.Role == session.Result {
			results++
		}
	}
	if results != 1 {
		h.t.Errorf("race %d: the call has %d results", i, results)
	}
}

func (h *house) do(req *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.r.Handler.ServeHTTP(w, req)
	return w
}

func (h *house) form(path string, v url.Values) *httptest.ResponseRecorder {
	req := httptest.NewRequest(http.MethodPost, "http://panel.example"+path, strings.NewReader(v.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if h.cookie != nil {
		req.AddCookie(h.cookie)
	}
	return h.do(req)
}

var hidden = regexp.MustCompile(`<input type="hidden" name="(form|digest)" value="([^"]*)"`)

func (h *house) itemForm(item string) url.Values {
	req := httptest.NewRequest(http.MethodGet, "http://panel.example/inbox/"+item, nil)
	req.AddCookie(h.cookie)
	v := url.Values{}
	for _, m := range hidden.FindAllStringSubmatch(h.do(req).Body.String(), -1) {
		v.Set(m[1], m[2])
	}
	if v.Get("digest") == "" || v.Get("form") == "" {
		h.t.Fatalf("the page of item %s has no form", item)
	}
	return v
}

func (h *house) byAPI(x inbox.Item, c int, choice string) answered {
	body := fmt.Sprintf(`{"digest":%q,"choice":%q}`, x.Digest, choice)
	req := httptest.NewRequest(http.MethodPost, "http://panel.example/v1/items/"+x.ID+"/answer", strings.NewReader(body))
	req.Header.Set("Idempotency-Key", fmt.Sprint(c))
	req.AddCookie(h.cookie)
	w := h.do(req)
	return answered{"api", w.Code, w.Body.String()}
}

func (h *house) bySlack(x inbox.Item, c int, choice string) answered {
	user := []string{"U0ADA", "U0BOB"}[c%2]
	payload, err := json.Marshal(map[string]any{
		"type": "block_actions", "api_app_id": "A0DEV", "team": map[string]any{"id": "T0DEV"},
		"user":      map[string]any{"id": user, "name": strings.ToLower(user), "team_id": "T0DEV"},
		"container": map[string]any{"type": "message", "message_ts": "1700000000.000100", "channel_id": "C0APPROVALS"},
		"actions": []map[string]any{{"type": "button", "action_id": "a", "action_ts": fmt.Sprintf("1700000000.%06d", c),
			"value": inbox.Button{Item: x.ID, Digest: x.Digest, Choice: choice}.Value(linkKey)}},
	})
	if err != nil {
		h.t.Error(err)
	}
	body := []byte("payload=" + url.QueryEscape(string(payload)))
	req := httptest.NewRequest(http.MethodPost, "http://panel.example/hooks/slack", strings.NewReader(string(body)))
	req.Header = edgeslack.Sign(slack.DevSecrets().SigningSecret, body, time.Now())
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := h.do(req)
	return answered{"slack", w.Code, w.Body.String()}
}
