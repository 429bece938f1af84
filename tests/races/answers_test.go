package races

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store"
)

// heard is how one answer was answered.
type heard struct {
	who    string // actor ref
	via    string
	delay  string // the delivery or key it came with
	status int
	words  string
}

const atOnce = 50

// TestI4_FiftyAnswers: 50 people answer one item at once, from Slack by signed
// webhook, from the panel by its form, over the API; one wins, one resolution
// reaches the session, and every other is told who won, what and when (I4 to
// I6), with the status of his surface (U10).
func TestI4_FiftyAnswers(t *testing.T) {
	t.Parallel()
	h := open(t)
	won := map[string]int{}
	count := races(t)
	for n := range count {
		x := h.parked(n)
		for u := range people {
			h.signIn(u, x)
		}
		h.bells()
		got := make([]heard, atOnce)
		together(atOnce, func(i int) {
			switch user := i / 3; i % 3 {
			case 0:
				got[i] = h.bySlack(user, x, fmt.Sprintf("17%08d.%06d", n, i))
			case 1:
				got[i] = h.byPanel(user, x, fmt.Sprintf("%d-%d", n, i))
			default:
				got[i] = h.byAPI(user, x, fmt.Sprintf("%d-%d", n, i))
			}
		})
		won[h.oneWon(x, got)]++
		if t.Failed() {
			return
		}
	}
	t.Logf("%d races of %d answers; winners by surface: %v", count, atOnce, won)
}

// choice of the i-th answer: they want different things.
func choice(user int) string { return []string{inbox.Allow, inbox.Deny}[user%2] }

func (h *house) bySlack(user int, x inbox.Item, at string) heard {
	rec := h.serve(h.click(user, x, choice(user), at))
	return heard{who: fmt.Sprintf("slack:%s/U%d", team, user), via: "slack", delay: at, status: rec.Code}
}

var status = regexp.MustCompile(`role="status">([^<]*)<`)

func (h *house) byPanel(user int, x inbox.Item, once string) heard {
	ref := fmt.Sprintf("panel:p%d", user)
	p := h.ids[ref]
	v := url.Values{"form": {p.form}, "digest": {x.Digest}, "choice": {choice(user)}, "once": {once}}
	r := httptest.NewRequest(http.MethodPost, "/inbox/"+x.ID+"/answer", strings.NewReader(v.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.AddCookie(p.cookie)
	rec := h.serve(r)
	got := heard{who: ref, via: "panel", delay: once, status: rec.Code}
	if m := status.FindStringSubmatch(rec.Body.String()); m != nil {
		got.words = html.UnescapeString(m[1])
	}
	return got
}

func (h *house) byAPI(user int, x inbox.Item, key string) heard {
	ref := fmt.Sprintf("panel:p%d", user)
	body, _ := json.Marshal(map[string]string{"digest": x.Digest, "choice": choice(user)})
	r := httptest.NewRequest(http.MethodPost, "/v1/items/"+x.ID+"/answer", strings.NewReader(string(body)))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	r.AddCookie(h.ids[ref].cookie)
	rec := h.serve(r)
	got := heard{who: ref, via: "api", delay: key, status: rec.Code}
	var problem struct{ Code, Detail string }
	if json.Unmarshal(rec.Body.Bytes(), &problem) == nil && problem.Code == string(inbox.Late) {
		got.words = problem.Detail
	}
	return got
}

// oneWon checks one race and returns the surface that won.
func (h *house) oneWon(was inbox.Item, got []heard) string {
	h.t.Helper()
	x, err := h.Store.Item(h.t.Context(), was.ID)
	if err != nil || x == nil || !x.State.Terminal() {
		h.t.Fatalf("item %s: %+v %v", was.ID, x, err)
	}
	bells := h.bells()
	told := map[string]string{}
	turns := 0
	for _, b := range bells {
		switch {
		case b.Ring == store.RingTell:
			told[b.User] = b.Text
		case b.Ring == store.RingTurn && b.Session == was.Session:
			turns++
		}
	}
	if turns != 1 {
		h.t.Errorf("the session was rung %d times", turns)
	}
	winners := 0
	for _, g := range got {
		if h.won(g, x, told) {
			winners++
		}
	}
	if winners != 1 {
		h.t.Errorf("%d winners of item %s: %+v", winners, x.ID, got)
	}
	h.oneWake(*x)
	return x.Via
}

// won says whether one answer was told that it won, and holds every other to
// the truth.
func (h *house) won(g heard, x *inbox.Item, told map[string]string) bool {
	h.t.Helper()
	winner := x.By.Ref() == g.who && x.Via == g.via
	words := inbox.Told(*x)
	switch g.via {
	case "slack":
		if g.status != http.StatusOK {
			h.t.Errorf("Slack was answered %d", g.status)
		}
		if !winner && told[g.who] != words {
			h.t.Errorf("%s was told %q privately, not %q", g.who, told[g.who], words)
		}
		return told[g.who] == ""
	default:
		if !winner && (g.status != http.StatusConflict || !strings.Contains(g.words, words)) {
			h.t.Errorf("%s was answered %d %q by the %s, not 409 %q", g.who, g.status, g.words, g.via, words)
		}
		return g.status == http.StatusOK
	}
}

// oneWake: one resolution in the audit, every other answer refused there with
// its reason (I6, I14), and one result in the transcript (I7).
func (h *house) oneWake(x inbox.Item) {
	h.t.Helper()
	rows, err := h.Store.AuditOf(h.t.Context(), "session#"+x.Session, x.Created, h.Clock.Now())
	if err != nil {
		h.t.Fatal(err)
	}
	n := map[string]int{}
	for _, r := range rows {
		n[r.What]++
		if r.What == "resolved" && (r.Actor.Ref() != x.By.Ref() || r.Is != string(x.State)) {
			h.t.Errorf("the audit says %s by %s", r.Is, r.Actor.Ref())
		}
	}
	if n["resolved"] != 1 || n["refused"] != atOnce-1 {
		h.t.Errorf("audit: %v", n)
	}
	together(4, func(int) { // the doorbell, four times at once
		if err := h.Turns.Turn(context.Background(), x.Session); err != nil {
			h.t.Error(err)
		}
	})
	steps, err := h.Store.Transcript(h.t.Context(), x.Session)
	if err != nil {
		h.t.Fatal(err)
	}
	results := 0
	for _, st := range steps {
		if st.Role == session.Result && st.Of == x.Step {
			results++
		}
	}
	if results != 1 {
		h.t.Errorf("the call has %d results (I7)", results)
	}
}
