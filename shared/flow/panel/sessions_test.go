package panel_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/domain/wake"
	"github.com/postern-dev/postern/shared/flow/panel"
	"github.com/postern-dev/postern/shared/flow/raise"
	"github.com/postern-dev/postern/shared/store"
)

func TestU6_EmptyPages(t *testing.T) {
	t.Parallel()
	ada := newHouse(t).person("panel:ada", panel.Approver)
	ada.get("/inbox").want(t, 200, "Nothing waits for an answer.", `id="waiting" class="count" hidden`)
	ada.get("/inbox?tab=all").want(t, 200, "No agent has asked for anything yet.")
	ada.get("/sessions").want(t, 200, "No session yet.")
	ada.get("/decisions").want(t, 200, "Nothing came in yet.")
}

// A page that is open asks with the tag of what it shows, and is answered 304
// until something changed (U5).
func TestU5_Live(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.session("s1", "work")
	x := h.raise(s, raise.Ask{Title: "first"})
	ada := h.person("panel:ada", panel.Approver)
	pages := []string{"/inbox", "/inbox?tab=all", "/inbox/" + x.ID, "/sessions", "/sessions/s1", "/decisions"}
	tags := map[string]string{}
	for _, path := range pages {
		a := ada.fresh(path, "")
		a.want(t, 200, `id="waiting"`, `hx-swap-oob="true"`, "1").lacks(t, "<html", "<header")
		tags[path] = a.Header().Get("ETag")
		ada.get(path).want(t, 200, "<html", `data-tag="`+quoted(tags[path])) // the page shows what the tag names
		if a := ada.fresh(path, tags[path]); a.Code != 304 || a.text != "" || a.Header().Get("ETag") != tags[path] {
			t.Errorf("%s: nothing changed, and it was answered %d %q", path, a.Code, a.text)
		}
		if a := ada.send("GET", path, nil, map[string][]string{"If-None-Match": {tags[path]}}); a.Code != 200 {
			t.Errorf("%s: a whole page was answered %d", path, a.Code)
		}
		if a := ada.send("GET", path, nil, map[string][]string{"Hx-Request": {"true"}, "If-None-Match": {tags[path]}, "Accept-Language": {"zh"}}); a.Code != 200 {
			t.Errorf("%s: another language was answered %d", path, a.Code)
		}
		if bob := h.person("panel:bob", panel.Viewer); bob.fresh(path, tags[path]).Code != 200 {
			t.Errorf("%s: somebody else's tag was taken", path)
		}
	}
	ada.answer(x, "allow", "").want(t, 200)
	h.raise(s, raise.Ask{Title: "second"})
	h.raise(s, raise.Ask{Title: "third"})
	for _, path := range pages {
		if a := ada.fresh(path, tags[path]); a.Code != 200 || a.Header().Get("ETag") == tags[path] {
			t.Errorf("%s: something changed, and it was answered %d", path, a.Code)
		}
	}
	ada.fresh("/inbox", "").want(t, 200, "second", "third").lacks(t, "first")
	ada.fresh("/inbox/"+x.ID, "").want(t, 200, "allowed by ada").lacks(t, `class="answer"`)
}

func quoted(tag string) string { return "&#34;" + tag[1:len(tag)-1] + "&#34;" }

// A session at rest is found unchanged without its transcript being read.
func TestU5_SessionAtRest(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.session("s1", "work")
	h.do(store.AppendStep(session.Step{Session: s.ID, N: 1, Role: session.User, From: "ada", Text: "please", At: h.now}))
	ada := h.person("panel:ada", panel.Approver)
	a := ada.fresh("/sessions/s1", "")
	a.want(t, 200, "please", "idle")
	h.do(store.NewMail(session.Mail{Session: s.ID, ID: store.MailID(h.now, "1"), Kind: session.Message, At: h.now})...)
	if ada.fresh("/sessions/s1", a.Header().Get("ETag")).Code != 200 {
		t.Fatal("mail came, and the session was said to be unchanged")
	}
}

func TestU6_Session(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.session("s1", "work")
	x := h.raise(s, raise.Ask{Title: "wants this"})
	ada := h.person("panel:ada", panel.Approver)
	h.do(store.AppendStep(session.Step{Session: s.ID, N: 1, Role: session.User, From: "ada", Text: "please <do>", At: h.now}))
	h.do(store.AppendStep(session.Step{Session: s.ID, N: 2, Role: session.Assistant, Model: "scripted", At: h.now,
		Calls: []session.Call{{Tool: "github_comment", Arguments: []byte(`{"body":"<hi>"}`)}}}))
	lease := func(state session.Liveness, item string) {
		o, err := h.store.Open(t.Context(), "s1")
		if err != nil {
			t.Fatal(err)
		}
		l, take := store.TakeLease(*o.Lease, "me", "run", h.now)
		h.do(take)
		if state != session.Working {
			h.do(store.GiveBackLease(l, state, item, h.now))
		}
	}
	lease(session.Parked, x.ID)
	ada.get("/sessions/s1").want(t, 200, "please &lt;do&gt;", "agent (scripted)", "{&#34;body&#34;:&#34;&lt;hi&gt;&#34;}", "waits for a person",
		`href="/inbox/`+x.ID, "wants this", "Audit (1)", "asked", "mode interactive", "asks in queue default")
	lease(session.Sleeping, "")
	ada.get("/sessions/s1").want(t, 200, "asleep until something happens").lacks(t, "Waits for an answer")
	h.do(store.NewWake(wake.Wake{ID: "w1", Session: "s1", Kind: wake.Timer, At: h.now.Add(time.Hour), State: wake.Pending, Generation: 1, Created: h.now}))
	ada.get("/sessions/s1").want(t, 200, "asleep until 1 Dec 10:00 UTC")
	lease(session.Working, "")
	ada.get("/sessions/s1").want(t, 200, "working")
}

