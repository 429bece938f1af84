package turn

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/domain/permission"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/domain/wake"
	"github.com/postern-dev/postern/shared/store"
)

// Results that need nobody and run nothing.
func TestAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, tool, args, want string
	}{
		{"P2 unknown tool", "rm_rf", `{}`, `There is no tool "rm_rf"`},
		{"arguments cut off", "github_comment", `{"issue":`, "The call was not run: the arguments are not a JSON object"},
		{"arguments no object", "github_comment", `[1]`, "not an object"},
		{"S10 a question without one", "ask_user", `{"question":" "}`, "ask_user takes a question"},
		{"S10 too many options", "ask_user", `{"question":"q","options":["a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a"]}`, "at most 20"},
		{"W6 more than a year", "sleep_for", `{"seconds":1e12}`, "at most 365 days"},
		{"W6 not a number", "sleep_for", `{"seconds":"soon"}`, "takes seconds, a number"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, says(model.NewCall("c", c.tool, c.args)))
			h.turn()
			if h.rests(session.Idle); !h.has("2.0 false: ") || !h.has(c.want) || len(h.ran) != 0 {
				t.Errorf("%q", h.steps())
			}
		})
	}
}

// S7: whatever a model says fits its row: words are cut, and arguments that are
// too many, or none at all, are not kept and do not run. The arguments that are
// kept are the canonical ones, byte by byte (P25).
func TestS7_LargeMessage(t *testing.T) {
	t.Parallel()
	big := func(n int) model.Call {
		return model.NewCall("c", "web_fetch", `{"url":"https://example.org/`+strings.Repeat("<", n)+`"}`)
	}
	h := newHouse(t, says(big(200<<10), big(200<<10), big(300<<10), model.NewCall("c", "web_fetch", strings.Repeat("x", 500<<10)), fetch(1)))
	h.turn()
	h.rests(session.Idle)
	steps, err := h.Store.Transcript(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	kept := steps[1].Calls
	if _, digest, err := permission.Canonical(kept[0].Arguments); err != nil || digest != kept[0].Digest || !strings.Contains(string(kept[0].Arguments), "<<<") {
		t.Errorf("the arguments came back changed: %v", err)
	}
	for i, want := range []string{"", "more than", "at most", "not a JSON object", ""} {
		if !strings.Contains(kept[i].Bad, want) || (want == "") != (kept[i].Bad == "") {
			t.Errorf("call %d: %q", i, kept[i].Bad)
		}
	}
	if len(h.ran) != 2 {
		t.Errorf("ran %v", h.ran)
	}
	if many := calls(slices.Repeat([]model.Call{fetch(1)}, mostCalls+1)); many[mostCalls-1].Bad != "" || many[mostCalls].Bad == "" {
		t.Error("any number of calls is taken")
	}
	if got := cutTo(strings.Repeat("ü", maxSaid), maxSaid); len(got) > maxSaid+60 || !strings.Contains(got, "[cut: ") {
		t.Errorf("%d bytes", len(got))
	}
}

// W2, W3: a sleep is its wake, its result and its doorbell in one; the session
// sleeps and its ticket stays open.
func TestW2_Sleeps(t *testing.T) {
	t.Parallel()
	h := newHouse(t, says(model.NewCall("c", "sleep_for", `{"seconds":300,"note":"look again"}`)))
	h.turn()
	h.rests(session.Sleeping)
	ws, err := h.Store.Wakes(t.Context(), "s1")
	if err != nil || len(ws) != 1 || !ws[0].At.Equal(h.now.Add(5*time.Minute)) || ws[0].Note != "look again" || ws[0].State != wake.Pending {
		t.Fatalf("%+v %v", ws, err)
	}
	b := h.bells(store.RingWake)
	if len(b) != 1 || b[0].Wake != ws[0].ID || !b[0].At.Equal(ws[0].At) {
		t.Errorf("%+v", b)
	}
	tk, err := h.Store.Ticket(t.Context(), "t1")
	if err != nil || tk.State != ticket.Open {
		t.Errorf("%+v %v", tk, err)
	}
}

// I12: an item that nobody could answer is an error at creation.
func TestI12_NobodyMayAnswer(t *testing.T) {
	t.Parallel()
	h := newHouse(t, says(comment(1)))
	h.nobody()
	h.turn()
	if h.rests(session.Idle); !h.has("2.0 false: The call was not run: nobody may answer in queue") || len(h.pending()) != 0 {
		t.Errorf("%q", h.steps())
	}
}

// S10: the person's answer is the result; I4: each outcome in its own words.
func TestS10_Question(t *testing.T) {
	t.Parallel()
	h := newHouse(t, says(model.NewCall("c", "ask_user", `{"question":"which?","options":["Firefox","Chrome"]}`)), says(model.NewCall("c", "ask_user", `{"question":"why?"}`)))
	h.turn()
	q := h.pending()[0]
	if len(q.Places) != 1 || q.Places[0].Thread != "1.1" {
		t.Errorf("a question is asked where the work came from (I20): %+v", q.Places)
	}
	h.answer(q, "o2", "")
	h.turn()
	h.answer(h.pending()[0], "", "because")
	h.turn()
	if h.rests(session.Idle); !h.has("2.0 true: Chrome") || !h.has("4.0 true: because") {
		t.Errorf("%q", h.steps())
	}
}

// P13: in mode auto nobody is asked, the intent is written and the audit says
// by which mode.
func TestP13_Auto(t *testing.T) {
	t.Parallel()
	h := newHouse(t, says(comment(1)))
	s, err := h.Store.Session(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	s.Mode = "auto"
	h.do(store.SaveSession(*s))
	h.turn()
	h.rests(session.Idle)
	a, err := h.Store.Attempt(t.Context(), "s1", "", 2, 0)
	if err != nil || a == nil || a.State != session.Ran || len(h.ran) != 1 {
		t.Fatalf("%+v %v", a, err)
	}
	rows, err := h.Store.AuditOf(t.Context(), "session#s1", h.s.Created, h.clock())
	if err != nil || !slices.ContainsFunc(rows, func(r store.Audit) bool { return r.What == "allowed" && strings.Contains(r.Rule, "auto") }) {
		t.Errorf("%+v %v", rows, err)
	}
}
