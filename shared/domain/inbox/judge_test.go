package inbox

import (
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
)

var (
	at  = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ada = actor.Actor{Provider: "slack", Workspace: "T1", ID: "U1", Name: "Ada", Kind: actor.Human}
	bob = actor.Actor{Provider: "slack", Workspace: "T1", ID: "U2", Name: "Bob", Kind: actor.Human}
	who = Approvers{Refs: []string{ada.Ref(), bob.Ref()}, From: "queue ops", Policy: 7}
)

func waiting(change func(*Item)) Item {
	x := Item{ID: "i1", Session: "s1", Kind: Approval, Queue: "ops", Digest: "d1", State: Pending, Created: at, Expires: at.Add(time.Hour), Version: 1}
	if change != nil {
		change(&x)
	}
	return x
}

func answer(change func(*Answer)) Answer {
	a := Answer{Item: "i1", Digest: "d1", Choice: Allow, Actor: ada, Via: "slack", Delivery: "click", ID: "a1"}
	if change != nil {
		change(&a)
	}
	return a
}

// The rules of one answer, each named.
func TestJudge(t *testing.T) {
	t.Parallel()
	settled := func(s State, by string) func(*Item) {
		return func(x *Item) { x.State, x.By, x.Via, x.Resolved, x.Resolution = s, bob, "panel", at, by }
	}
	for _, c := range []struct {
		name   string
		item   func(*Item)
		answer func(*Answer)
		who    func(*Approvers)
		body   Body
		later  time.Duration
		want   Result
		state  State  // of a win
		says   string // part of the reason
	}{
		{name: "I9 allow", want: Won, state: Approved},
		{name: "I9 deny", answer: func(a *Answer) { a.Choice, a.Text = Deny, "not today" }, want: Won, state: Denied},
		{name: "I9 no such choice", answer: func(a *Answer) { a.Choice = "maybe" }, want: Invalid, says: `"maybe" is no answer`},
		{name: "I9 nothing chosen", answer: func(a *Answer) { a.Choice = "" }, want: Invalid},
		{name: "I9 allow_session is not offered", answer: func(a *Answer) { a.Choice = "allow_session" }, want: Invalid},
		{name: "I8 another digest", answer: func(a *Answer) { a.Digest = "d0" }, want: Invalid, says: "other arguments"},
		{name: "I8 no digest", answer: func(a *Answer) { a.Digest = "" }, want: Invalid},
		{name: "I12 not listed", answer: func(a *Answer) { a.Actor.ID = "U9" }, want: Refused, says: "queue ops"},
		{name: "I12 the same id in another workspace", answer: func(a *Answer) { a.Actor.Workspace = "T9" }, want: Refused},
		{name: "I12 an empty list means nobody", who: func(w *Approvers) { w.Refs = nil }, want: Refused},
		{name: "I13 a key", answer: func(a *Answer) { a.Actor.Kind = actor.Key }, want: Refused, says: "signed in"},
		{name: "I13 a bot", answer: func(a *Answer) { a.Actor.Kind = actor.Bot }, want: Refused},
		{name: "I13 Postern itself", answer: func(a *Answer) { a.Actor.Kind = actor.Postern }, want: Refused},
		{name: "I13 nobody", answer: func(a *Answer) { a.Actor = actor.Actor{Kind: actor.Human} }, want: Refused},
		{name: "I13 a name proves nothing", answer: func(a *Answer) {
			a.Actor = actor.Actor{Provider: "slack", Workspace: "T1", ID: "U9", Name: "Ada", Kind: actor.Human}
		}, want: Refused},
		{name: "I13 a linked identity", answer: func(a *Answer) { a.Actor = actor.Actor{Provider: "panel", ID: "ada", Kind: actor.Human} },
			who: func(w *Approvers) { w.Same = map[string][]string{"panel:ada": {ada.Ref()}} }, want: Won, state: Approved},
		{name: "I14 his own request", who: func(w *Approvers) { w.NoSelf = true }, body: Body{Asked: ada}, want: Refused, says: "his own"},
		{name: "I14 his own by a linked identity", answer: func(a *Answer) { a.Actor = bob }, who: func(w *Approvers) {
			w.NoSelf, w.Same = true, map[string][]string{bob.Ref(): {ada.Ref()}}
		}, body: Body{Asked: ada}, want: Refused},
		{name: "I14 another's request", answer: func(a *Answer) { a.Actor = bob }, who: func(w *Approvers) { w.NoSelf = true }, body: Body{Asked: ada}, want: Won, state: Approved},
		{name: "I5 late", item: settled(Approved, "b1"), want: Late, says: "allowed by Bob"},
		{name: "I5 late after a denial", item: settled(Denied, "b1"), want: Late, says: "denied by Bob"},
		{name: "I5 the same attempt again", item: settled(Approved, "a1"), want: Won, state: Approved},
		{name: "I4 late after a withdrawal", item: settled(Superseded, "superseded"), want: Late, says: "withdrawn"},
		{name: "I4 late after an expiry", item: settled(Expired, "expired"), want: Overdue, says: "expired"},
		{name: "I10 overdue", later: time.Hour, want: Overdue, state: Expired, says: "expired"},
		{name: "I10 at its very end", later: time.Hour, want: Overdue, state: Expired},
		{name: "I10 a moment before", later: time.Hour - time.Millisecond, want: Won, state: Approved},
		{name: "I12 who may not learns nothing more", item: settled(Approved, "b1"), answer: func(a *Answer) { a.Actor.ID = "U9" }, want: Refused},
		{name: "I9 a question takes an option", item: asks, answer: chooses("o1", ""), body: options(false, false), want: Won, state: Answered},
		{name: "I9 not one of the options", item: asks, answer: chooses("o9", ""), body: options(false, false), want: Invalid, says: "options"},
		{name: "I9 a label is not a value", item: asks, answer: chooses("Firefox", ""), body: options(false, false), want: Invalid},
		{name: "I9 free text where it is allowed", item: asks, answer: chooses("", "Safari"), body: options(true, false), want: Won, state: Answered},
		{name: "I9 free text where it is not", item: asks, answer: chooses("", "Safari"), body: options(false, false), want: Invalid, says: "no free text"},
		{name: "I9 empty", item: asks, answer: chooses("", "  "), body: options(true, false), want: Invalid, says: "empty"},
		{name: "I9 several where they are allowed", item: asks, answer: chooses("o1,o2", ""), body: options(false, true), want: Won, state: Answered},
		{name: "I9 several where they are not", item: asks, answer: chooses("o1,o2", ""), body: options(false, false), want: Invalid},
		{name: "I9 several, one unknown", item: asks, answer: chooses("o1,o9", ""), body: options(false, true), want: Invalid},
		{name: "I9 a question takes no allow", item: asks, answer: chooses(Allow, ""), body: options(false, false), want: Invalid},
		{name: "I1 a notification takes no answer", item: func(x *Item) { x.Kind = Notification }, want: Invalid},
		{name: "I1 a plan is approved", item: func(x *Item) { x.Kind = Plan }, want: Won, state: Approved},
		{name: "I1 a folder is granted", item: func(x *Item) { x.Kind = Directory }, want: Won, state: Approved},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := who
			if c.who != nil {
				c.who(&w)
			}
			x, a := waiting(c.item), answer(c.answer)
			v := Judge(x, &c.body, a, w, at.Add(c.later))
			if v.Result != c.want || !strings.Contains(v.Reason, c.says) || v.Reason == "" {
				t.Fatalf("%s: %q", v.Result, v.Reason)
			}
			if c.state != "" && v.Next.State != c.state {
				t.Errorf("it becomes %q, not %q", v.Next.State, c.state)
			}
			if v.Result == Won && !x.State.Terminal() {
				recorded(t, v.Next, x, a)
			}
			if v.Result == Refused && (v.Next.ID != "" || strings.Contains(v.Reason, "Bob")) {
				t.Errorf("a refused person learns of the item: %+v", v)
			}
		})
	}
}