// I28: a session's page shows the newest of its audit, of a time that is
// bounded, and says so when there may be more.
func TestI28_SessionAudit(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.session("s1", "work")
	row := func(n int, chain string) {
		h.do(store.NewAudit(store.Audit{ID: h.id(), Chain: chain, What: fmt.Sprintf("what-%d.", n), At: h.now.Add(time.Duration(n) * time.Millisecond)}))
	}
	for n := range 200 {
		row(n, "session#s1")
	}
	row(900, "session#s2")
	ada := h.person("panel:ada", panel.Approver)
	const cut = "Older rows are left out: at most 200 of the last 30 days are shown."
	ada.get("/sessions/s1").want(t, 200, "Audit (200)", "what-0.", "what-199.").lacks(t, cut, "what-900.")
	row(200, "session#s1")
	ada.get("/sessions/s1").want(t, 200, "Audit (200)", cut, "what-1.", "what-200.").lacks(t, "what-0.")
	h.now = h.now.AddDate(0, 0, 30).Add(199 * time.Millisecond)
	ada = h.person("panel:ada", panel.Approver)
	ada.get("/sessions/s1").want(t, 200, "Audit (2)", cut, "what-199.", "what-200.").lacks(t, "what-198.")
}

// An item outlives its session, and says that it is gone (I11, S2).
func TestI11_DeletedSession(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.session("s1", "the plan")
	x := h.raise(s, raise.Ask{Title: "t"})
	gone := s
	gone.Version, gone.Deleted = 1, true
	h.do(store.SaveSession(gone))
	ada, eve := h.person("panel:ada", panel.Approver), h.person("panel:eve", panel.Viewer)
	ada.get("/inbox/"+x.ID).want(t, 200, "deleted").lacks(t, `href="/sessions/s1"`, "the plan")
	ada.get("/sessions").want(t, 200, "deleted").lacks(t, "the plan")
	ada.get("/sessions/s1").want(t, 410, "This session was deleted")
	ada.fresh("/sessions/s1", "").want(t, 410)
	eve.get("/sessions/s1").want(t, 404)
}

func TestU6_Decisions(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for i, d := range []ticket.Decision{
		{Outcome: "accepted", Strength: "explicit", Reason: "a listed person named the agent", Sender: actor.Actor{Provider: "slack", Workspace: "T1", ID: "U1", Kind: actor.Human}},
		{Outcome: "not_admitted", Strength: "not_admitted", Reason: "<ignored>"},
	} {
		d.ID, d.Thread, d.Policy, d.At = h.id(), "slack:T1:C1:1.1", 3, h.now.Add(time.Duration(i)*time.Minute)
		h.do(store.NewDecision(d))
	}
	h.person("panel:ada", panel.Approver).get("/decisions").want(t, 200, "accepted", "slack:T1/U1", "slack:T1:C1:1.1", "policy version 3",
		"a listed person named the agent", "not_admitted", "nobody named", "&lt;ignored&gt;")
}

// The settled page says how it ended, in words that differ (I4, I23).
func TestI23_SettledPage(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s, ada := h.session("s1", "work"), h.person("panel:ada", panel.Approver)
	x := h.raise(s, raise.Ask{Title: "t"})
	ada.answer(x, "allow", "").want(t, 200)
	ada.get("/inbox/"+x.ID).want(t, 200, "approved", "allowed by ada", "What else waits").lacks(t, `class="answer"`, "ran:")
	a := session.Attempt{Session: s.ID, Tool: x.Tool, Item: x.ID, Writer: "w", Deadline: h.now}
	h.do(store.NewAttempt(a))
	ada.get("/inbox/"+x.ID).want(t, 200, "ran: intended")
	a.State, a.Version = session.Ran, 1
	h.do(store.EndAttempt(a))
	ada.get("/inbox/"+x.ID).want(t, 200, "ran: ok")
	no := h.raise(s, raise.Ask{Title: "t"})
	ada.answer(no, "deny", "not <today>").want(t, 200, "denied by ada", "not &lt;today&gt;")
	if h.state(no) != inbox.Denied {
		t.Fatal("not denied")
	}
}