func recorded(t *testing.T, n, x Item, a Answer) {
	t.Helper()
	if n.By != a.Actor || n.Via != a.Via || n.Delivery != a.Delivery || n.Resolution != a.ID || n.Resolved.Before(at) || n.Policy != 7 {
		t.Errorf("the resolution is not what was answered: %+v", n)
	}
	if n.Digest != x.Digest || n.ID != x.ID || n.Version != x.Version {
		t.Errorf("the item itself changed: %+v", n)
	}
}

func asks(x *Item) { x.Kind = Question }

func chooses(choice, text string) func(*Answer) {
	return func(a *Answer) { a.Choice, a.Text = choice, text }
}

func options(text, multi bool) Body {
	return Body{Options: []Option{{"o1", "Firefox"}, {"o2", "Chrome"}}, AllowText: text, Multi: multi}
}

// I9: a reason is cut, so that the head row stays small (I2), and stays UTF-8.
func TestI2_ReasonIsCut(t *testing.T) {
	t.Parallel()
	v := Judge(waiting(nil), &Body{}, answer(func(a *Answer) { a.Choice, a.Text = Deny, strings.Repeat("ü", 400) }), who, at)
	if n := v.Next.Reason; len(n) > 510 || !strings.HasSuffix(n, "…") || strings.ContainsRune(n, '\uFFFD') {
		t.Errorf("%d bytes: %q", len(n), n[len(n)-10:])
	}
}

// I4: the terminal states stay distinct, and each settlement is by somebody.
func TestI4_Settlements(t *testing.T) {
	t.Parallel()
	for state, x := range map[State]Item{
		Expired: Expire(waiting(nil), at), Cancelled: Cancel(waiting(nil), ada, "panel", at), Superseded: Withdraw(waiting(nil), ada, "panel", at),
	} {
		if x.State != state || !x.State.Terminal() || x.Resolution == "" || x.By.Ref() == "" || !x.Resolved.Equal(at) {
			t.Errorf("%s: %+v", state, x)
		}
	}
	if Pending.Terminal() || State("").Terminal() {
		t.Error("a pending item is terminal")
	}
}
